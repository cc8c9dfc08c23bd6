// SPDX-License-Identifier: BSD-2-Clause
// Puts frames of CPython into call stacks. BPF sends native frames and those of the interpreter one
// after the other, and each code object once (fxt_record/python.h). Here the frames of each run
// take the place of the native frame of the evaluation loop, as words that stand for a function and
// line (schema/script_frame.h).
//
// All that a code object contains is the process's, and may be anything: it becomes a name, a file
// and a line within limits, or a frame without a name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "fxt_record/event.h"
#include "fxt_record/long_event.h"
#include "model/script_functions.h"

namespace capture {

class PythonFrames {
 public:
  // Code objects, and bytes of their lines, before BPF is asked to send them again.
  static constexpr size_t kMaxCodes = 32'768;
  static constexpr size_t kMaxLineBytes = size_t{16} << 20;

  explicit PythonFrames(std::shared_ptr<model::ScriptFunctions> functions)
      : functions_(std::move(functions)) {}

  // Takes the events in the order of sending. Returns null for a code object, else the event, where
  // a stack has its frames in place. Valid until the next call.
  const fxr_side_header* Take(const fxr_side_header& event);
  // True if BPF must send code objects again. Those that it sent stay until the next time.
  bool BeginGeneration();

 private:
  struct Code {
    uint64_t function = 0;  // 0: without a name
    uint32_t minor = 0;
    uint32_t first_line = 0;
    uint32_t traceable = 0;
    std::vector<std::byte> lines;
  };
  using Codes = std::unordered_map<uint64_t, Code>;

  void AddCode(const fxr_long& event, const fxr_python_code_long& fields);
  const Code* Find(uint64_t id) const;
  // Adds the frame, unless its function has not begun.
  void AddFrame(uint64_t sent, std::vector<uint64_t>* frames) const;
  void Merge(const fxr_stack_long& stack, std::span<const uint64_t> sent,
             std::vector<uint64_t>* frames) const;

  std::shared_ptr<model::ScriptFunctions> functions_;
  Codes codes_;
  Codes older_;
  size_t line_bytes_ = 0;  // of codes_
  std::vector<uint64_t> frames_;
  std::vector<uint64_t> merged_;
};

}  // namespace capture
