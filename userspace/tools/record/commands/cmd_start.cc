// SPDX-License-Identifier: BSD-2-Clause
#include <fmt/format.h>

#include <memory>

#include "tools/common/message.h"
#include "tools/record/commands/background.h"
#include "tools/record/commands/client_command.h"
#include "tools/record/commands/commands.h"
#include "tools/record/control/client_output.h"
#include "tools/record/control/session_options.h"
#include "tools/record/options/record_options.h"
#include "util/quantity.h"

namespace tools {
namespace {

struct StartCommandOptions {
  std::string socket;
  SessionOptions session;
};

constexpr uint64_t kDefaultMegabytes = 64;
constexpr int kTries = 5;

std::string Describe(const request::TraceConfig& config, const std::string& output) {
  const uint64_t megabytes = config.buffer_size_megabytes_hint == 0
                                 ? kDefaultMegabytes
                                 : config.buffer_size_megabytes_hint;
  const std::string size = util::FormatSize(megabytes << 20);
  switch (config.buffering_mode) {
    case request::BufferingMode::kCircular:
      return fmt::format("recording; the newest events are kept in {} of memory", size);
    case request::BufferingMode::kOneshot:
      return fmt::format("recording, until {} of memory are full", size);
    case request::BufferingMode::kStreaming:
      return fmt::format("recording into {}", output);
  }
  return "";
}

int Begin(control::Client& client, const request::TraceConfig& config,
          const SessionOptions& options) {
  std::optional<ClientOutput> output;
  std::optional<control::PassedOutput> passed;
  if (config.buffering_mode == request::BufferingMode::kStreaming) {
    auto opened = ClientOutput::Open(options.output, true);
    if (!opened) return FailControl(opened.error());
    output.emplace(std::move(*opened));
    passed = output->passed();
  }
  if (auto status = client.Initialize(config, passed); !status) return FailControl(status.error());
  auto started = client.Start({});
  auto published = started && output ? output->Publish() : util::Ok();
  if (!started || !published) {
    // Ends the session that cannot record.
    static_cast<void>(client.Terminate(false, std::nullopt));
    return FailControl(started ? published.error() : started.error());
  }
  PrintNote(kControlProgram, Describe(config, options.output));
  return 0;
}

int RunStart(const StartCommandOptions& options) {
  auto config = options.session.MakeConfig();
  if (!config) {
    FailControl(config.error());
    return kExitUsage;
  }
  auto triggers = options.session.MakeTriggers();
  if (!triggers) {
    FailControl(triggers.error());
    return kExitUsage;
  }
  // A controller that is ending may accept the call and not answer it.
  for (int tries = 0;; ++tries) {
    if (control::Client::IsServed(options.socket)) {
      if (!options.session.triggers.empty()) {
        return FailControl({"--trigger is an option of the controller, and one runs already",
                            "pass it to fxt-record serve, or stop the running controller first"});
      }
    } else {
      if (auto status = StartController(options.socket, options.session.TriggerArguments());
          !status) {
        return status.error().message.empty() ? kExitFailure : FailControl(status.error());
      }
    }
    auto client = control::Client::Connect(options.socket);
    if (!client) return FailControl(client.error());
    // Every controller answers this call.
    auto status = client->GetStatus();
    if (!status && client->gone() && tries < kTries) continue;
    if (!status) return FailControl(status.error());
    return Begin(*client, *config, options.session);
  }
}

}  // namespace

void AddStart(const Command& program, int& exit_code) {
  auto options = std::make_shared<StartCommandOptions>();
  const Command command =
      program.AddSubcommand("start", "Start a session in the background; return when it records");
  options->session.AddTo(command);
  AddSocketOption(command, options->socket);
  command.Footer(
      "The default mode is --circular 64M. If no controller runs, start runs one in the "
      "background;\n"
      "it ends with the session.\n"
      "\n"
      "Examples:\n"
      "  sudo fxt-record start\n"
      "  sudo fxt-record start --circular 256M -c default,irq\n"
      "  sudo fxt-record start --streaming -o day.fxt.gz\n"
      "  sudo fxt-record start --trigger 'alert slow-request' --before 10s -o 'slow-%n.fxt'");
  command.OnRun([options, &exit_code] { exit_code = RunStart(*options); });
}

}  // namespace tools
