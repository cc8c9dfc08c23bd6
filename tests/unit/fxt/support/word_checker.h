// SPDX-License-Identifier: BSD-2-Clause
// Decodes the words of a file as the format document describes, without the library: sizes,
// providers, and the target of every string and thread reference.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace fxt::testing {

struct SeenThread {
  uint64_t process = 0;
  uint64_t thread = 0;
  friend bool operator==(const SeenThread&, const SeenThread&) = default;
};

struct SeenSwitch {
  uint64_t timestamp = 0;
  SeenThread outgoing;
  SeenThread incoming;
  friend bool operator==(const SeenSwitch&, const SeenSwitch&) = default;
};

struct SeenEvent {
  uint64_t timestamp = 0;
  SeenThread thread;
  std::string category;
  std::string name;
  friend bool operator==(const SeenEvent&, const SeenEvent&) = default;
};

// The content of a file of ProviderWriter. Reports errors in `problems`.
class WordChecker {
 public:
  explicit WordChecker(std::span<const uint64_t> words);

  std::vector<std::string> problems;
  std::vector<SeenSwitch> switches;
  std::vector<SeenEvent> events;  // without arguments
  std::vector<size_t> string_lengths;
  std::map<uint32_t, std::string> provider_names;
  std::set<uint32_t> providers_with_rate;
  uint64_t thread_records = 0;
  uint64_t string_records = 0;
  uint64_t sections = 0;

 private:
  struct Tables {
    std::map<unsigned, std::string> strings;
    std::map<unsigned, SeenThread> threads;
  };

  void Record(std::span<const uint64_t> words);
  void Metadata(std::span<const uint64_t> words);
  void Switch(std::span<const uint64_t> words);
  void Event(std::span<const uint64_t> words);
  SeenThread Thread(unsigned ref, std::span<const uint64_t>& rest);
  std::string String(unsigned ref, std::span<const uint64_t>& rest);
  static std::string Stream(std::span<const uint64_t> words, size_t bytes);

  uint32_t provider_ = 0;
  std::map<uint32_t, Tables> tables_;
};

}  // namespace fxt::testing
