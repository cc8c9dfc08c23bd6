// SPDX-License-Identifier: BSD-2-Clause
#include <memory>

#include "tools/record/commands/client_command.h"
#include "tools/record/commands/commands.h"

namespace tools {
namespace {

struct AlertOptions {
  std::string socket;
  std::string name;
};

int RunAlert(const AlertOptions& options) {
  return WithClient(options.socket, [&](control::Client& client) {
    auto sent = client.SendAlert(options.name);
    return sent ? 0 : FailControl(sent.error());
  });
}

}  // namespace

void AddAlert(const Command& program, int& exit_code) {
  auto options = std::make_shared<AlertOptions>();
  const Command command =
      program.AddSubcommand("alert", "Report an event to the session, from any program or script");
  command.Add("NAME", options->name, "Name of the event: 1 to 14 bytes").Required();
  AddSocketOption(command, options->socket);
  command.Footer(
      "The trace gets an instant of that name. Triggers for it fire, and clients that watch\n"
      "alerts receive it.\n"
      "\n"
      "Example:\n"
      "  fxt-record alert slow-request");
  command.OnRun([options, &exit_code] { exit_code = RunAlert(*options); });
}

}  // namespace tools
