// SPDX-License-Identifier: BSD-2-Clause
// Copies selected records of a trace with only the definitions they need.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "facts/task_names.h"
#include "fxt/byte_sink.h"
#include "fxt/encoder.h"
#include "fxt/reader.h"
#include "fxt/record_buffer.h"

namespace analyze {

// Writes provider info, sections, initialization, table entries and kernel objects before the first
// record that needs them, and objects again after a change. Records keep their bytes, except that
// undefined references become inline, with a name that says so. If an index of fxt-record's trace
// is defined twice, references to its second meaning become inline.
class TraceCopier {
 public:
  // Writes the magic number. `sink` must outlive the copier.
  explicit TraceCopier(fxt::ByteSink& sink);

  // Reports a record, copied or not, for its kernel objects.
  void Note(const fxt::Reader& reader);

  // Copies the reader's current record. Definitions need no call.
  void Copy(const fxt::Reader& reader);

  // The same in two steps: a prepared record can be written later, or not at all.
  struct Prepared {
    uint32_t provider = 0;
    std::vector<uint64_t> words;
  };
  Prepared Prepare(const fxt::Reader& reader);
  void Put(const Prepared& prepared);
  // The record as Prepare() writes it, with references that are in the tables or inline; valid
  // until the next call of either.
  const fxt::Record& Mend(const fxt::Reader& reader);

  // Replaces the trace's kernel object of that koid and type, if any.
  void Name(const fxt::KernelObject& object);
  // Writes the kernel objects of that koid unless they are written.
  void Require(fxt::Koid koid) { NeedObjects(koid); }
  // True if the trace has, or was given, a kernel object for it.
  bool HasObject(fxt::Koid koid, fxt::KernelObjectType type) const {
    return objects_.contains({koid, static_cast<uint8_t>(type)});
  }
  // Writes `record` instead of the reader's current record, with references of that record or
  // inline ones.
  void Write(const fxt::Reader& reader, const fxt::Record& record);

  // Call at the end: writes kernel objects that changed after their last use, and flushes. False if
  // the sink failed.
  bool Finish();

  uint64_t records() const { return records_; }  // copied, definitions not counted
  uint64_t bytes() const { return buffer_.bytes_committed(); }
  // Undefined references, which became names that say so.
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
  // Kernel objects of that koid: a Linux process and its first thread have the same one.
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

  // The last record of Mend().
  fxt::Record record_;
  bool changed_ = false;    // its references differ from the original's
  uint64_t lost_here_ = 0;  // undefined references in it
  std::deque<std::string> texts_;
  std::array<fxt::Argument, fxt::kMaxArguments> arguments_;
};

}  // namespace analyze
