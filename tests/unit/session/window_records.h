// SPDX-License-Identifier: BSD-2-Clause
// Reads the records of a window's file, for tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "fxt/byte_source.h"
#include "fxt/reader.h"

namespace session {

struct WindowRecords {
  struct Switch {
    uint64_t time = 0;
    uint32_t cpu = 0;
    fxt::Koid outgoing = 0, incoming = 0;
  };
  std::vector<Switch> switches;
  std::vector<std::pair<uint64_t, std::string>> instants;  // time, name
  std::map<fxt::Koid, std::vector<std::string>> names;     // of threads, in the order of the file

  std::vector<std::string> names_of(fxt::Koid koid) const {
    const auto found = names.find(koid);
    return found == names.end() ? std::vector<std::string>{} : found->second;
  }
  std::vector<uint64_t> instants_named(std::string_view name) const {
    std::vector<uint64_t> times;
    for (const auto& [time, each] : instants) {
      if (each == name) times.push_back(time);
    }
    return times;
  }

  static WindowRecords Read(std::span<const std::byte> bytes);
};

}  // namespace session
