// SPDX-License-Identifier: BSD-2-Clause
// Synthetic perf records and files, for cases without a genuine recording. Bytes are laid out by
// hand after the kernel's header, not by the code under test.
#pragma once

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "perf/record/branch_entry.h"
#include "perf/record/perf_abi.h"
#include "util/byte_cursor.h"

namespace perf::testing {

// Bytes, appended value by value.
class ByteBuilder {
 public:
  ByteBuilder& U8(uint8_t value) { return Value(value); }
  ByteBuilder& U16(uint16_t value) { return Value(value); }
  ByteBuilder& U32(uint32_t value) { return Value(value); }
  ByteBuilder& U64(uint64_t value) { return Value(value); }
  ByteBuilder& U64s(std::initializer_list<uint64_t> values) {
    for (const uint64_t value : values) Value(value);
    return *this;
  }
  ByteBuilder& Entry(uint64_t from, uint64_t to, uint64_t flags) { return U64s({from, to, flags}); }
  ByteBuilder& Text(std::string_view text) { return Raw(text.data(), text.size()); }
  // With a terminating zero, padded to eight bytes.
  ByteBuilder& PaddedText(std::string_view text) {
    Text(text);
    const size_t padding = 8 - text.size() % 8;
    bytes_.insert(bytes_.end(), padding, std::byte{0});
    return *this;
  }
  ByteBuilder& Append(util::Bytes bytes) { return Raw(bytes.data(), bytes.size()); }
  template <typename T>
  ByteBuilder& Value(const T& value) {
    return Raw(&value, sizeof(value));
  }

  const std::vector<std::byte>& bytes() const { return bytes_; }
  size_t size() const { return bytes_.size(); }
  operator util::Bytes() const { return bytes_; }

 private:
  ByteBuilder& Raw(const void* data, size_t size) {
    const auto* begin = static_cast<const std::byte*>(data);
    bytes_.insert(bytes_.end(), begin, begin + size);
    return *this;
  }
  std::vector<std::byte> bytes_;
};

// struct perf_branch_entry's flags, bit by bit.
struct BranchFlags {
  bool mispredicted = false;
  bool predicted = false;
  bool in_transaction = false;
  bool aborted = false;
  uint16_t cycles = 0;
  uint8_t type = 0;
  uint8_t speculation = 0;
  uint8_t new_type = 0;
  uint8_t privilege = 0;
};
inline uint64_t MakeFlags(const BranchFlags& f) {
  return uint64_t{f.mispredicted} | uint64_t{f.predicted} << 1 | uint64_t{f.in_transaction} << 2 |
         uint64_t{f.aborted} << 3 | uint64_t{f.cycles} << 4 | uint64_t{f.type} << 20 |
         uint64_t{f.speculation} << 24 | uint64_t{f.new_type} << 26 | uint64_t{f.privilege} << 30;
}

inline std::vector<std::byte> MakeRecord(uint32_t type, uint16_t misc, util::Bytes body) {
  ByteBuilder record;
  record.U32(type).U16(misc).U16(static_cast<uint16_t>(8 + body.size())).Append(body);
  return record.bytes();
}

inline perf_event_attr MakeAttr(uint64_t sample_type, uint64_t branch_sample_type = 0) {
  perf_event_attr attr;
  std::memset(&attr, 0, sizeof(attr));
  attr.type = PERF_TYPE_HARDWARE;
  attr.size = sizeof(attr);
  attr.config = PERF_COUNT_HW_CPU_CYCLES;
  attr.sample_type = sample_type;
  attr.branch_sample_type = branch_sample_type;
  attr.sample_id_all = 1;
  return attr;
}

// A perf.data file in file form (or pipe form): attrs with ids, then records.
class FileBuilder {
 public:
  FileBuilder& Event(const perf_event_attr& attr, std::vector<uint64_t> ids = {}) {
    events_.push_back({attr, std::move(ids)});
    return *this;
  }
  FileBuilder& Record(uint32_t type, uint16_t misc, util::Bytes body) {
    return RawRecord(MakeRecord(type, misc, body));
  }
  FileBuilder& RawRecord(util::Bytes record) {
    records_.Append(record);
    return *this;
  }
  FileBuilder& Feature(uint64_t bit, util::Bytes section) {
    features_.push_back({bit, {section.begin(), section.end()}});
    return *this;
  }
  // The data size in the file of a killed recorder.
  FileBuilder& WithoutDataSize() {
    data_size_known_ = false;
    return *this;
  }

  std::vector<std::byte> BuildPipe() const {
    ByteBuilder file;
    file.Text("PERFILE2").U64(16);
    for (const auto& event : events_) {
      ByteBuilder body;
      body.Value(event.attr);
      for (const uint64_t id : event.ids) body.U64(id);
      file.Append(MakeRecord(64, 0, body));
    }
    return file.Append(records_).bytes();
  }

  // Features must be added in the order of their bits.
  std::vector<std::byte> BuildFile() const {
    constexpr uint64_t kHead = 104;
    const uint64_t attr_entry = sizeof(perf_event_attr) + 16;
    ByteBuilder ids;
    ByteBuilder attrs;
    uint64_t id_bytes = 0;
    for (const auto& event : events_) id_bytes += 8 * event.ids.size();
    for (const auto& event : events_) {
      attrs.Value(event.attr).U64(kHead + ids.size()).U64(8 * event.ids.size());
      for (const uint64_t id : event.ids) ids.U64(id);
    }
    const uint64_t attrs_offset = kHead + id_bytes;
    const uint64_t data_offset = attrs_offset + attrs.size();
    uint64_t bits[4] = {};
    for (const auto& feature : features_) bits[feature.bit / 64] |= uint64_t{1} << feature.bit % 64;
    ByteBuilder file;
    file.Text("PERFILE2").U64(kHead).U64(attr_entry);
    file.U64s({attrs_offset, attrs.size(), data_offset, data_size_known_ ? records_.size() : 0});
    file.U64s({0, 0, bits[0], bits[1], bits[2], bits[3]});
    file.Append(ids).Append(attrs).Append(records_);
    uint64_t place = data_offset + records_.size() + 16 * features_.size();
    for (const auto& feature : features_) {
      file.U64(place).U64(feature.section.size());
      place += feature.section.size();
    }
    for (const auto& feature : features_) file.Append(feature.section);
    return file.bytes();
  }

 private:
  struct EventEntry {
    perf_event_attr attr;
    std::vector<uint64_t> ids;
  };
  struct FeatureEntry {
    uint64_t bit;
    std::vector<std::byte> section;
  };
  std::vector<EventEntry> events_;
  ByteBuilder records_;
  std::vector<FeatureEntry> features_;
  bool data_size_known_ = true;
};

}  // namespace perf::testing
