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
  const Command command = program.AddSubcommand(
      "alert", "Tell the session that something happened, from any program or script");
  command.Add("NAME", options->name, "What: 1 to 14 bytes").Required();
  AddSocketOption(command, options->socket);
  command.Footer(
      "The trace has an instant of that name at that time, triggers that wait for it fire, and\n"
      "whoever watches alerts over the socket is told.\n"
      "\n"
      "Example:\n"
      "  fxt-record alert slow-request");
  command.OnRun([options, &exit_code] { exit_code = RunAlert(*options); });
}

}  // namespace tools
