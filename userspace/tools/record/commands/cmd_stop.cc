// SPDX-License-Identifier: BSD-2-Clause
#include <fmt/format.h>

#include <memory>

#include "tools/common/message.h"
#include "tools/record/commands/client_command.h"
#include "tools/record/commands/commands.h"
#include "tools/record/control/client_output.h"

namespace tools {
namespace {

struct StopOptions {
  std::string socket;
  std::string output;
};

util::Error NoSession() { return {"there is no session", "fxt-record start begins one"}; }

// The file is complete when the session ends.
int StopStreaming(control::Client& client) {
  auto written = client.Terminate(true, std::nullopt);
  if (!written) return FailControl(written.error());
  if (*written) NoteWritten("its file", **written);
  return 0;
}

int RunStop(const StopOptions& options) {
  return WithClient(options.socket, [&](control::Client& client) {
    auto status = client.GetStatus();
    if (!status) return FailControl(status.error());
    if (status->state == control::SessionState::kReady) return FailControl(NoSession());
    const bool streaming = status->buffering_mode == request::BufferingMode::kStreaming;
    if (streaming && !options.output.empty()) {
      return FailControl(
          {"a streaming session has its own file already", "fxt-record stop, without -o"});
    }
    if (streaming) return StopStreaming(client);
    if (options.output.empty()) {
      return FailControl({"stop needs -o FILE for the buffer of the session",
                          "fxt-record stop -o FILE writes it, fxt-record cancel drops it"});
    }
    auto output = ClientOutput::Open(options.output, false);
    if (!output) return FailControl(output.error());
    if (auto stopped = client.Stop(false, std::nullopt); !stopped) {
      return FailControl(stopped.error());
    }
    // The session ends when its results are written: a full disk loses nothing.
    auto written = client.TakeSnapshot(output->passed(), 0);
    auto published = written ? output->Publish() : util::Ok();
    if (!written || !published) {
      FailControl(written ? published.error() : output->Named(written.error()));
      PrintNote(kControlProgram,
                "the session is stopped and has its events still: fxt-record stop -o FILE again, "
                "with another file, or fxt-record cancel");
      return 1;
    }
    if (*written) NoteWritten(options.output, **written);
    auto ended = client.Terminate(false, std::nullopt);
    return ended ? 0 : FailControl(ended.error());
  });
}

int RunCancel(const StopOptions& options) {
  return WithClient(options.socket, [&](control::Client& client) {
    auto status = client.GetStatus();
    if (!status) return FailControl(status.error());
    if (status->state == control::SessionState::kReady) return FailControl(NoSession());
    auto ended = client.Terminate(false, std::nullopt);
    return ended ? 0 : FailControl(ended.error());
  });
}

}  // namespace

void AddStop(const Command& program, int& exit_code) {
  auto options = std::make_shared<StopOptions>();
  const Command command =
      program.AddSubcommand("stop", "Stop recording, write the buffer, and end the session");
  command
      .Add("-o,--output", options->output,
           "File for the buffer; - is standard output. A streaming session has its own file")
      .Type("FILE");
  AddSocketOption(command, options->socket);
  command.Footer(
      "If the file cannot be written, the session is stopped and keeps its events: run stop again\n"
      "with another file.\n"
      "\n"
      "Example:\n"
      "  sudo fxt-record stop -o trace.fxt");
  command.OnRun([options, &exit_code] { exit_code = RunStop(*options); });
}

void AddCancel(const Command& program, int& exit_code) {
  auto options = std::make_shared<StopOptions>();
  const Command command = program.AddSubcommand(
      "cancel", "End the session without writing the buffer; a streaming one keeps its file");
  AddSocketOption(command, options->socket);
  command.Footer(
      "Example:\n"
      "  sudo fxt-record cancel");
  command.OnRun([options, &exit_code] { exit_code = RunCancel(*options); });
}

}  // namespace tools
