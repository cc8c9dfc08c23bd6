// SPDX-License-Identifier: BSD-2-Clause
// Writes chosen records of one trace into another, with the definitions they need and no others.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "facts/object_names.h"
#include "fxt/byte_sink.h"
#include "fxt/encoder.h"
#include "fxt/reader.h"
#include "fxt/record_buffer.h"

namespace analyze {

// Provider info, sections, initialization, table entries and kernel objects are written when the
// first record needs them; objects again when they have changed since. Records keep their bytes;
// only one whose reference is undefined gets it inline, with a name that says so. Where
// fxt-record's promise that an index is defined once was broken, references to what it stands for
// now are inline.
class TraceCopier {
 public:
  // Begins with the magic number. `sink` must outlive the copier.
  explicit TraceCopier(fxt::ByteSink& sink);

  // Takes note of kernel objects. For every record of the trace, wanted or not.
  void Note(const fxt::Reader& reader);

  // Writes the record that `reader` stands at. Definitions are not to be copied: they follow.
  void Copy(const fxt::Reader& reader);

  // The same in two steps: what is prepared may be written later on, or not at all.
  struct Prepared {
    uint32_t provider = 0;
    std::vector<uint64_t> words;
  };
  Prepared Prepare(const fxt::Reader& reader);
  void Put(const Prepared& prepared);
  // The record as Prepare() will write it, with references that are in the tables or inline; valid
  // until the next call of either.
  const fxt::Record& Mend(const fxt::Reader& reader);

  // Writes a kernel object in place of what the trace has for its koid and type, if anything.
  void Name(const fxt::KernelObject& object);
  // Writes the kernel objects of that koid if they are not written yet.
  void Require(fxt::Koid koid) { NeedObjects(koid); }
  // Whether the trace has a kernel object for it, or was given one.
  bool HasObject(fxt::Koid koid, fxt::KernelObjectType type) const {
    return objects_.contains({koid, static_cast<uint8_t>(type)});
  }
  // Writes `record` in its place, with the references of the one that `reader` stands at (or
  // inline ones).
  void Write(const fxt::Reader& reader, const fxt::Record& record);

  // At the end: writes kernel objects anew that changed after their last use, and flushes. False
  // when the sink failed.
  bool Finish();

  uint64_t records() const { return records_; }  // copied, definitions not counted
  uint64_t bytes() const { return buffer_.bytes_committed(); }
  // References that were undefined, and are named as lost.
  uint64_t lost_references() const { return lost_references_; }
  bool failed() const { return buffer_.failed(); }

 private:
  struct Provider {
    uint32_t ordinal = 0;
    bool announced = false;
    std::string name;
    uint64_t ticks_per_second = 0;
    std::unordered_map<uint16_t, std::string> strings;
    std::map<uint8_t, std::pair<fxt::Koid, fxt::Koid>> threads;
  };
  struct Object {
    std::vector<uint64_t> words;  // with inline strings, so that it needs no tables
    std::optional<fxt::Koid> process;
    bool written = false;
    bool changed = false;  // since it was written
  };

  Provider& Enter(const fxt::ReaderProvider& provider);
  void Define(Provider& out, const fxt::Record& record);
  void NeedString(Provider& out, const fxt::StringRef& string);
  void NeedThread(Provider& out, const fxt::ThreadRef& thread);
  void MendString(const Provider& out, const fxt::ReaderProvider& in, fxt::StringRef& string);
  void MendThread(const Provider& out, const fxt::ReaderProvider& in, fxt::ThreadRef& thread);
  // Kernel objects of that koid: a Linux process and its first thread have the same.
  void NeedObjects(fxt::Koid koid);
  void NeedObject(Object& object);
  void NameLostThread(fxt::Koid process, fxt::Koid thread);
  void Write(const fxt::Record& record);

  fxt::RecordBuffer buffer_;
  fxt::Encoder encoder_;
  std::unordered_map<uint32_t, Provider> providers_;
  std::optional<uint32_t> current_;
  fxt::TableBudget object_budget_;
  std::map<std::pair<fxt::Koid, uint8_t>, Object> objects_;  // by koid and type
  uint64_t records_ = 0;
  uint64_t lost_references_ = 0;

  // The last record that was mended.
  fxt::Record record_;
  bool changed_ = false;    // it has other references than it had
  uint64_t lost_here_ = 0;  // of them, undefined ones
  std::deque<std::string> texts_;
  std::array<fxt::Argument, fxt::kMaxArguments> arguments_;
};

}  // namespace analyze
