// SPDX-License-Identifier: BSD-2-Clause
// Names of the frames of flame graphs.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyze/lbr/lbr_places.h"
#include "fxt/id_map.h"
#include "symbols/symbol_table.h"

namespace analyze {

// A frame of a folded stack: without ';', which separates frames, and on one line.
std::string FoldedPart(std::string_view text);

// The function of a frame. Its name is valid as long as the FrameNames.
struct FrameFunction {
  std::string_view name;  // demangled
  // For LbrPlaces::module_name(); UINT32_MAX: in no file, and `start` is an address.
  uint32_t module = UINT32_MAX;
  uint64_t start = 0;  // as Place::offset
  uint64_t size = 0;   // bytes; 0: not known
};

// Finds the names of frames in symbols of files, lists of JIT compilers, and the trace.
class FrameNames {
 public:
  explicit FrameNames(const LbrSymbolOptions& options) : options_(options), places_(options) {}

  LbrPlaces& places() { return places_; }
  const LbrPlaces& places() const { return places_; }

  // The name for an address in process `pid`. `is_return`: it is a return address, which points
  // behind the call, and perhaps behind the function. Functions of the kernel end with "_[k]".
  // Without a symbol it is the file, "[libc.so.6]", or "[unknown]".
  std::string NameOf(uint32_t pid, uint64_t address, bool is_return);
  // The same with lines, as "function (file.c:12)", and before it the functions that are inlined
  // there, innermost first. One name without lines.
  std::vector<std::string> NamesOf(uint32_t pid, uint64_t address, bool is_return);
  // Whether the address is in the C library or the dynamic linker.
  bool IsInCLibrary(uint32_t pid, uint64_t address, bool is_return);
  // The function of the address; nothing without a symbol.
  std::optional<FrameFunction> FunctionOf(uint32_t pid, uint64_t address, bool is_return);
  // The user of process `pid`, who may own its perf map.
  void OnProcess(uint32_t pid, uint32_t user) {
    if (users_.size() < kMaxProcesses || users_.contains(pid)) users_[pid] = user;
  }
  // The trace has an interpreted function, see schema/script_frame.h.
  void OnScript(uint64_t id, std::string_view name, std::string_view file, uint64_t first_line);
  // The trace has a function that process `pid` compiled.
  void OnCompiled(uint32_t pid, uint64_t start, uint64_t size, std::string_view name);

 private:
  // A function that process `pid` compiled, from its perf map or from the trace; null without one.
  const symbols::Symbol* FindCompiled(uint32_t pid, uint64_t address);

  struct Script {
    std::string name;
    std::string file;
    uint64_t first_line = 0;
  };

  static constexpr size_t kMaxProcesses = size_t{1} << 20;

  LbrSymbolOptions options_;
  LbrPlaces places_;
  std::map<uint32_t, uint32_t> users_;                                // by pid
  std::map<uint32_t, std::optional<symbols::SymbolTable>> compiled_;  // by pid
  size_t compiled_count_ = 0;                                         // functions in compiled_
  std::map<uint32_t, symbols::SymbolMap> from_trace_;                 // by pid
  size_t from_trace_count_ = 0;
  fxt::IdMap<Script> scripts_;  // by id
};

}  // namespace analyze
