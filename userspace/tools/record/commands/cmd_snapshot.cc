// SPDX-License-Identifier: BSD-2-Clause
#include <memory>

#include "tools/record/commands/client_command.h"
#include "tools/record/commands/commands.h"
#include "tools/record/control/client_output.h"
#include "tools/record/options/record_options.h"
#include "util/quantity.h"

namespace tools {
namespace {

struct SnapshotOptions {
  std::string socket;
  std::string output;
  std::string last;
};

int RunSnapshot(const SnapshotOptions& options) {
  uint64_t last = 0;
  if (!options.last.empty()) {
    auto duration = util::ParseDuration(options.last);
    if (!duration) {
      FailControl(duration.error());
      return kExitUsage;
    }
    last = *duration;
  }
  return WithClient(options.socket, [&](control::Client& client) {
    auto output = ClientOutput::Open(options.output, false);
    if (!output) return FailControl(output.error());
    auto written = client.TakeSnapshot(output->passed(), last);
    if (!written) return FailControl(output->Named(written.error()));
    if (auto status = output->Publish(); !status) return FailControl(status.error());
    if (*written) NoteWritten(options.output, **written);
    return 0;
  });
}

}  // namespace

void AddSnapshot(const Command& program, int& exit_code) {
  auto options = std::make_shared<SnapshotOptions>();
  const Command command =
      program.AddSubcommand("snapshot", "Write the buffer of the session; recording goes on");
  command.Add("-o,--output", options->output, "File to write; - is standard output")
      .Type("FILE")
      .Required();
  command.Add("--last", options->last, "Only events of the last 500ms, 10s, 2m").Type("TIME");
  AddSocketOption(command, options->socket);
  command.Footer(
      "An existing file is replaced when the new one is complete. A name that ends in .gz\n"
      "compresses it. The session must be circular or oneshot.\n"
      "\n"
      "Examples:\n"
      "  sudo fxt-record snapshot -o spike.fxt\n"
      "  sudo fxt-record snapshot -o spike.fxt.gz --last 10s");
  command.OnRun([options, &exit_code] { exit_code = RunSnapshot(*options); });
}

}  // namespace tools
