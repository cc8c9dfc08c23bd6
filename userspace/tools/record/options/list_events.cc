// SPDX-License-Identifier: BSD-2-Clause
#include "tools/record/options/list_events.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iterator>

#include "capture/tracefs/tracefs.h"
#include "tools/common/message.h"
#include "tools/record/options/record_options.h"
#include "util/format_library.h"

namespace tools {
namespace {}  // namespace

int ListEvents(const std::string& pattern) {
  const auto tracefs = capture::Tracefs::Open();
  if (!tracefs) {
    PrintError("fxt-record", tracefs.error());
    return kExitFailure;
  }
  const std::vector<std::string> names = tracefs->Names();
  const std::vector<std::string> matches = capture::Tracefs::Match(names, pattern);
  if (matches.empty()) {
    PrintError("fxt-record", capture::Tracefs::NoSuch(names, pattern));
    return kExitUsage;
  }
  std::string list;
  for (const std::string& name : matches) {
    const auto format = tracefs->Format(name);
    if (!format) continue;
    list += name + '\n';
    for (const auto& field : format->fields) {
      fmt::format_to(std::back_inserter(list), "    {:<20} {}\n", field.name, field.type);
    }
  }
  if (std::fputs(list.c_str(), stdout) < 0 || std::fflush(stdout) != 0) {
    PrintError("fxt-record",
               {fmt::format("cannot write standard output: {}", strerror(errno)), ""});
    return kExitFailure;
  }
  return 0;
}

}  // namespace tools
