// SPDX-License-Identifier: BSD-2-Clause
#include "model/process_name.h"

namespace model {

std::string_view ChooseProcessName(std::string_view comm, std::string_view executable,
                                   std::string_view cmdline) {
  std::string_view word = cmdline.substr(0, cmdline.find(' '));
  word = word.substr(word.rfind('/') + 1);
  if (comm.empty()) return executable.empty() ? word : executable;
  if (comm.size() < kCommBytes) return comm;
  for (std::string_view name : {executable, word}) {
    if (name.size() > comm.size() && name.starts_with(comm)) return name;
  }
  return comm;
}

}  // namespace model
