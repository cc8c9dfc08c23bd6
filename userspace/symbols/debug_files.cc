// SPDX-License-Identifier: BSD-2-Clause
#include "symbols/debug_files.h"

#include <fmt/core.h>

namespace symbols {

std::vector<std::string> DebugFileCandidates(const std::string& path, const util::BuildId& build_id,
                                             const std::string& debug_link,
                                             const DebugFileOptions& options) {
  std::vector<std::string> candidates;
  const std::string hex = build_id.ToHex();
  for (const std::string& folder : options.debug_folders) {
    if (hex.size() > 2) {
      candidates.push_back(
          fmt::format("{}/.build-id/{}/{}.debug", folder, hex.substr(0, 2), hex.substr(2)));
    }
  }
  if (hex.size() > 2 && !options.perf_cache.empty()) {
    candidates.push_back(fmt::format("{}/.build-id/{}/{}/debug", options.perf_cache,
                                     hex.substr(0, 2), hex.substr(2)));
  }
  if (!debug_link.empty() && debug_link.find('/') == std::string::npos && !path.empty()) {
    const std::string folder = path.substr(0, path.rfind('/') + 1);
    candidates.push_back(fmt::format("{}{}{}", options.root, folder, debug_link));
    candidates.push_back(fmt::format("{}{}.debug/{}", options.root, folder, debug_link));
    for (const std::string& debug_folder : options.debug_folders) {
      candidates.push_back(fmt::format("{}{}{}", debug_folder, folder, debug_link));
    }
  }
  return candidates;
}

std::vector<std::string> ExecutableCandidates(const std::string& path,
                                              const util::BuildId& build_id,
                                              const DebugFileOptions& options) {
  std::vector<std::string> candidates;
  if (path.starts_with('/') && !path.starts_with("//anon")) {
    candidates.push_back(options.root + path);
  }
  const std::string hex = build_id.ToHex();
  if (hex.size() > 2 && !options.perf_cache.empty()) {
    candidates.push_back(
        fmt::format("{}/.build-id/{}/{}/elf", options.perf_cache, hex.substr(0, 2), hex.substr(2)));
  }
  return candidates;
}

}  // namespace symbols
