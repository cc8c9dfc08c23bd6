// SPDX-License-Identifier: BSD-2-Clause
// Writes the symbols of stacks into a recording, for use on other machines.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "analyze/flame/named_stacks.h"
#include "fxt/byte_sink.h"
#include "fxt/encoder.h"
#include "fxt/reader.h"
#include "fxt/record_buffer.h"

namespace analyze {

// Copies records unchanged. Before the instant of a stack it writes the functions of the stack that
// it has not written yet (schema::symbol), and adds the names of the first frames to the instant.
class SymbolWriter {
 public:
  // Frames of each half that an instant names.
  static constexpr size_t kShownFrames = 8;
  // The limit of symbols in memory. Beyond it none are looked up.
  static constexpr size_t kMaxSymbols = size_t{4} << 20;

  // `sink` must outlive it.
  SymbolWriter(fxt::ByteSink& sink, const LbrSymbolOptions& symbols)
      : buffer_(sink), encoder_(buffer_), stacks_(symbols) {}

  // Every record, in the order of the file.
  void Add(const fxt::Reader& reader);
  // Copies stacks unchanged from here on.
  void StopNaming() { naming_ = false; }
  // False if the sink failed.
  bool Finish() { return buffer_.Flush(); }

  bool failed() const { return buffer_.failed(); }
  uint64_t functions() const { return functions_; }
  uint64_t named() const { return named_; }        // instants of stacks
  uint64_t left_out() const { return left_out_; }  // of these, without names after StopNaming()

 private:
  void Copy(const fxt::Reader& reader);
  void WriteFunctions(const fxt::Event& event, uint64_t stack);
  void WriteFunction(const fxt::Event& event, uint32_t pid, const FrameFunction& function);
  // The first frames of one half, innermost first.
  std::string FirstFrames(const StackFrames& frames, bool of_kernel) const;

  fxt::RecordBuffer buffer_;
  fxt::Encoder encoder_;
  NamedStacks stacks_;
  bool naming_ = true;
  std::optional<fxt::ThreadRef> recorder_;                           // its track
  std::set<std::tuple<fxt::Koid, uint64_t, uint64_t>> stack_cache_;  // process, mappings, number
  // Functions written: module and start, or process and address for functions of no file.
  std::set<std::tuple<uint32_t, uint32_t, uint64_t>> written_;
  uint64_t functions_ = 0;
  uint64_t named_ = 0;
  uint64_t left_out_ = 0;
};

}  // namespace analyze
