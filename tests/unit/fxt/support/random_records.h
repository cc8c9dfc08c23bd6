// SPDX-License-Identifier: BSD-2-Clause
// Random valid records of every type, with the tables of a reader.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "fxt/record.h"

namespace fxt::testing {

class RandomRecords {
 public:
  explicit RandomRecords(uint64_t seed) : random_(seed) {}

  // The next record of a file. Its views live as long as this. References are resolved as by a
  // reader: to the last definition in the provider at that place.
  Record Next();

 private:
  struct Tables {
    std::map<uint16_t, std::string> strings;
    std::map<uint8_t, std::pair<Koid, Koid>> threads;
  };

  uint64_t Below(uint64_t bound) { return random_() % bound; }
  bool Coin() { return (random_() & 1) != 0; }
  uint64_t Word();
  std::string_view Keep(std::string text);
  std::string Bytes(size_t max);
  std::span<const std::byte> KeptBytes(size_t max);
  StringRef String();
  ThreadRef Thread();
  std::span<const Argument> Arguments();
  ArgumentValue Value();
  Record Definition();

  std::mt19937_64 random_;
  std::deque<std::string> texts_;
  std::deque<std::vector<Argument>> arguments_;
  std::deque<std::vector<uint64_t>> words_;
  std::map<uint32_t, Tables> providers_;
  uint32_t provider_ = 0;
};

}  // namespace fxt::testing
