// SPDX-License-Identifier: BSD-2-Clause
// Functions by address: which one an address lies in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace symbols {

struct Symbol {
  uint64_t address = 0;
  // Bytes; 0: unknown, up to the next symbol.
  uint64_t size = 0;
  std::string name;  // as in the file, not demangled
};

// Which of several symbols at one address gives the name: the higher one.
enum class SymbolRank : uint8_t { kLocal, kWeak, kGlobal };

class SymbolTable {
 public:
  void Add(uint64_t address, uint64_t size, std::string_view name, SymbolRank rank);
  // To be called once, after the last Add() and before the first Find().
  void Finish();

  // The function that `address` lies in; null between functions. Valid as long as the table.
  const Symbol* Find(uint64_t address) const;
  // The first function of that name; null if there is none.
  const Symbol* FindByName(std::string_view name) const;

  size_t size() const { return symbols_.size(); }
  bool empty() const { return symbols_.empty(); }

 private:
  struct Entry {
    Symbol symbol;
    SymbolRank rank;
  };
  std::vector<Entry> symbols_;  // by address once finished
};

}  // namespace symbols
