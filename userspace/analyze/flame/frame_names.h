// SPDX-License-Identifier: BSD-2-Clause
// Names of frames, as they stand in flame graphs.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyze/lbr/lbr_places.h"
#include "symbols/symbol_table.h"

namespace analyze {

// One part of a folded stack: without the ';' that parts them, and on one line.
std::string FoldedPart(std::string_view text);

// The function that a frame is in. Its name is valid as long as what it comes from.
struct FrameFunction {
  std::string_view name;  // demangled
  // For LbrPlaces::module_name(); UINT32_MAX: in no file, and `start` is an address.
  uint32_t module = UINT32_MAX;
  uint64_t start = 0;  // as Place::offset
  uint64_t size = 0;   // bytes; 0: not known
};

class FrameNames {
 public:
  explicit FrameNames(const LbrSymbolOptions& options) : options_(options), places_(options) {}

  LbrPlaces& places() { return places_; }
  const LbrPlaces& places() const { return places_; }

  // Of an address in process `pid`. `is_return`: a caller's, which points behind its call, and so
  // perhaps behind its function. Functions of the kernel end with "_[k]"; what has no name is the
  // file it is in, "[libc.so.6]", or "[unknown]".
  std::string NameOf(uint32_t pid, uint64_t address, bool is_return);
  // The function that it names, where it names one.
  std::optional<FrameFunction> FunctionOf(uint32_t pid, uint64_t address, bool is_return);
  // The user of process `pid`, who may own its list of compiled functions.
  void OnProcess(uint32_t pid, uint32_t user) {
    if (users_.size() < kMaxProcesses || users_.contains(pid)) users_[pid] = user;
  }
  // What process `pid` has compiled there, as the trace itself says.
  void OnCompiled(uint32_t pid, uint64_t start, uint64_t size, std::string_view name);

 private:
  // Of the list that process `pid` made of what it has compiled, or of what the trace says of it;
  // null when there is none.
  const symbols::Symbol* FindCompiled(uint32_t pid, uint64_t address);

  static constexpr size_t kMaxProcesses = size_t{1} << 20;

  LbrSymbolOptions options_;
  LbrPlaces places_;
  std::map<uint32_t, uint32_t> users_;                                // by pid
  std::map<uint32_t, std::optional<symbols::SymbolTable>> compiled_;  // by pid
  size_t compiled_count_ = 0;                                         // functions in compiled_
  std::map<uint32_t, symbols::SymbolMap> told_;                       // by pid
  size_t told_count_ = 0;
};

}  // namespace analyze
