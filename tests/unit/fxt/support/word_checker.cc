// SPDX-License-Identifier: BSD-2-Clause
#include "unit/fxt/support/word_checker.h"

#include <algorithm>

namespace fxt::testing {
namespace {

// Bits `low` to `high`, both included, as in the format document.
uint64_t Bits(uint64_t word, unsigned low, unsigned high) {
  return word << (63 - high) >> (63 - high + low);
}

}  // namespace

WordChecker::WordChecker(std::span<const uint64_t> words) {
  if (words.empty() || words[0] != 0x0016547846040010) problems.push_back("no magic record first");
  while (!words.empty()) {
    const size_t size = Bits(words[0], 4, 15);
    if (size == 0 || size > words.size()) {
      problems.push_back("bad size " + std::to_string(size));
      return;
    }
    Record(words.first(size));
    words = words.subspan(size);
  }
}

void WordChecker::Record(std::span<const uint64_t> words) {
  const uint64_t header = words[0];
  switch (Bits(header, 0, 3)) {
    case 0:
      return Metadata(words);
    case 1:
      if (words.size() != 2 || words[1] != 1'000'000'000) problems.push_back("bad initialization");
      providers_with_rate.insert(provider_);
      return;
    case 2: {
      ++string_records;
      const size_t length = Bits(header, 32, 46);
      string_lengths.push_back(length);
      const bool fresh =
          tables_[provider_]
              .strings.emplace(Bits(header, 16, 30), Stream(words.subspan(1), length))
              .second;
      if (!fresh) problems.push_back("string index defined twice");
      return;
    }
    case 3: {
      ++thread_records;
      const bool fresh = tables_[provider_]
                             .threads.emplace(Bits(header, 16, 23), SeenThread{words[1], words[2]})
                             .second;
      if (!fresh) problems.push_back("thread index defined twice");
      return;
    }
    case 4:
      return Event(words);
    case 8:
      if (Bits(header, 60, 63) == 0) Switch(words);
      return;
    default:
      return;
  }
}

void WordChecker::Metadata(std::span<const uint64_t> words) {
  const auto id = static_cast<uint32_t>(Bits(words[0], 20, 51));
  switch (Bits(words[0], 16, 19)) {
    case 1:
      provider_ = id;
      if (!provider_names.emplace(id, Stream(words.subspan(1), Bits(words[0], 52, 59))).second) {
        problems.push_back("provider introduced twice");
      }
      return;
    case 2:
      ++sections;
      if (!provider_names.contains(id)) problems.push_back("section of an unknown provider");
      provider_ = id;
      return;
    default:
      return;
  }
}

void WordChecker::Switch(std::span<const uint64_t> words) {
  auto rest = words.subspan(2);
  const SeenThread outgoing = Thread(Bits(words[0], 28, 35), rest);
  const SeenThread incoming = Thread(Bits(words[0], 36, 43), rest);
  if (!rest.empty()) problems.push_back("words left in a context switch");
  switches.push_back({words[1], outgoing, incoming});
}

void WordChecker::Event(std::span<const uint64_t> words) {
  auto rest = words.subspan(2);
  const SeenThread thread = Thread(Bits(words[0], 24, 31), rest);
  const std::string category = String(Bits(words[0], 32, 47), rest);
  const std::string name = String(Bits(words[0], 48, 63), rest);
  events.push_back({words[1], thread, category, name});
}

SeenThread WordChecker::Thread(unsigned ref, std::span<const uint64_t>& rest) {
  if (ref == 0) {
    if (rest.size() < 2) {
      problems.push_back("inline thread cut off");
      return {};
    }
    const SeenThread thread{rest[0], rest[1]};
    rest = rest.subspan(2);
    return thread;
  }
  const auto& threads = tables_[provider_].threads;
  const auto known = threads.find(ref);
  if (known != threads.end()) return known->second;
  problems.push_back("thread index not defined");
  return {};
}

std::string WordChecker::String(unsigned ref, std::span<const uint64_t>& rest) {
  if (ref == 0) return {};
  if (ref >= 0x8000) {
    const size_t bytes = ref - 0x8000;
    const size_t words = std::min((bytes + 7) / 8, rest.size());
    std::string text = Stream(rest, bytes);
    rest = rest.subspan(words);
    return text;
  }
  const auto& strings = tables_[provider_].strings;
  const auto known = strings.find(ref);
  if (known != strings.end()) return known->second;
  problems.push_back("string index not defined");
  return {};
}

std::string WordChecker::Stream(std::span<const uint64_t> words, size_t bytes) {
  const auto raw = std::as_bytes(words);
  const auto used = raw.first(std::min(bytes, raw.size()));
  return {reinterpret_cast<const char*>(used.data()), used.size()};
}

}  // namespace fxt::testing
