// SPDX-License-Identifier: BSD-2-Clause
// Events of a trace as Perfetto's track events, and the tracks that they are on.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_set>
#include <vector>

#include "export/perfetto/packet_stream.h"
#include "export/perfetto/task_numbers.h"
#include "facts/task_names.h"
#include "fxt/id_map.h"
#include "fxt/reader.h"

namespace exporting::perfetto {

// Writes spans, instants, counters, async spans and flows. Spans and instants are on the track of
// their thread; threads that stand for an interrupt, a device or the recorder are tracks with a
// name. Async spans get tracks below their process; spans of one name share a track when one ends
// before the next begins. All of it must outlive this.
class EventPackets {
 public:
  EventPackets(PacketStream& stream, TaskNumbers& numbers, const facts::TaskNames& names)
      : stream_(stream),
        numbers_(numbers),
        names_(names),
        categories_(interned::kCategories),
        event_names_(interned::kEventNames),
        annotation_names_(interned::kAnnotationNames),
        annotation_texts_(interned::kAnnotationTexts) {}

  void Add(const fxt::Reader& reader, const fxt::Event& event);
  // A text that is shown behind the name of a process.
  void LabelProcess(fxt::Koid process, std::string_view label);

  // Spans that were left out because more of them were open than are kept in memory.
  uint64_t left_out() const { return left_out_; }

 private:
  // Largest number of bytes of open async spans and free tracks; and of interned texts, which are
  // cleared beyond it.
  static constexpr size_t kMaxSpanBytes = size_t{64} << 20;
  static constexpr size_t kMaxTextBytes = size_t{32} << 20;

  // Async spans with one id of one provider, by category and name as numbers of their own.
  using AsyncKey = std::tuple<uint32_t, uint64_t, uint64_t>;  // provider, id, hash of the category
  struct AsyncSpan {
    uint64_t track = 0;
    uint64_t group = 0;  // of the tracks that it goes back to
    uint32_t open = 0;   // begins without an end
  };

  // A text of the trace's string table that is as long is interned from its second use on: records
  // refer to 32 KiB by two bytes. Shorter ones are not: Perfetto before 2023 does not read interned
  // texts of arguments.
  static constexpr size_t kMinInternedText = 1024;
  static constexpr size_t kMaxSeenTexts = size_t{1} << 16;
  struct InternedArgument {
    uint64_t name = 0;
    uint64_t text = 0;  // 0: the value is written with the event
  };

  // Tracks whose descriptors are remembered.
  static constexpr size_t kMaxTracks = size_t{1} << 20;

  bool IsNewTrack(uint64_t uuid);
  uint64_t ThreadTrack(const fxt::ThreadRef& thread);
  uint64_t ProcessTrack(fxt::Koid process);
  uint64_t NewTrack(uint64_t parent, std::string_view name);
  void AddAsync(uint32_t provider, uint64_t time, const fxt::Event& event);
  void AddFlow(uint64_t time, const fxt::Event& event);
  void AddCounter(uint32_t provider, uint64_t time, const fxt::Event& event);
  void Descriptor(uint64_t uuid, auto&& fill);

  // One track event; `fill` appends what the type needs beside name, category and arguments.
  template <typename Fill>
  void Write(uint64_t time, uint32_t type, uint64_t track, const fxt::Event& event, bool named,
             Fill&& fill);
  InternedArgument Intern(const fxt::Argument& argument);
  void Annotate(ProtoWriter& out, const fxt::Argument& argument, const InternedArgument& interned);
  void LimitTexts();

  PacketStream& stream_;
  TaskNumbers& numbers_;
  const facts::TaskNames& names_;
  InternedTexts categories_;
  InternedTexts event_names_;
  InternedTexts annotation_names_;
  InternedTexts annotation_texts_;
  ProtoWriter entries_;  // of interned data, of the packet that is being written
  // Places of long ones in the reader's table: to hash them takes long. A place may get another
  // text.
  std::unordered_set<const void*> seen_texts_;
  std::vector<InternedArgument> arguments_;
  fxt::IdSet described_;  // tracks
  std::map<std::tuple<uint32_t, uint64_t, std::string>, uint64_t> counters_;
  std::map<AsyncKey, AsyncSpan> spans_;
  fxt::IdMap<std::vector<uint64_t>> free_tracks_;  // by group
  size_t span_bytes_ = 0;
  uint64_t last_track_ = 0;
  uint64_t left_out_ = 0;
};

}  // namespace exporting::perfetto
