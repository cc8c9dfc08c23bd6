// SPDX-License-Identifier: BSD-2-Clause
#include "tools/record/commands/client_command.h"

#include <fmt/format.h>

#include "control/server/control_socket.h"
#include "tools/common/message.h"
#include "tools/record/options/record_options.h"
#include "util/quantity.h"

namespace tools {

void AddSocketOption(const Command& command, std::string& socket) {
  socket = control::SocketPath();
  command.Add("--socket", socket, "Socket of the controller").Type("PATH").ShowDefault();
}

int FailControl(const util::Error& error) {
  PrintError(kControlProgram, error);
  return kExitFailure;
}

int WithClient(const std::string& socket, const std::function<int(control::Client&)>& run) {
  auto client = control::Client::Connect(socket);
  if (!client) return FailControl(client.error());
  return run(*client);
}

void NoteWritten(const std::string& path, const request::WrittenTrace& written) {
  PrintNote(kControlProgram,
            fmt::format("wrote {} ({}, {} events, {})", path == "-" ? "standard output" : path,
                        util::FormatSize(written.bytes), util::FormatCount(written.events),
                        util::FormatDuration(written.covered)));
}

}  // namespace tools
