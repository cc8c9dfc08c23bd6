// SPDX-License-Identifier: BSD-2-Clause
#include "provider/section_writer.h"

#include <algorithm>
#include <array>
#include <climits>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <variant>

#include "fxt/utf8.h"
#include "fxt_provider/detail/buffer.h"
#include "model/task_table.h"
#include "schema/event_info.h"
#include "schema/names.h"

namespace provider {
namespace {

// A section writes at most this many bytes for each byte of the provider, beyond the first credit.
// Indexed strings would let 16 bytes become some 30,000.
constexpr uint64_t kExpansion = 8;
constexpr uint64_t kFirstCredit = uint64_t{1} << 20;
constexpr uint64_t kMaxCredit = uint64_t{4} << 20;
constexpr uint64_t kMaxRecordBytes = fxt::kMaxRecordWords * sizeof(uint64_t);

// An instant of the recorder's category with the number of refused providers, the uid, and the name
// of the last one.
constexpr std::string_view kProvidersRefused = "providers_refused";
constexpr std::string_view kProviderArgument = "provider";

// True for categories of the recorder and the kernel, which providers must not use.
bool IsReserved(std::string_view category) {
  if (category == schema::kRecorderName) return true;
  for (uint32_t each = 0; each < FXR_CATEGORIES; ++each) {
    if (category == schema::CategoryName(each)) return true;
  }
  return false;
}

bool IsDefined(const fxt::StringRef& ref, const StringTable& strings) {
  return ref.is_empty() || ref.is_inline() || strings.Find(ref.index()) != nullptr;
}

uint64_t HashOf(const fxt::StringRef& ref, const StringTable& strings) {
  return ref.is_empty() || ref.is_inline() ? std::hash<std::string_view>{}(ref.text)
                                           : strings.HashOf(ref.index());
}

// Maps a type of shared memory to the event type of the file. A blob is parsed as a counter whose
// payload is the blob's type.
uint64_t FileType(uint64_t type) {
  if (type == FXT_EVENT_ALERT) return static_cast<uint64_t>(fxt::EventType::kInstant);
  if (type == FXT_EVENT_BLOB) return static_cast<uint64_t>(fxt::EventType::kCounter);
  return type;
}

// Each section has one string table and one thread table; further entries are inline. Another table
// would need another provider in the file, which costs readers memory.
fxt::ProviderWriterOptions SectionOptions(size_t string_bytes) {
  fxt::ProviderWriterOptions options;
  options.threads.tables = 1;
  options.threads.opening_weight = UINT_MAX;
  options.strings.bytes = string_bytes;
  options.strings.strings = string_bytes == 0 ? 0 : SectionWriter::kSectionStrings;
  options.purge_after_bytes = SIZE_MAX;
  return options;
}

}  // namespace

SectionWriter::Section& SectionWriter::SectionOf(const Identity& identity) {
  auto found = sections_.find(identity.id);
  if (found == sections_.end()) {
    if (sections_.size() >= kMaxOpenSections) {
      Close(std::min_element(sections_.begin(), sections_.end(), [](const auto& a, const auto& b) {
        return a.second->used < b.second->used;
      }));
    }
    auto strings = std::make_unique<BudgetShare>(open_strings_, identity.user);
    const size_t bytes =
        file_strings_.TakeUpTo(identity.user, strings->TakeUpTo(kSectionStringBytes));
    found = sections_
                .emplace(identity.id, std::unique_ptr<Section>(new Section{
                                          .writer{archive_, identity.name, SectionOptions(bytes)},
                                          .strings = std::move(strings),
                                          .user = identity.user,
                                          .file_strings = bytes,
                                          .credit = kFirstCredit}))
                .first;
  }
  found->second->used = ++uses_;
  return *found->second;
}

fxt::ThreadKey SectionWriter::LocalKey(Section& section, fxt::ThreadKey key) {
  const auto found = section.handles.find(key.thread);
  if (found != section.handles.end()) {
    key.handle = found->second;
  } else if (section.handles.size() < fxt::kMaxThreadIndex) {
    key.handle = static_cast<uint32_t>(section.handles.size());
    section.handles.emplace(key.thread, key.handle);
  } else {
    key.handle = UINT32_MAX;  // inline
  }
  return key;
}

fxt::StringRef SectionWriter::Intern(Section& section, fxt::RecordScope& scope,
                                     std::string_view text) {
  const fxt::StringRef ref = scope.Intern(text);
  if (!ref.is_empty() && !ref.is_inline() && ref.index() > section.defined) {
    section.defined = ref.index();
    section.defined_bytes += text.size();
  }
  return ref;
}

void SectionWriter::Close(std::map<uint32_t, std::unique_ptr<Section>>::iterator section) {
  // Returns only the unused budget, because the file keeps the defined strings.
  const Section& closed = *section->second;
  file_strings_.Return(closed.user, closed.file_strings - closed.defined_bytes);
  sections_.erase(section);
}

void SectionWriter::EndSection(const Identity& identity) {
  const auto found = sections_.find(identity.id);
  if (found != sections_.end()) Close(found);
  main_threads_.erase(identity.id);
  spans_.Forget(identity);
}

std::optional<fxt::ThreadKey> SectionWriter::KeyOf(const Identity& identity, uint32_t tid) {
  constexpr uint64_t kNsPerTick = 10'000'000;
  const auto& table = translator_.task_table();
  const model::ProcessHandle process = table.FindProcess(identity.pid);
  const uint64_t start = process == model::kNoHandle ? 0 : table.process(process).start_time;
  const bool is_other =
      start != 0 && identity.start_ticks != 0 && start / kNsPerTick != identity.start_ticks;
  if (!is_other) {
    if (const auto key = translator_.MentionThread(tid, identity.pid)) return *key;
    if (const auto key = translator_.MentionThread(identity.pid, identity.pid)) {
      // Not for marks, because the marks of all processes share an id.
      if (identity.id != kMarksId) main_threads_[identity.id] = *key;
      return *key;
    }
  }
  // The process has exited or is not recorded.
  if (const auto known = main_threads_.find(identity.id); known != main_threads_.end()) {
    return known->second;
  }
  if (is_other) return std::nullopt;
  return fxt::ThreadKey{0, identity.pid, identity.pid};
}

void SectionWriter::Write(const RecordBatch& batch, const RecordEntry& entry) {
  // Replaces the type of shared memory by that of the format.
  std::array<uint64_t, FXT_MAX_RECORD_BYTES / sizeof(uint64_t)> words;
  const std::span<const uint64_t> shared = batch.WordsOf(entry);
  std::copy(shared.begin(), shared.end(), words.begin());
  const uint64_t type = words[0] >> 16 & 0xf;
  words[0] = (words[0] & ~(uint64_t{0xf} << 16)) | FileType(type) << 16;
  fxt::Record record;
  const bool parsed =
      parser_.Parse({words.data(), shared.size()}, 0, batch.strings->provider(), log_, record);
  const auto* event = parsed ? std::get_if<fxt::Event>(&record) : nullptr;
  if (event == nullptr || parser_.trailing_words() != 0) {
    ++stats_.invalid;
    return;
  }
  Section& section = SectionOf(*batch.identity);
  section.credit = std::min(kMaxCredit, section.credit + kExpansion * shared.size_bytes());
  if (section.credit < kMaxRecordBytes) {
    ++stats_.lost;
    ++section.lost;
    return;
  }
  const uint64_t before = archive_.bytes();
  const bool written =
      type == FXT_EVENT_BLOB ? WriteBlob(section, *event) : WriteEvent(batch, entry, *event);
  section.credit -= std::min(section.credit, archive_.bytes() - before);
  ++(written ? stats_.records : stats_.invalid);
}

bool SectionWriter::WriteBlob(Section& section, const fxt::Event& event) {
  if (event.arguments.size() != 1) return false;
  const auto* blob = std::get_if<fxt::BlobValue>(&event.arguments[0].value);
  // Refuses other types, which readers trust as kernel data: last branches, or Perfetto's
  // scheduling records.
  if (blob == nullptr || event.payload != static_cast<uint64_t>(fxt::BlobType::kData)) return false;
  fxt::RecordScope scope = section.writer.Begin();
  return scope.Write(fxt::Blob{.name = Intern(section, scope, event.name.text),
                               .type = static_cast<uint8_t>(event.payload),
                               .payload = blob->bytes}) == fxt::EncodeStatus::kOk;
}

bool SectionWriter::WriteEvent(const RecordBatch& batch, const RecordEntry& entry,
                               const fxt::Event& event) {
  const StringTable& strings = *batch.strings;
  if (!IsDefined(event.category, strings) || !IsDefined(event.name, strings)) return false;
  const auto key = KeyOf(*batch.identity, entry.tid);
  if (!key) return false;
  fxt::Event out = event;
  out.timestamp = translator_.FileTimeOf(entry.time);
  out.thread = fxt::ThreadRef::Inline(key->process, key->thread);
  switch (spans_.Match(*batch.identity, HashOf(event.category, strings), out)) {
    case SpanMatcher::Verdict::kAccept:
      break;
    case SpanMatcher::Verdict::kUnmatched:
      ++stats_.cut;
      return true;
    case SpanMatcher::Verdict::kFull:
      return false;
  }
  Section& section = SectionOf(*batch.identity);
  fxt::RecordScope scope = section.writer.Begin(LocalKey(section, *key));
  out.thread = scope.thread();
  std::string category;
  if (IsReserved(event.category.text)) {
    category = "provider:" + std::string(event.category.text);
    out.category = Intern(section, scope, category);
  } else {
    out.category = Intern(section, scope, event.category.text);
  }
  out.name = Intern(section, scope, event.name.text);
  std::array<fxt::Argument, fxt::kMaxArguments> arguments;
  std::array<std::string, fxt::kMaxArguments> scratch;
  size_t count = 0;
  for (const fxt::Argument& argument : event.arguments) {
    if (!IsDefined(argument.name, strings)) return false;
    if (std::holds_alternative<fxt::UnknownValue>(argument.value)) return false;
    fxt::Argument& copy = arguments[count];
    copy.name = Intern(section, scope, argument.name.text);
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
  stats_.invalid += batch.invalid;
  if (batch.lost == 0) return;
  stats_.lost += batch.lost;
  const auto key = KeyOf(*batch.identity, batch.identity->pid);
  if (!key) return;
  Section& section = SectionOf(*batch.identity);
  section.lost += batch.lost;
  fxt::RecordScope scope = section.writer.Begin(LocalKey(section, *key));
  const fxt::StringRef category = Intern(section, scope, schema::kRecorderName);
  const fxt::StringRef name = Intern(section, scope, schema::event::kLostEvents);
  static_cast<void>(scope.Write(
      fxt::ProviderEvent{.id = scope.provider_id(), .event = fxt::kProviderEventBufferFilledUp}));
  std::string scratch;
  const fxt::StringRef provider = fxt::InlineUtf8(batch.identity->name, scratch, 100);
  const std::array lost = {
      fxt::Argument{Intern(section, scope, schema::argument::kCpu), int32_t{-1}},
      fxt::Argument{Intern(section, scope, schema::argument::kCount), uint64_t{batch.lost}},
      fxt::Argument{Intern(section, scope, schema::argument::kCategory), provider}};
  fxt::Event event{.type = fxt::EventType::kInstant,
                   .timestamp = translator_.FileTimeOf(time),
                   .thread = scope.thread(),
                   .category = category,
                   .name = name,
                   .arguments = lost};
  static_cast<void>(scope.Write(event));
  const std::array total = {
      fxt::Argument{Intern(section, scope, schema::argument::kCount), uint64_t{section.lost}}};
  event.type = fxt::EventType::kCounter;
  event.arguments = total;
  event.payload = UINT64_MAX;  // cpu -1
  static_cast<void>(scope.Write(event));
}

void SectionWriter::WriteRefusal(const Refusal& refusal) {
  stats_.refused += refusal.count;
  const std::array<std::pair<std::string_view, std::string>, 3> arguments = {{
      {schema::argument::kCount, std::to_string(refusal.count)},
      {schema::argument::kUser, std::to_string(refusal.user)},
      {kProviderArgument, refusal.name},
  }};
  translator_.OnMark(refusal.time, kProvidersRefused, arguments);
}

}  // namespace provider
