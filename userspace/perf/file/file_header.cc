// SPDX-License-Identifier: BSD-2-Clause
#include "perf/file/file_header.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>
#include <vector>

namespace perf {

namespace {

struct Section {
  uint64_t offset = 0;
  uint64_t size = 0;
};

constexpr uint64_t kMagic = 0x32454c4946524550;             // "PERFILE2"
constexpr uint64_t kMagicSwapped = 0x50455246494c4532;      // of the other byte order
constexpr uint64_t kMagicFirstFormat = 0x454c494646524550;  // "PERFFILE"
constexpr uint64_t kMagicFirstFormatSwapped = 0x5045524646494c45;

struct Start {
  uint64_t magic;
  uint64_t size;  // of the header
};
// The rest of the header in file mode. perf before Linux 2.6.36 wrote no feature bits.
struct FileForm {
  uint64_t attr_size;  // of one entry of the attr section: an attr and the section of its ids
  Section attrs;
  Section data;
  Section event_types;
  uint64_t features[4];
};
constexpr size_t kHeadWithFeatures = sizeof(Start) + sizeof(FileForm);
static_assert(kHeadWithFeatures == 104);
constexpr size_t kHeadWithoutFeatures = kHeadWithFeatures - sizeof(FileForm::features);

util::Error Damaged(std::string what) {
  return {fmt::format("damaged perf.data file: {}", what), ""};
}

template <typename T>
util::Result<bool> ReadInto(SeekableSource* source, T* value) {
  util::Result<size_t> got = source->Read(std::as_writable_bytes(std::span<T>(value, 1)));
  if (!got) return got.TakeError();
  return *got == sizeof(T);
}

util::Status CheckMagic(uint64_t magic) {
  switch (magic) {
    case kMagic:
      return util::Ok();
    case kMagicSwapped:
    case kMagicFirstFormatSwapped:
      return util::Error{"the perf.data file was written on a machine of the other byte order",
                         "import it on a machine of the same byte order"};
    case kMagicFirstFormat:
      return util::Error{"the perf.data file has the format of perf before Linux 2.6.36",
                         "record it again with a newer perf"};
    default:
      return util::Error{"not a perf.data file (its first bytes are not PERFILE2)", ""};
  }
}

// Reads a section; fewer bytes if the file ends inside it.
util::Result<std::vector<std::byte>> ReadSection(SeekableSource* source, const Section& section,
                                                 uint64_t file_size) {
  std::vector<std::byte> bytes;
  if (section.offset >= file_size) return bytes;
  bytes.resize(std::min(section.size, file_size - section.offset));
  util::Status sought = source->Seek(section.offset);
  if (!sought) return sought.TakeError();
  util::Result<size_t> got = source->Read(bytes);
  if (!got) return got.TakeError();
  bytes.resize(*got);
  return bytes;
}

util::Status ReadAttrs(SeekableSource* source, const FileForm& form, uint64_t file_size,
                       FileInfo* info) {
  constexpr uint64_t kMaxAttrBytes = 4096;
  if (form.attr_size < kAttrSizeSmallest + sizeof(Section) || form.attr_size > kMaxAttrBytes) {
    return Damaged(fmt::format("its event descriptions have {} bytes each", form.attr_size));
  }
  if (form.attrs.offset > file_size || form.attrs.size > file_size - form.attrs.offset) {
    return Damaged("its event descriptions lie beyond its end");
  }
  for (uint64_t i = 0; i < form.attrs.size / form.attr_size; ++i) {
    util::Result<std::vector<std::byte>> entry =
        ReadSection(source, {form.attrs.offset + i * form.attr_size, form.attr_size}, file_size);
    if (!entry) return entry.TakeError();
    if (entry->size() < form.attr_size) return Damaged("its event descriptions are truncated");
    const util::Bytes bytes(*entry);
    const std::optional<perf_event_attr> attr =
        ReadAttr(bytes.first(bytes.size() - sizeof(Section)));
    Section id_section;
    std::memcpy(&id_section, bytes.last(sizeof(Section)).data(), sizeof(Section));
    if (id_section.size > std::min<uint64_t>(file_size, kMaxEventIds * 8)) {
      return Damaged(fmt::format("an event has {} bytes of ids", id_section.size));
    }
    util::Result<std::vector<std::byte>> id_bytes = ReadSection(source, id_section, file_size);
    if (!id_bytes) return id_bytes.TakeError();
    const util::PackedView<uint64_t> ids{util::Bytes(*id_bytes)};
    util::Status added = info->AddEvent(*attr, ids);
    if (!added) return added;
  }
  if (info->events.empty()) return Damaged("it describes no event");
  return util::Ok();
}

// The table of feature sections follows the records, one entry per set bit.
util::Status ReadFeatures(SeekableSource* source, const FileForm& form, uint64_t file_size,
                          FileInfo* info) {
  uint64_t entry_offset = form.data.offset + form.data.size;
  for (uint64_t feature = 0; feature < 64 * std::size(form.features); ++feature) {
    if (!(form.features[feature / 64] >> feature % 64 & 1)) continue;
    util::Result<std::vector<std::byte>> entry =
        ReadSection(source, {entry_offset, sizeof(Section)}, file_size);
    if (!entry) return entry.TakeError();
    if (entry->size() < sizeof(Section)) return util::Ok();
    entry_offset += sizeof(Section);
    Section section;
    std::memcpy(&section, entry->data(), sizeof(section));
    section.size = std::min<uint64_t>(section.size, kMaxFeatureBytes);
    util::Result<std::vector<std::byte>> bytes = ReadSection(source, section, file_size);
    if (!bytes) return bytes.TakeError();
    ReadFeature(feature, *bytes, info);
  }
  return util::Ok();
}

util::Result<FileHeader> ReadFileForm(SeekableSource* source, uint64_t head_size) {
  if (!source->size()) {
    return util::Error{"a perf.data file in file form cannot be read from a pipe",
                       "give its name, or record with 'perf record -o -'"};
  }
  const uint64_t file_size = *source->size();
  FileForm form{};
  const size_t form_bytes =
      (head_size >= kHeadWithFeatures ? kHeadWithFeatures : kHeadWithoutFeatures) - sizeof(Start);
  util::Result<size_t> got =
      source->Read(std::as_writable_bytes(std::span<FileForm>(&form, 1)).first(form_bytes));
  if (!got) return got.TakeError();
  if (*got < form_bytes) return Damaged("its header is truncated");

  FileHeader header;
  util::Status read = ReadAttrs(source, form, file_size, &header.info);
  if (!read) return read.TakeError();
  header.data_offset = form.data.offset;
  if (form.data.offset > file_size) return Damaged("its records lie beyond its end");
  // perf writes the size at the end, so 0 means that the recorder was killed.
  header.truncated = form.data.size == 0 || form.data.size > file_size - form.data.offset;
  if (!header.truncated) {
    header.data_end = form.data.offset + form.data.size;
    read = ReadFeatures(source, form, file_size, &header.info);
    if (!read) return read.TakeError();
  }
  read = source->Seek(header.data_offset);
  if (!read) return read.TakeError();
  return header;
}

}  // namespace

util::Result<FileHeader> ReadFileHeader(SeekableSource* source) {
  Start start{};
  util::Result<bool> whole = ReadInto(source, &start);
  if (!whole) return whole.TakeError();
  if (!*whole) return util::Error{"not a perf.data file (it has fewer than 16 bytes)", ""};
  util::Status known = CheckMagic(start.magic);
  if (!known) return known.TakeError();
  if (start.size == sizeof(Start)) {
    FileHeader header;
    header.info.pipe_mode = true;
    header.data_offset = sizeof(Start);
    return header;
  }
  if (start.size < kHeadWithoutFeatures) {
    return Damaged(fmt::format("its header gives its own size as {} bytes", start.size));
  }
  return ReadFileForm(source, start.size);
}

}  // namespace perf
