// SPDX-License-Identifier: BSD-2-Clause
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <memory>

#include "text/json_writer.h"
#include "text/text_writer.h"
#include "tools/record/commands/busiest.h"
#include "tools/record/commands/client_command.h"
#include "tools/record/commands/commands.h"
#include "tools/record/commands/status_view.h"
#include "tools/record/process/end_signals.h"
#include "util/clock.h"

namespace tools {
namespace {

constexpr uint64_t kInterval = 1'000'000'000;
// The whole screen from its top; what stood there before goes with the end of each line.
constexpr const char* kEnter = "\x1b[?1049h\x1b[?25l";
constexpr const char* kLeave = "\x1b[?25h\x1b[?1049l";
constexpr const char* kTop = "\x1b[H";
constexpr const char* kClearToEnd = "\x1b[K\n";
constexpr const char* kClearBelow = "\x1b[J";

struct StatusOptions {
  std::string socket;
  bool json = false;
  bool watch = false;
};

util::Result<TimedStatus> Ask(control::Client& client) {
  auto status = client.GetStatus();
  if (!status) return status.TakeError();
  return TimedStatus{std::move(*status), util::MonotonicNow()};
}

int Finish(text::TextWriter& out) {
  const auto status = out.Finish();
  return status ? 0 : FailControl(status.error());
}

std::string JsonOf(const control::Status& status) {
  fmt::memory_buffer buffer;
  text::JsonWriter json(buffer);
  control::AppendStatus(json, status);
  buffer.push_back('\n');
  return fmt::to_string(buffer);
}

// The lines, on a cleared screen.
std::string Screen(const std::string& lines) {
  std::string screen = kTop;
  for (const char c : lines) {
    if (c == '\n') {
      screen += kClearToEnd;
    } else {
      screen += c;
    }
  }
  return screen + kClearBelow;
}

// The busiest threads of the last second; empty if the session has no buffer.
std::string Threads(control::Client& client, const control::Status& status) {
  if (status.state != control::SessionState::kStarted ||
      status.buffering_mode == request::BufferingMode::kStreaming) {
    return "";
  }
  auto capture = MeasureNow(client, kInterval);
  return capture ? BusiestLines(*capture) : "";
}

// Runs until a signal, the end of the controller, or the end of the reader.
int Watch(control::Client& client, const StatusOptions& options, text::TextWriter& out) {
  EndSignals signals;
  signals.Take();
  const bool full_screen = !options.json && isatty(STDOUT_FILENO) == 1;
  if (full_screen) out.Append(kEnter);
  std::optional<TimedStatus> before;
  std::optional<util::Error> ended;
  while (!out.failed()) {
    auto now = Ask(client);
    if (!now) {
      ended = now.TakeError();
      break;
    }
    const TimedStatus* const last = before ? &*before : nullptr;
    if (options.json) {
      out.Append(JsonOf(now->status));
    } else if (full_screen) {
      out.Append(Screen(StatusLines(*now, last) + Threads(client, now->status) +
                        "\nCtrl-C ends this view, not the session\n"));
    } else {
      out.Append(StatusLine(*now, last));
    }
    out.Flush();
    const uint64_t next = now->time + kInterval;
    before = std::move(*now);
    for (uint64_t time = util::MonotonicNow(); time < next && signals.count() == 0;
         time = util::MonotonicNow()) {
      pollfd ready{signals.fd(), POLLIN, 0};
      poll(&ready, 1, static_cast<int>((next - time) / 1'000'000 + 1));
      signals.Look();
    }
    if (signals.count() > 0) break;
  }
  if (full_screen) out.Append(kLeave);
  const int written = Finish(out);
  return ended ? FailControl(*ended) : written;
}

int RunStatus(const StatusOptions& options) {
  return WithClient(options.socket, [&](control::Client& client) {
    text::TextWriter out(STDOUT_FILENO, "standard output");
    if (options.watch) return Watch(client, options, out);
    auto now = Ask(client);
    if (!now) return FailControl(now.error());
    out.Append(options.json ? JsonOf(now->status) : StatusLines(*now, nullptr));
    return Finish(out);
  });
}

}  // namespace

void AddStatus(const Command& program, int& exit_code) {
  auto options = std::make_shared<StatusOptions>();
  const Command command =
      program.AddSubcommand("status", "Show the session: state, time covered, losses, cost");
  command.Add("--json", options->json, "One JSON object on a line");
  command.Add("--watch", options->watch,
              "Update every second: in full screen on a terminal, otherwise as a new line");
  AddSocketOption(command, options->socket);
  command.Footer(
      "covered_seconds of --json is the length of a snapshot taken now. Exit status 1: no "
      "controller\n"
      "runs.\n"
      "\n"
      "Examples:\n"
      "  sudo fxt-record status\n"
      "  sudo fxt-record status --json\n"
      "  sudo fxt-record status --watch");
  command.OnRun([options, &exit_code] { exit_code = RunStatus(*options); });
}

}  // namespace tools
