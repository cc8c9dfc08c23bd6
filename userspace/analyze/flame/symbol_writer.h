// SPDX-License-Identifier: BSD-2-Clause
// A recording with the names of its stacks' functions in it, for other machines.
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

// Copies records as they are. Before a stack's instant come those functions of it that were not
// told of yet (schema::symbol), and the instant gets its first frames by name.
class SymbolWriter {
 public:
  // Frames of each half that stand by name at an instant.
  static constexpr size_t kShownFrames = 8;
  // Once as many symbols are in memory, no more are looked up.
  static constexpr size_t kMaxSymbols = size_t{4} << 20;

  // `sink` outlives it.
  SymbolWriter(fxt::ByteSink& sink, const LbrSymbolOptions& symbols)
      : buffer_(sink), encoder_(buffer_), stacks_(symbols) {}

  // Every record, in the order of the file.
  void Add(const fxt::Reader& reader);
  // From here on stacks are left as they are.
  void StopNaming() { naming_ = false; }
  // False when the sink failed.
  bool Finish() { return buffer_.Flush(); }

  bool failed() const { return buffer_.failed(); }
  uint64_t functions() const { return functions_; }
  uint64_t named() const { return named_; }        // instants of stacks
  uint64_t left_out() const { return left_out_; }  // of them, those after the end of naming

 private:
  void Copy(const fxt::Reader& reader);
  void TellFunctions(const fxt::Event& event, uint64_t stack);
  void Tell(const fxt::Event& event, uint32_t pid, const FrameFunction& function);
  // The first frames of one half, innermost first.
  std::string FirstFrames(const StackFrames& frames, bool of_kernel) const;

  fxt::RecordBuffer buffer_;
  fxt::Encoder encoder_;
  NamedStacks stacks_;
  bool naming_ = true;
  std::optional<fxt::ThreadRef> recorder_;                           // its track
  std::set<std::tuple<fxt::Koid, uint64_t, uint64_t>> stack_cache_;  // process, mappings, number
  // Module and start; of what is in no file, the process and the address.
  std::set<std::tuple<uint32_t, uint32_t, uint64_t>> told_;
  uint64_t functions_ = 0;
  uint64_t named_ = 0;
  uint64_t left_out_ = 0;
};

}  // namespace analyze
