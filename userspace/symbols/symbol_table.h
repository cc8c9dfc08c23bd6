// SPDX-License-Identifier: BSD-2-Clause
// A table of functions, looked up by address.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace symbols {

struct Symbol {
  uint64_t address = 0;
  // Bytes; 0: unknown, extends to the next symbol.
  uint64_t size = 0;
  std::string name;  // mangled
};

// The preference among symbols at one address; the highest names it.
enum class SymbolRank : uint8_t { kLocal, kWeak, kGlobal };

class SymbolTable {
 public:
  void Add(uint64_t address, uint64_t size, std::string_view name, SymbolRank rank);
  // Must be called once, after the last Add() and before the first Find().
  void Finish();

  // The function that contains `address`, or null. Valid as long as the table.
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

// A map of functions that grows while it is queried.
class SymbolMap {
 public:
  // A later function replaces one at the same address.
  void Add(uint64_t address, uint64_t size, std::string name);
  // The function that contains `address`, or null. A function without a size extends to the next
  // one. Valid until the next Add().
  const Symbol* Find(uint64_t address) const;
  size_t size() const { return symbols_.size(); }

 private:
  std::map<uint64_t, Symbol> symbols_;
};

}  // namespace symbols
