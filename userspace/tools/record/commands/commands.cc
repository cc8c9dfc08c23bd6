// SPDX-License-Identifier: BSD-2-Clause
#include "tools/record/commands/commands.h"

#include <csignal>

#include "tools/common/message.h"
#include "tools/record/options/record_options.h"

namespace tools {
namespace {

struct Entry {
  const char* name;
  AddControlCommand add;
};

constexpr Entry kCommands[] = {
    {"start", AddStart},   {"status", AddStatus}, {"snapshot", AddSnapshot}, {"stop", AddStop},
    {"cancel", AddCancel}, {"alert", AddAlert},   {"serve", AddServe},
};

constexpr const char* kCommandsDescription =
    "These commands control a recording in the background, over a Unix socket. There is one "
    "session\n"
    "at a time.";

constexpr const char* kCommandsExamples =
    "Examples:\n"
    "  sudo fxt-record start --circular 64M          keep the newest events in memory\n"
    "  sudo fxt-record status                        state, time covered, losses, cost\n"
    "  sudo fxt-record snapshot -o spike.fxt --last 10s\n"
    "  sudo fxt-record stop -o trace.fxt             write the buffer, and end\n"
    "\n"
    "`fxt-record COMMAND --help` describes the options of a command, fxt-record-control(1) all of\n"
    "them. To record a program of one of these names, use fxt-record -- NAME.\n"
    "Exit status: 0 success, 1 failure, 2 wrong command line.";

}  // namespace

bool IsControlCommand(std::string_view word) {
  for (const Entry& entry : kCommands) {
    if (word == entry.name) return true;
  }
  return false;
}

int RunControlCommand(int argc, char** argv) {
  // A closed pipe is an error of write().
  std::signal(SIGPIPE, SIG_IGN);
  int exit_code = 0;
  const Program program("fxt-record", kCommandsDescription, "fxt-record " FXT_RECORD_VERSION);
  program.Footer(kCommandsExamples);
  program.RequireSubcommand();
  for (const Entry& entry : kCommands) entry.add(program, exit_code);
  const auto parsed = program.Parse(argc, argv);
  if (parsed) return exit_code;
  PrintError("fxt-record", parsed.error());
  return kExitUsage;
}

}  // namespace tools
