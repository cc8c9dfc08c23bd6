// SPDX-License-Identifier: BSD-2-Clause
#include "tools/fxt/support/symbol_options.h"

#include <fmt/format.h>

#include <cstdlib>

namespace tools {

void SymbolOptions::AddTo(const Command& command) {
  command.Add("--root", root, "Folder with the files of the recorded machine").Type("DIR");
  command
      .Add("--debug-dir", debug_folders,
           "Folder with separate debug files, besides /usr/lib/debug. May be given again")
      .Type("DIR");
  command
      .Add("--perf-cache", perf_cache, "perf's cache of executables by build id (usually ~/.debug)")
      .Type("DIR");
  command
      .Add("--kallsyms", kallsyms,
           "Kernel symbols, a copy of the recorded machine's /proc/kallsyms. Default: "
           "this machine's, if it runs the recorded kernel")
      .Type("FILE");
}

analyze::LbrSymbolOptions SymbolOptions::Make(bool enabled) const {
  analyze::LbrSymbolOptions symbols;
  symbols.enabled = enabled;
  symbols.files.root = root;
  symbols.files.debug_folders.insert(symbols.files.debug_folders.begin(), debug_folders.begin(),
                                     debug_folders.end());
  symbols.files.perf_cache = perf_cache;
  if (const char* home = std::getenv("HOME"); perf_cache.empty() && home != nullptr) {
    symbols.files.perf_cache = fmt::format("{}/.debug", home);
  }
  symbols.kallsyms = kallsyms;
  return symbols;
}

}  // namespace tools
