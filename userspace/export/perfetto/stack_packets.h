// SPDX-License-Identifier: BSD-2-Clause
// Call stacks of a trace as Perfetto's stack samples.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "analyze/flame/named_stacks.h"
#include "export/perfetto/packet_stream.h"
#include "export/perfetto/task_numbers.h"
#include "fxt/reader.h"

namespace exporting::perfetto {

// The format of stacks.
enum class SampleFormat : uint8_t {
  kStackSample,  // StackSample: Perfetto 58 and later
  kPerfSample,   // PerfSample, as of linux.perf: any Perfetto; weights are not shown
};

// Collects stacks and mappings, and writes a sample for each stack instant: one sequence each for
// `off` (weight: ns off the CPU), `wake` (ns that the woken thread was away) and `on` (one each).
// Frames have the names that the trace itself has; others have module, build id and offset in the
// file. The packet stream and the numbers must outlive it.
class StackPackets {
 public:
  StackPackets(PacketStream& stream, TaskNumbers& numbers, SampleFormat format);

  // Every record, in the order of the file. True for an instant that became a sample, or that names
  // a function.
  bool Add(const fxt::Reader& reader);

  // Samples whose stack is not in the trace.
  uint64_t undefined() const { return undefined_; }

 private:
  // Largest number of numbered stacks of a sequence; beyond it the numbers start again.
  static constexpr size_t kMaxStacks = size_t{1} << 19;

  struct StackKey {
    fxt::Koid process;
    uint64_t mappings;  // how many mappings of the process there were
    uint64_t stack;
    auto operator<=>(const StackKey&) const = default;
  };
  // The interned data of one sequence.
  struct Interned {
    InternedTexts functions{interned::kFunctionNames};
    InternedTexts build_ids{interned::kBuildIds, InternedTexts::Content::kBinary};
    InternedTexts paths{interned::kMappingPaths};
    std::map<StackKey, uint64_t> stacks;
    std::map<std::pair<uint32_t, bool>, uint64_t> frames;  // by place, and whether it is a caller
    std::unordered_map<uint32_t, uint64_t> mappings;       // by module
  };

  void AddSample(const fxt::Reader& reader, const fxt::Event& event, uint64_t stack);
  std::optional<uint64_t> StackNumber(Interned& known, fxt::Koid process, uint64_t stack,
                                      ProtoWriter& entries);
  uint64_t FrameNumber(Interned& known, uint32_t pid, uint64_t address, bool is_return,
                       ProtoWriter& entries);
  uint64_t MappingNumber(Interned& known, uint32_t module, ProtoWriter& entries);

  PacketStream& stream_;
  TaskNumbers& numbers_;
  SampleFormat format_;
  analyze::NamedStacks stacks_;
  std::map<Sequence, Interned> interned_;
  uint64_t undefined_ = 0;
};

}  // namespace exporting::perfetto
