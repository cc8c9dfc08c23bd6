// SPDX-License-Identifier: BSD-2-Clause
// fxt-mark: what a script says about itself, into the session that records.
#include <unistd.h>

#include <cstdlib>
#include <optional>
#include <string>

#include "control/client/client.h"
#include "control/protocol/requests.h"
#include "control/server/control_socket.h"
#include "tools/common/command_line.h"
#include "tools/common/message.h"
#include "util/clock.h"

namespace tools {
namespace {

constexpr const char* kName = "fxt-mark";
constexpr int kExitUsage = 2;

constexpr const char* kDescription =
    "fxt-mark writes an event of a script into the trace, on the track of the calling process: "
    "the\n"
    "begin or end of a span, an instant, or the value of a counter. Without a recorder, or "
    "without\n"
    "permission to connect to it, it does nothing and exits with 0.";

constexpr const char* kExamples =
    "Examples:\n"
    "  fxt-mark begin backup; ...; fxt-mark end backup\n"
    "  fxt-mark instant 'cache dropped'\n"
    "  fxt-mark counter files 1200";

int Fail(const util::Error& error, int exit_code) {
  PrintError(kName, error);
  return exit_code;
}

int Run(int argc, char** argv) {
  const uint64_t now = util::MonotonicNow();
  const Program program(kName, kDescription, "fxt-mark " FXT_RECORD_VERSION);
  program.Footer(kExamples);
  std::string kind;
  control::MarkRequest mark;
  std::string value;
  std::string socket = control::SocketPath();
  bool verbose = false;
  mark.pid = static_cast<uint32_t>(getppid());
  program.Add("KIND", kind, "begin, end, instant or counter").Required();
  program.Add("NAME", mark.name, "Name of the span, instant or counter").Required();
  program.Add("VALUE", value, "Value of the counter, a number");
  program.Add("--category", mark.category, "Category of the event").Type("NAME").ShowDefault();
  program.Add("--socket", socket, "Socket of the recorder (by default that of FXT_RECORD_SOCKET)")
      .Type("PATH")
      .ShowDefault();
  program.Add("-v,--verbose", verbose, "Print a message if nothing is recorded, and exit with 1");
  const auto wanted = program.Parse(argc, argv);
  if (!wanted) return Fail(wanted.error(), kExitUsage);
  if (!*wanted) return 0;
  for (char& c : kind) c = static_cast<char>(toupper(c));
  const auto found = control::FindMarkKind(kind);
  if (!found) return Fail({"the kind is begin, end, instant or counter", ""}, kExitUsage);
  mark.kind = *found;
  if ((mark.kind == control::MarkKind::kCounter) != !value.empty()) {
    return Fail(
        {"a counter needs a value, and other events have none", "fxt-mark counter NAME VALUE"},
        kExitUsage);
  }
  if (!value.empty()) {
    char* end = nullptr;
    mark.value = strtod(value.c_str(), &end);
    if (*end != '\0') return Fail({"'" + value + "' is not a number", ""}, kExitUsage);
  }
  if (mark.name.empty() || mark.name.size() > control::kMaxMarkName) {
    return Fail({"a name has 1 to 1000 bytes", ""}, kExitUsage);
  }
  auto client = control::Client::Connect(socket);
  if (!client) return verbose ? Fail(client.error(), 1) : 0;
  mark.nanoseconds_ago = util::MonotonicNow() - now;
  auto sent = client->SendMark(mark);
  if (!verbose) return 0;
  if (!sent) return Fail(sent.error(), 1);
  if (!*sent) return Fail({"nothing is recorded now", "fxt-record start begins a session"}, 1);
  return 0;
}

}  // namespace
}  // namespace tools

int main(int argc, char** argv) { return tools::Run(argc, argv); }
