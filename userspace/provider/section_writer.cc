// SPDX-License-Identifier: BSD-2-Clause
#include "provider/section_writer.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "fxt/utf8.h"
#include "fxt_provider/detail/buffer.h"
#include "schema/names.h"

namespace provider {
namespace {

// What readers take for the recorder's own.
bool IsReserved(std::string_view category) {
  return category == schema::kRecorderName || category == schema::category::kSched ||
         category == schema::category::kTask || category == schema::category::kStack;
}

// A reference that the provider's table resolves.
bool IsDefined(const fxt::StringRef& ref, const StringTable& strings) {
  return ref.is_empty() || ref.is_inline() || strings.provider.FindString(ref.index()) != nullptr;
}

// The number of the type of event that the file has in its place; the last one is a counter, whose
// payload is where a blob has its type.
uint64_t FileType(uint64_t type) {
  if (type == FXT_EVENT_ALERT) return static_cast<uint64_t>(fxt::EventType::kInstant);
  if (type == FXT_EVENT_BLOB) return static_cast<uint64_t>(fxt::EventType::kCounter);
  return type;
}

// So many threads of one program are at hand; further ones are named in full.
fxt::ProviderWriterOptions SmallTables() {
  fxt::ProviderWriterOptions options;
  options.threads.tables = 2;
  options.strings.bytes = size_t{1} << 20;
  return options;
}

}  // namespace

SectionWriter::Section::Section(fxt::ArchiveWriter& archive, const std::string& name)
    : writer(archive, name, SmallTables()) {}

SectionWriter::Section& SectionWriter::SectionOf(const Identity& identity) {
  std::unique_ptr<Section>& section = sections_[identity.id];
  if (!section) section = std::make_unique<Section>(archive_, identity.name);
  return *section;
}

// A thread of another process is none of this provider's: its first thread stands for it.
fxt::ThreadKey SectionWriter::KeyOf(const Identity& identity, uint32_t tid) {
  if (const auto key = translator_.MentionThread(tid, identity.pid)) return *key;
  if (const auto key = translator_.MentionThread(identity.pid, identity.pid)) return *key;
  return {UINT32_MAX, identity.pid, identity.pid};
}

void SectionWriter::Write(const RecordBatch& batch, const RecordEntry& entry) {
  // Types of our own become those of the format.
  std::array<uint64_t, FXT_MAX_RECORD_BYTES / sizeof(uint64_t)> words;
  std::copy_n(batch.words.begin() + entry.offset, entry.words, words.begin());
  const uint64_t type = words[0] >> 16 & 0xf;
  words[0] = (words[0] & ~(uint64_t{0xf} << 16)) | FileType(type) << 16;
  fxt::Record record;
  const bool parsed =
      parser_.Parse({words.data(), entry.words}, 0, batch.strings->provider, log_, record);
  const auto* event = parsed ? std::get_if<fxt::Event>(&record) : nullptr;
  if (event == nullptr || parser_.trailing_words() != 0) {
    ++stats_.invalid;
    return;
  }
  const bool written = type == FXT_EVENT_BLOB ? WriteBlob(SectionOf(*batch.identity), *event)
                                              : WriteEvent(batch, entry, *event);
  ++(written ? stats_.records : stats_.invalid);
}

bool SectionWriter::WriteBlob(Section& section, const fxt::Event& event) {
  if (event.arguments.size() != 1) return false;
  const auto* blob = std::get_if<fxt::BlobValue>(&event.arguments[0].value);
  // Last-branch blobs have a layout that only the recorder's have.
  if (blob == nullptr || (event.payload != static_cast<uint64_t>(fxt::BlobType::kData) &&
                          event.payload != static_cast<uint64_t>(fxt::BlobType::kPerfetto))) {
    return false;
  }
  fxt::RecordScope scope = section.writer.Begin();
  return scope.Write(fxt::Blob{.name = scope.Intern(event.name.text),
                               .type = static_cast<uint8_t>(event.payload),
                               .payload = blob->bytes}) == fxt::EncodeStatus::kOk;
}

bool SectionWriter::WriteEvent(const RecordBatch& batch, const RecordEntry& entry,
                               const fxt::Event& event) {
  const StringTable& strings = *batch.strings;
  if (!IsDefined(event.category, strings) || !IsDefined(event.name, strings)) return false;
  const fxt::ThreadKey key = KeyOf(*batch.identity, entry.tid);
  fxt::Event out = event;
  out.timestamp = translator_.FileTimeOf(entry.time);
  out.thread = fxt::ThreadRef::Inline(key.process, key.thread);
  if (spans_.Note(batch.identity->id, out) != facts::SpanTracker::Verdict::kFits) {
    ++stats_.cut;
    return true;
  }
  Section& section = SectionOf(*batch.identity);
  fxt::RecordScope scope = section.writer.Begin(key);
  out.thread = scope.thread();
  std::string category;
  if (IsReserved(event.category.text)) {
    category = "provider:" + std::string(event.category.text);
    out.category = scope.Intern(category);
  } else {
    out.category = scope.Intern(event.category.text);
  }
  out.name = scope.Intern(event.name.text);
  std::array<fxt::Argument, fxt::kMaxArguments> arguments;
  std::array<std::string, fxt::kMaxArguments> scratch;
  size_t count = 0;
  for (const fxt::Argument& argument : event.arguments) {
    if (!IsDefined(argument.name, strings)) return false;
    if (std::holds_alternative<fxt::UnknownValue>(argument.value)) return false;
    fxt::Argument& copy = arguments[count];
    copy.name = scope.Intern(argument.name.text);
    copy.value = argument.value;
    if (const auto* text = std::get_if<fxt::StringRef>(&argument.value)) {
      if (!IsDefined(*text, strings)) return false;
      copy.value = fxt::InlineUtf8(text->text, scratch[count]);
    }
    ++count;
  }
  out.arguments = {arguments.data(), count};
  return scope.Write(out) == fxt::EncodeStatus::kOk;
}

void SectionWriter::WriteLoss(const RecordBatch& batch, uint64_t time) {
  if (batch.invalid != 0) stats_.invalid += batch.invalid;
  if (batch.lost == 0) return;
  stats_.lost += batch.lost;
  Section& section = SectionOf(*batch.identity);
  section.lost += batch.lost;
  fxt::RecordScope scope = section.writer.Begin(KeyOf(*batch.identity, batch.identity->pid));
  const fxt::StringRef category = scope.Intern(schema::kRecorderName);
  const fxt::StringRef name = scope.Intern(schema::event::kLostEvents);
  static_cast<void>(scope.Write(
      fxt::ProviderEvent{.id = scope.provider_id(), .event = fxt::kProviderEventBufferFilledUp}));
  std::string scratch;
  const fxt::StringRef who = fxt::InlineUtf8(batch.identity->name, scratch, 100);
  const std::array lost = {
      fxt::Argument{scope.Intern(schema::argument::kCpu), int32_t{-1}},
      fxt::Argument{scope.Intern(schema::argument::kCount), uint64_t{batch.lost}},
      fxt::Argument{scope.Intern(schema::argument::kCategory), who}};
  fxt::Event event{.type = fxt::EventType::kInstant,
                   .timestamp = translator_.FileTimeOf(time),
                   .thread = scope.thread(),
                   .category = category,
                   .name = name,
                   .arguments = lost};
  static_cast<void>(scope.Write(event));
  const std::array total = {
      fxt::Argument{scope.Intern(schema::argument::kCount), uint64_t{section.lost}}};
  event.type = fxt::EventType::kCounter;
  event.arguments = total;
  event.payload = UINT64_MAX;  // cpu -1
  static_cast<void>(scope.Write(event));
}

}  // namespace provider
