// SPDX-License-Identifier: BSD-2-Clause
// The packets of a Perfetto trace, as a stream of bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "export/perfetto/proto_writer.h"
#include "export/perfetto/trace_packet.h"
#include "fxt/byte_sink.h"
#include "fxt/text_map.h"

namespace exporting::perfetto {

// Packet sequences. Numbers of interned data are valid within one sequence.
enum class Sequence : uint32_t {
  kEvents = 1,  // tracks, track events, processes, logs
  kSched = 2,
  kStackOff = 3,
  kStackWake = 4,
  kStackOn = 5,
};
inline constexpr size_t kSequences = 6;

// Writes packets to a sink, in pieces of about one MiB. The sink must outlive it.
class PacketStream {
 public:
  explicit PacketStream(fxt::ByteSink& sink) : sink_(sink) {}

  // Writes one packet. `time`: ns of CLOCK_BOOTTIME; none for packets that stand for no moment.
  // `fill` gets the ProtoWriter and appends the packet's other fields.
  template <typename Fill>
  void Write(Sequence sequence, std::optional<uint64_t> time, Fill&& fill) {
    {
      ProtoWriter::Nested packet(writer_, trace::kPacket);
      if (time) writer_.Varint(packet::kTimestamp, *time);
      writer_.Varint(packet::kSequenceId, static_cast<uint32_t>(sequence));
      bool& begun = begun_[static_cast<size_t>(sequence)];
      writer_.Varint(packet::kSequenceFlags,
                     begun ? packet::kNeedsState : packet::kStateCleared | packet::kNeedsState);
      begun = true;
      fill(writer_);
    }
    ++packets_;
    if (writer_.size() >= kPieceBytes) Flush();
  }
  // The next packet of the sequence clears its interned data.
  void ClearState(Sequence sequence) { begun_[static_cast<size_t>(sequence)] = false; }
  // Whether the next packet of the sequence is the first one since its interned data was cleared.
  bool IsCleared(Sequence sequence) const { return !begun_[static_cast<size_t>(sequence)]; }

  // Hands on what is left. False after the sink has failed.
  bool Flush() {
    if (writer_.size() > 0 && !failed_) failed_ = !sink_.Write(writer_.bytes());
    bytes_ += writer_.size();
    writer_.Clear();
    return !failed_;
  }
  bool failed() const { return failed_; }
  uint64_t packets() const { return packets_; }
  uint64_t bytes() const { return bytes_ + writer_.size(); }

 private:
  static constexpr size_t kPieceBytes = size_t{1} << 20;

  fxt::ByteSink& sink_;
  ProtoWriter writer_;
  std::array<bool, kSequences> begun_{};
  uint64_t packets_ = 0;
  uint64_t bytes_ = 0;
  bool failed_ = false;
};

// Numbers texts of one field of InternedData from 1 on.
class InternedTexts {
 public:
  enum class Content : uint8_t { kText, kBinary };

  explicit InternedTexts(FieldNumber field, Content content = Content::kText)
      : field_(field), content_(content) {}

  // The number of `text`. A text without one gets the next number, and an entry is appended to
  // `entries`, the content of an InternedData message of the packet that uses it first.
  uint64_t Number(std::string_view text, ProtoWriter& entries) {
    const auto found = numbers_.find(text);
    if (found != numbers_.end()) return found->second;
    const uint64_t number = numbers_.size() + 1;
    numbers_.emplace(text, number);
    bytes_ += text.size() + kEntryBytes;
    ProtoWriter::Nested entry(entries, field_);
    entries.Varint(interned::kIid, number);
    if (content_ == Content::kBinary) {
      entries.Bytes(interned::kText, std::as_bytes(std::span(text)));
    } else {
      entries.String(interned::kText, text);
    }
    return number;
  }
  // Bytes of memory, about.
  size_t bytes() const { return bytes_; }
  void Clear() {
    numbers_.clear();
    bytes_ = 0;
  }

 private:
  static constexpr size_t kEntryBytes = 64;

  FieldNumber field_;
  Content content_;
  size_t bytes_ = 0;
  fxt::TextMap<uint64_t> numbers_;
};

}  // namespace exporting::perfetto
