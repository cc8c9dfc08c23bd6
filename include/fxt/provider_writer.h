// SPDX-License-Identifier: BSD-2-Clause
// Writes the records of one data source. Keeps its string and thread tables, and defines strings
// and threads before the first record that refers to them.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "fxt/archive_writer.h"
#include "fxt/detail/thread_slot.h"
#include "fxt/detail/thread_slot_policy.h"
#include "fxt/encode_status.h"
#include "fxt/record.h"
#include "fxt/string_pool.h"

namespace fxt {

class RecordScope;

struct ProviderWriterOptions {
  ThreadSlotOptions threads;
  StringPoolLimits strings;
  // Strings beyond the limits of the pool are inline. After this many bytes of them the pool is
  // purged.
  size_t purge_after_bytes = size_t{256} * 1024;
};

// A provider of the format has one string table and one thread table. To index more than 255
// threads, this writer opens several providers of the same name in the archive, one for each table
// of ThreadSlotPolicy. Each record goes into the section of the provider whose table holds its
// threads. A reader that follows the provider section records sees one stream in the order of
// writing.
// Frequent records have a function here; RecordScope composes all others. Known threads and strings
// cause no allocation.
class ProviderWriter {
 public:
  using Options = ProviderWriterOptions;

  // Opens the first provider. `archive` must outlive the writer. `name` has at most 255 bytes.
  ProviderWriter(ArchiveWriter& archive, std::string_view name, const Options& options = {});
  ProviderWriter(const ProviderWriter&) = delete;
  ProviderWriter& operator=(const ProviderWriter&) = delete;

  // A string for frequent use. The string record is written at its first use.
  StringId Declare(std::string_view text) { return strings_.Declare(text); }

  // The thread died, and its handle may be reused.
  void ForgetThread(uint32_t handle) { threads_.Forget(handle); }

  // Legacy layout, at most 256 CPUs; ContextSwitch names threads by koid and needs no tables.
  EncodeStatus WriteContextSwitch(Ticks timestamp, uint8_t cpu, ThreadState outgoing_state,
                                  const ThreadKey& outgoing, const ThreadKey& incoming,
                                  uint8_t outgoing_priority, uint8_t incoming_priority);

  // The thread's slot in the current table.
  ThreadSlot SlotOf(const ThreadKey& thread) const {
    return ThreadSlot(provider_id(), threads_.Find(thread));
  }

  // Writes a switch of 16 bytes if the current provider holds both threads. Otherwise, and if the
  // sink failed, it writes nothing and returns false. `priorities`: the outgoing thread's in the
  // lower eight bits, the incoming one's in the upper eight.
  bool TryWriteContextSwitch(Ticks timestamp, uint8_t cpu, ThreadState outgoing_state,
                             ThreadSlot outgoing, ThreadSlot incoming, uint16_t priorities) {
    const uint32_t provider = archive_.current_provider();
    const uint64_t outgoing_index = outgoing.IndexIn(provider);
    const uint64_t incoming_index = incoming.IndexIn(provider);
    if ((outgoing_index | incoming_index) > kMaxThreadIndex) [[unlikely]] {
      return false;
    }
    return archive_.encoder().WriteContextSwitch(
               timestamp, cpu, outgoing_state, static_cast<uint8_t>(outgoing_index),
               static_cast<uint8_t>(incoming_index), priorities) == EncodeStatus::kOk;
  }

  // The same by handles. The caller calls ForgetThread() before it reuses a handle.
  bool TryWriteContextSwitch(Ticks timestamp, uint8_t cpu, ThreadState outgoing_state,
                             uint32_t outgoing_handle, uint32_t incoming_handle,
                             uint16_t priorities) {
    const uint8_t outgoing = threads_.Find(outgoing_handle);
    const uint8_t incoming = threads_.Find(incoming_handle);
    if (outgoing == 0 || incoming == 0 || archive_.current_provider() != provider_id())
        [[unlikely]] {
      return false;
    }
    return archive_.encoder().WriteContextSwitch(timestamp, cpu, outgoing_state, outgoing, incoming,
                                                 priorities) == EncodeStatus::kOk;
  }

  // Writes a wakeup of 40 bytes if the current table holds `waker_name`. Otherwise, and if the sink
  // failed, it writes nothing and returns false.
  bool TryWriteWakeup(Ticks timestamp, uint16_t cpu, Koid thread, StringId waker_name, Koid waker) {
    const uint16_t name = strings_.Index(waker_name, threads_.current());
    if (name == 0 || archive_.current_provider() != provider_id()) [[unlikely]] {
      return false;
    }
    return archive_.encoder().WriteWakeup(timestamp, cpu, thread, StringRef::Indexed(name),
                                          waker) == EncodeStatus::kOk;
  }

  // The same with a string argument after the waker, in 48 bytes.
  bool TryWriteWakeup(Ticks timestamp, uint16_t cpu, Koid thread, StringId waker_name, Koid waker,
                      StringId argument, StringId text) {
    const uint16_t name = strings_.Index(waker_name, threads_.current());
    const uint16_t argument_name = strings_.Index(argument, threads_.current());
    const uint16_t value = strings_.Index(text, threads_.current());
    if (name == 0 || argument_name == 0 || value == 0 ||
        archive_.current_provider() != provider_id()) [[unlikely]] {
      return false;
    }
    return archive_.encoder().WriteWakeup(timestamp, cpu, thread, StringRef::Indexed(name), waker,
                                          StringRef::Indexed(argument_name),
                                          StringRef::Indexed(value)) == EncodeStatus::kOk;
  }

  // `waker_name` is the name of the koid argument, "waker" by convention.
  EncodeStatus WriteWakeup(Ticks timestamp, uint16_t cpu, Koid thread, StringId waker_name,
                           Koid waker);

  // Instant, duration begin or duration end, without arguments.
  EncodeStatus WriteEvent(EventType type, Ticks timestamp, const ThreadKey& thread,
                          StringId category, StringId name);

  // Starts any other record: one that refers to no thread, one, or two.
  RecordScope Begin();
  RecordScope Begin(const ThreadKey& thread);
  RecordScope Begin(const ThreadKey& first, const ThreadKey& second);

  // "A buffer filled up, records were likely dropped."
  EncodeStatus WriteBufferFilledUp();

  ArchiveWriter& archive() { return archive_; }
  // The provider of the last record. There are as many providers as opened tables.
  uint32_t provider_id() const { return ids_[threads_.current()]; }
  const ThreadSlotPolicy::Stats& thread_stats() const { return threads_.stats(); }

 private:
  friend class RecordScope;

  // The only place that drops tables, between records.
  void OpenTableIfDue() {
    if (threads_.wants_fresh_table() || wasted_string_bytes_ > purge_after_bytes_) [[unlikely]] {
      OpenTable();
    }
  }
  void OpenTable();
  ThreadRef Define(const ThreadKey& thread, const ThreadSlotPolicy::Place& place);
  void Refer(std::span<const ThreadKey> threads, std::span<ThreadRef> refs);
  // A reference to the string at `place` in the table `table` of provider `id`, which it defines if
  // necessary. Empty if that is not possible.
  StringRef Define(StringPool::Place place, uint32_t id, unsigned table);
  StringRef Refer(StringId string, uint32_t id, unsigned table);
  StringRef Refer(StringId string) {
    const uint16_t index = strings_.Index(string, threads_.current());
    if (index != 0) [[likely]] {
      return StringRef::Indexed(index);
    }
    return Refer(string, provider_id(), threads_.current());
  }

  ArchiveWriter& archive_;
  const std::string name_;
  const size_t purge_after_bytes_;
  ThreadSlotPolicy threads_;
  StringPool strings_;
  std::array<uint32_t, ThreadSlotPolicy::kMaxTables> ids_{};  // provider by table
  size_t wasted_string_bytes_ = 0;
};
static_assert(ThreadSlotPolicy::kMaxTables == StringPool::kMaxTables);

// Composes one record, or several with the same threads. Its references are valid only in records
// written through it: they belong to the provider of its table. Another scope may be open at the
// same time.
class RecordScope {
 public:
  // The threads that Begin() was called with.
  const ThreadRef& thread() const { return threads_[0]; }
  const ThreadRef& second_thread() const { return threads_[1]; }

  StringRef Refer(StringId string);
  // Defines the string in the table at its first use, with U+FFFD for invalid UTF-8. If the table
  // is full the reference is inline and views `text` up to its first invalid byte. Cuts the string
  // to kMaxStringBytes.
  StringRef Intern(std::string_view text);

  // Writes a record struct of record.h whose references come from this scope or are inline.
  template <typename R>
  EncodeStatus Write(const R& record) {
    const auto status = writer_.archive_.Enter(id_);
    return status == EncodeStatus::kOk ? writer_.archive_.encoder().Write(record) : status;
  }

  uint32_t provider_id() const { return id_; }

 private:
  friend class ProviderWriter;
  explicit RecordScope(ProviderWriter& writer) : writer_(writer) {}

  ProviderWriter& writer_;
  uint32_t id_ = 0;
  unsigned table_ = 0;
  std::array<ThreadRef, 2> threads_;
};

inline EncodeStatus ProviderWriter::WriteContextSwitch(
    Ticks timestamp, uint8_t cpu, ThreadState outgoing_state, const ThreadKey& outgoing,
    const ThreadKey& incoming, uint8_t outgoing_priority, uint8_t incoming_priority) {
  LegacyContextSwitch record{.timestamp = timestamp,
                             .cpu = cpu,
                             .outgoing_state = outgoing_state,
                             .outgoing = {.index = threads_.Find(outgoing)},
                             .incoming = {.index = threads_.Find(incoming)},
                             .outgoing_priority = outgoing_priority,
                             .incoming_priority = incoming_priority};
  if (record.outgoing.index == 0 || record.incoming.index == 0) [[unlikely]] {
    const std::array keys = {outgoing, incoming};
    std::array<ThreadRef, 2> refs;
    Refer(keys, refs);
    record.outgoing = refs[0];
    record.incoming = refs[1];
  }
  const auto status = archive_.Enter(provider_id());
  return status == EncodeStatus::kOk ? archive_.encoder().Write(record) : status;
}

inline EncodeStatus ProviderWriter::WriteEvent(EventType type, Ticks timestamp,
                                               const ThreadKey& thread, StringId category,
                                               StringId name) {
  ThreadRef ref{.index = threads_.Find(thread)};
  if (ref.index == 0) [[unlikely]] {
    Refer({&thread, 1}, {&ref, 1});
  }
  const StringRef category_ref = Refer(category);
  const StringRef name_ref = Refer(name);
  const auto status = archive_.Enter(provider_id());
  return status == EncodeStatus::kOk
             ? archive_.encoder().WriteEvent(type, timestamp, ref, category_ref, name_ref)
             : status;
}

inline EncodeStatus ProviderWriter::WriteWakeup(Ticks timestamp, uint16_t cpu, Koid thread,
                                                StringId waker_name, Koid waker) {
  const StringRef name_ref = Refer(waker_name);
  const auto status = archive_.Enter(provider_id());
  return status == EncodeStatus::kOk
             ? archive_.encoder().WriteWakeup(timestamp, cpu, thread, name_ref, waker)
             : status;
}

}  // namespace fxt
