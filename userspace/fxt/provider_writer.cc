// SPDX-License-Identifier: BSD-2-Clause
#include "fxt/provider_writer.h"

#include "fxt/utf8.h"

namespace fxt {

ProviderWriter::ProviderWriter(ArchiveWriter& archive, std::string_view name,
                               const Options& options)
    : archive_(archive),
      name_(name),
      purge_after_bytes_(options.purge_after_bytes),
      threads_(options.threads),
      strings_(options.strings) {
  ids_[threads_.current()] = archive_.OpenProvider(name_);
}

void ProviderWriter::OpenTable() {
  if (wasted_string_bytes_ > purge_after_bytes_) {
    wasted_string_bytes_ = 0;
    threads_.Clear();
    strings_.Purge();
    ids_.fill(0);
  } else {
    strings_.EmptyTable(threads_.OpenTable());
  }
  ids_[threads_.current()] = archive_.OpenProvider(name_);
}

// Writes the definition first: an index is valid only if its record is in the file.
ThreadRef ProviderWriter::Define(const ThreadKey& thread, const ThreadSlotPolicy::Place& place) {
  if (place.fresh) {
    // If this fails, the sink failed, and the record that needs the index fails as well.
    static_cast<void>(archive_.encoder().Write(
        ThreadRecord{.index = place.index, .process = thread.process, .thread = thread.thread}));
  }
  return place.index == 0 ? ThreadRef::Inline(thread.process, thread.thread)
                          : ThreadRef::Indexed(place.index, thread.process, thread.thread);
}

void ProviderWriter::Refer(std::span<const ThreadKey> threads, std::span<ThreadRef> refs) {
  OpenTableIfDue();
  bool all_known = true;
  for (size_t i = 0; i < threads.size(); ++i) {
    refs[i] = {threads_.Find(threads[i]), threads[i].process, threads[i].thread};
    all_known = all_known && refs[i].index != 0;
  }
  if (all_known) return;
  std::array<ThreadSlotPolicy::Place, 2> places;
  const auto used = std::span(places).first(threads.size());
  threads_.Put(threads, used);
  static_cast<void>(archive_.Enter(provider_id()));
  for (size_t i = 0; i < threads.size(); ++i) refs[i] = Define(threads[i], used[i]);
}

StringRef ProviderWriter::Define(StringPool::Place place, uint32_t id, unsigned table) {
  // Another table may have replaced the scope's table meanwhile.
  if (place == StringPool::kNowhere || ids_[table] != id) return StringRef::Empty();
  if (const uint16_t index = strings_.Index(place, table); index != 0) {
    return StringRef::Indexed(index);
  }
  const uint16_t index = strings_.AddTo(table, place);
  if (index == 0) return StringRef::Empty();
  static_cast<void>(archive_.Enter(id));
  static_cast<void>(
      archive_.encoder().Write(StringRecord{.index = index, .text = strings_.Text(place)}));
  return StringRef::Indexed(index);
}

StringRef ProviderWriter::Refer(StringId string, uint32_t id, unsigned table) {
  const auto place = StringPool::PlaceOf(string);
  const StringRef ref = Define(place, id, table);
  return ref.is_empty() ? StringRef::Inline(strings_.Text(place)) : ref;
}

RecordScope ProviderWriter::Begin() {
  OpenTableIfDue();
  RecordScope scope(*this);
  scope.table_ = threads_.current();
  scope.id_ = provider_id();
  return scope;
}

RecordScope ProviderWriter::Begin(const ThreadKey& thread) {
  RecordScope scope(*this);
  Refer({&thread, 1}, std::span(scope.threads_).first(1));
  scope.table_ = threads_.current();
  scope.id_ = provider_id();
  return scope;
}

RecordScope ProviderWriter::Begin(const ThreadKey& first, const ThreadKey& second) {
  RecordScope scope(*this);
  const std::array keys = {first, second};
  Refer(keys, scope.threads_);
  scope.table_ = threads_.current();
  scope.id_ = provider_id();
  return scope;
}

EncodeStatus ProviderWriter::WriteBufferFilledUp() {
  return archive_.encoder().Write(
      ProviderEvent{.id = provider_id(), .event = kProviderEventBufferFilledUp});
}

StringRef RecordScope::Refer(StringId string) { return writer_.Refer(string, id_, table_); }

StringRef RecordScope::Intern(std::string_view text) {
  if (text.empty()) return StringRef::Empty();
  const StringRef ref = writer_.Define(writer_.strings_.PlaceOf(text), id_, table_);
  if (!ref.is_empty()) return ref;
  const StringRef inlined = StringRef::Inline(CutUtf8(ValidUtf8Prefix(text), kMaxStringBytes));
  writer_.wasted_string_bytes_ += inlined.words() * kWordBytes;
  return inlined;
}

}  // namespace fxt
