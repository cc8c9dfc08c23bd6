// SPDX-License-Identifier: BSD-2-Clause
// Makes the rows of call stacks, their frames, and the functions that the recording names. Reads no
// other file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "fxt/id_map.h"
#include "fxt/reader.h"
#include "fxt/text_map.h"
#include "symbols/address_space.h"
#include "symbols/symbol_table.h"
#include "tables/rows/batches.h"
#include "tables/task_names.h"

namespace tables {

// The id of the stack that the event has (schema::category::kStack).
std::optional<uint64_t> StackOf(const fxt::Event& event);

class StackRows {
 public:
  // Both must outlive it.
  StackRows(TaskNames& names, Batches& batches);
  StackRows(const StackRows&) = delete;
  StackRows& operator=(const StackRows&) = delete;

  // Takes every record except switches and wakeups, in file order. The rows of a stack are made at
  // its first occurrence.
  void Add(const fxt::Reader& reader);
  // Stacks, mappings and functions that were dropped.
  uint64_t left_out() const { return left_out_; }

 private:
  // Limits: bytes of addresses, and numbers of the rest. A statement may have several scans.
  static constexpr size_t kMaxAddresses = size_t{1} << 21;
  static constexpr size_t kMaxStacks = size_t{1} << 18;
  static constexpr size_t kMaxMappings = size_t{1} << 18;
  static constexpr size_t kMaxFunctions = size_t{1} << 19;

  struct Module {
    const std::string* file = nullptr;  // null: no room
    std::string build_id;               // hexadecimal
    bool is_kernel_text = false;
    symbols::SymbolMap functions;  // by offset
  };
  struct Process {
    symbols::AddressSpace space;
    std::unordered_map<uint16_t, uint32_t> modules;  // by the number in the trace
    symbols::SymbolMap compiled;                     // by address
  };
  struct Frame {
    uint64_t address = 0;
    bool is_kernel = false;
    const Module* module = nullptr;
    uint64_t offset = 0;  // in the module
    const symbols::Symbol* function = nullptr;
    uint64_t symbol = 0;  // of the function
    uint64_t line = 0;    // of an interpreted function; 0: not known
  };
  struct Script {
    const Module* module = nullptr;
    symbols::Symbol symbol;
    uint64_t first_line = 0;
  };

  uint32_t ModuleOf(std::string_view file, std::string build_id);
  void AddMapping(const fxt::ProfilerMmap& mapping);
  void AddFunction(const fxt::Event& event);
  void AddScript(const fxt::Event& event, uint64_t id, std::string_view name);
  void AddStack(uint64_t id, const fxt::Event& event);
  // `is_return`: the address follows a call, and may be behind the end of the function.
  Frame FrameAt(fxt::Koid process, uint64_t address, bool is_return);
  // The number of the frame's function; makes the row of a new one.
  uint64_t SymbolOf(fxt::Koid process, const Frame& frame);

  TaskNames& names_;
  TextBudget& texts_;
  RowBatch* stacks_;
  RowBatch* frames_;
  RowBatch* symbols_;
  fxt::IdMap<std::vector<uint64_t>> addresses_;  // by id
  size_t address_count_ = 0;
  fxt::IdSet emitted_;
  std::vector<Module> modules_;
  std::map<std::pair<std::string, std::string>, uint32_t> module_numbers_;
  fxt::IdMap<Process> processes_;
  size_t mappings_ = 0;
  std::deque<Module> script_files_;
  fxt::TextMap<const Module*> script_file_of_;
  fxt::IdMap<Script> scripts_;           // interpreted functions (schema/script_frame.h)
  symbols::SymbolMap kernel_functions_;  // outside of the kernel's text, by address
  size_t functions_ = 0;
  // By module, process and address.
  std::map<std::tuple<const Module*, fxt::Koid, uint64_t>, uint64_t> symbol_numbers_;
  uint64_t left_out_ = 0;
};

}  // namespace tables
