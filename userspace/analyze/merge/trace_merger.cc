// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/merge/trace_merger.h"

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <variant>

#include "branches/last_branch.h"
#include "facts/read_loop.h"
#include "facts/record_kind.h"
#include "facts/scheduling.h"
#include "schema/koid.h"
#include "schema/names.h"

namespace analyze {
namespace {

constexpr size_t kHead = 8;  // bytes of the provider before the words of an item

// Readers use the last of several object names, so the original name of an imported task has
// another key.
std::string_view OriginalOf(std::string_view name) {
  if (name == schema::argument::kTid) return "original_tid";
  if (name == schema::argument::kPid) return "original_pid";
  return name;
}

}  // namespace

TraceMerger::TraceMerger(size_t sort_memory) : sorter_(sort_memory) {}

util::Status TraceMerger::Add(fxt::ByteSource& source, int64_t offset, const KoidMap& koids,
                              bool follows) {
  follows_ = follows;
  offset_ = offset;
  koids_ = &koids;
  providers_.clear();
  provider_ = nullptr;
  time_ = INT64_MIN;
  fxt::Reader reader(source);
  while (facts::NextRecord(reader) == fxt::ReadStatus::kRecord) {
    if (auto added = AddRecord(reader); !added) return added;
  }
  return util::Ok();
}

util::Status TraceMerger::Enter(const fxt::ReaderProvider& in) {
  const auto [entry, fresh] = providers_.try_emplace(in.id());
  provider_ = &entry->second;
  if (!fresh && provider_->name == in.name()) return util::Ok();
  *provider_ =
      Provider{.id = ++last_id_, .name = std::string(in.name()), .strings = {}, .threads = {}};
  if (auto status = Define(fxt::ProviderInfo{provider_->id, provider_->name}); !status) {
    return status;
  }
  return Define(fxt::Initialization{1'000'000'000});
}

util::Status TraceMerger::Put(int64_t time, const fxt::Record& record) {
  words_.bytes.clear();
  const fxt::EncodeStatus status =
      std::visit([&](const auto& r) { return encoder_.Write(r); }, record);
  buffer_.Flush();
  if (status != fxt::EncodeStatus::kOk) {
    ++refused_;
    return util::Ok();
  }
  item_.resize(kHead);
  const uint64_t provider = provider_->id;
  std::memcpy(item_.data(), &provider, sizeof provider);
  item_.insert(item_.end(), words_.bytes.begin(), words_.bytes.end());
  if (item_.size() > sort::RunSorter::kMaxItemBytes) {
    ++refused_;
    return util::Ok();
  }
  return sorter_.Add(time, item_);
}

uint64_t TraceMerger::Move(const fxt::Reader& reader, uint64_t ticks) {
  const auto time = static_cast<int64_t>(
      std::min<uint64_t>(reader.ToNanoseconds(ticks), uint64_t{INT64_MAX} / 2));
  const int64_t moved = time + std::clamp(offset_, INT64_MIN / 4, INT64_MAX / 4);
  return moved < 0 ? 0 : static_cast<uint64_t>(moved);
}

util::Status TraceMerger::MendString(fxt::StringRef& string) {
  const uint16_t index = string.index();
  if (index == 0) return util::Ok();
  const auto [entry, fresh] = provider_->strings.try_emplace(index, string.text);
  if (fresh) return Define(fxt::StringRecord{index, string.text});
  if (entry->second != string.text) string = fxt::StringRef::Inline(string.text);
  return util::Ok();
}

util::Status TraceMerger::MendThread(fxt::ThreadRef& thread) {
  thread.process = koids_->Process(thread.process);
  thread.thread = koids_->Thread(thread.thread);
  if (thread.is_inline()) return util::Ok();
  const std::pair koids(thread.process, thread.thread);
  const auto [entry, fresh] = provider_->threads.try_emplace(thread.index, koids);
  if (fresh) return Define(fxt::ThreadRecord{thread.index, thread.process, thread.thread});
  if (entry->second != koids) thread = fxt::ThreadRef::Inline(thread.process, thread.thread);
  return util::Ok();
}

util::Status TraceMerger::MendArguments(std::span<const fxt::Argument>& arguments,
                                        bool renumbered) {
  std::copy(arguments.begin(), arguments.end(), arguments_.begin());
  for (size_t i = 0; i < arguments.size(); ++i) {
    fxt::Argument& argument = arguments_[i];
    if (auto* koid = std::get_if<fxt::KoidValue>(&argument.value)) {
      koid->koid = argument.name.text == schema::argument::kProcess ? koids_->Process(koid->koid)
                                                                    : koids_->Thread(koid->koid);
    } else if (auto* text = std::get_if<fxt::StringRef>(&argument.value)) {
      if (auto status = MendString(*text); !status) return status;
    }
    if (renumbered && OriginalOf(argument.name.text) != argument.name.text) {
      argument.name = fxt::StringRef::Inline(OriginalOf(argument.name.text));
    } else if (auto status = MendString(argument.name); !status) {
      return status;
    }
  }
  arguments = {arguments_.data(), arguments.size()};
  return util::Ok();
}

util::Status TraceMerger::Mend(const fxt::Reader& reader, fxt::Record& record) {
  util::Status status = util::Ok();
  const auto also = [&](util::Status next) {
    if (status) status = std::move(next);
  };
  bool renumbered = false;
  std::visit(
      [&](auto& r) {
        using R = std::decay_t<decltype(r)>;
        if constexpr (requires { r.timestamp; }) r.timestamp = Move(reader, r.timestamp);
        if constexpr (requires { r.thread.thread; }) also(MendThread(r.thread));
        if constexpr (requires { r.process.index; }) also(MendThread(r.process));
        if constexpr (requires { r.outgoing.thread; }) {
          also(MendThread(r.outgoing));
          also(MendThread(r.incoming));
        }
        if constexpr (requires { r.outgoing_thread; }) {
          r.outgoing_thread = koids_->Thread(r.outgoing_thread);
          r.incoming_thread = koids_->Thread(r.incoming_thread);
        }
        if constexpr (std::is_same_v<R, fxt::ThreadWakeup>) r.thread = koids_->Thread(r.thread);
        if constexpr (requires { r.cpu; }) {
          r.cpu = static_cast<decltype(r.cpu)>(r.cpu + koids_->cpu_shift);
        }
        if constexpr (std::is_same_v<R, fxt::KernelObject>) {
          const fxt::Koid before = r.koid;
          if (r.type == static_cast<uint8_t>(fxt::KernelObjectType::kThread)) {
            r.koid = koids_->Thread(r.koid);
          } else if (r.type == static_cast<uint8_t>(fxt::KernelObjectType::kProcess)) {
            r.koid = koids_->Process(r.koid);
          }
          renumbered = r.koid != before;
        }
        if constexpr (std::is_same_v<R, fxt::Event>) {
          if (r.type == fxt::EventType::kDurationComplete) r.payload = Move(reader, r.payload);
        }
        if constexpr (requires { r.category.encoded; }) also(MendString(r.category));
        if constexpr (requires { r.name.encoded; }) also(MendString(r.name));
        if constexpr (requires { r.arguments.size(); }) {
          also(MendArguments(r.arguments, renumbered));
        }
        if constexpr (std::is_same_v<R, fxt::ProviderEvent>) r.id = provider_->id;
      },
      record);
  return status;
}

// As at a loss: the thread on a CPU is unknown until its next switch.
util::Status TraceMerger::DeclareGap() {
  using fxt::StringRef;
  const std::array arguments = {
      fxt::Argument{StringRef::Inline(schema::argument::kCpu), int32_t{-1}},
      fxt::Argument{StringRef::Inline(schema::argument::kCount), uint64_t{0}},
      fxt::Argument{StringRef::Inline(schema::argument::kCategory),
                    StringRef::Inline(schema::kDamage)}};
  fxt::Event event{
      fxt::EventType::kInstant,
      static_cast<uint64_t>(time_),
      fxt::ThreadRef::Inline(schema::kRecorderProcessKoid, schema::kRecorderProcessKoid),
      StringRef::Inline(schema::kRecorderName),
      StringRef::Inline(schema::event::kLostEvents),
      arguments,
      0};
  if (auto status = Put(time_, event); !status) return status;
  // As the recorder writes losses: the total follows each.
  const fxt::Argument total{StringRef::Inline(schema::kDamage), uint64_t{0}};
  event.type = fxt::EventType::kCounter;
  event.arguments = {&total, 1};
  event.payload = static_cast<uint64_t>(int64_t{-1});
  return Put(time_, event);
}

util::Status TraceMerger::AddRecord(const fxt::Reader& reader) {
  const fxt::Record& record = reader.record();
  switch (facts::KindOf(record)) {
    case facts::RecordKind::kMagic:
    case facts::RecordKind::kProviderInfo:
    case facts::RecordKind::kProviderSection:
    case facts::RecordKind::kInitialization:
    case facts::RecordKind::kString:
    case facts::RecordKind::kThread:
    case facts::RecordKind::kTraceInfo:
      return util::Ok();
    default:
      break;
  }
  if (auto status = Enter(reader.provider()); !status) return status;
  const auto time = facts::TimeOf(record, reader.provider());
  if (time) {
    const int64_t moved = static_cast<int64_t>(std::min<uint64_t>(*time, INT64_MAX / 2)) + offset_;
    clamped_ += moved < 0;
    time_ = std::max<int64_t>(moved, 0);
    if (follows_) {
      follows_ = false;
      if (auto status = DeclareGap(); !status) return status;
    }
  }
  if (const auto* blob = std::get_if<fxt::Blob>(&record)) {
    unmoved_blobs_ +=
        (offset_ != 0 || koids_->cpu_shift != 0) && branches::LastBranchView::Of(*blob);
  }
  ++records_;
  // The legacy layout has no room for CPUs above 255.
  const auto* legacy = std::get_if<fxt::LegacyContextSwitch>(&record);
  if (legacy != nullptr && legacy->cpu + koids_->cpu_shift > UINT8_MAX) {
    fxt::Record newer = fxt::ContextSwitch{.timestamp = legacy->timestamp,
                                           .cpu = legacy->cpu,
                                           .outgoing_state = legacy->outgoing_state,
                                           .outgoing_thread = legacy->outgoing.thread,
                                           .incoming_thread = legacy->incoming.thread,
                                           .arguments = {}};
    if (auto status = Mend(reader, newer); !status) return status;
    return Put(time_, newer);
  }
  fxt::Record mended = record;
  if (auto status = Mend(reader, mended); !status) return status;
  return Put(time_, mended);
}

util::Status TraceMerger::Write(fxt::ByteSink& sink) {
  if (auto status = sorter_.Finish(); !status) return status;
  fxt::RecordBuffer buffer(sink);
  fxt::Encoder encoder(buffer);
  bool good = encoder.Write(fxt::MagicNumber{}) == fxt::EncodeStatus::kOk;
  uint64_t current = 0;
  sort::RunSorter::Item item;
  std::vector<uint64_t> words;
  while (good && !buffer.failed()) {
    auto next = sorter_.Next(item);
    if (!next) return next.TakeError();
    if (!*next) break;
    uint64_t provider = 0;
    std::memcpy(&provider, item.bytes.data(), sizeof provider);
    const auto bytes = item.bytes.subspan(kHead);
    words.resize(bytes.size() / fxt::kWordBytes);
    std::memcpy(words.data(), bytes.data(), bytes.size());
    const auto type = static_cast<uint8_t>(words[0] & 0xf);
    const bool info =
        type == static_cast<uint8_t>(fxt::RecordType::kMetadata) &&
        (words[0] >> 16 & 0xf) == static_cast<uint8_t>(fxt::MetadataType::kProviderInfo);
    // A provider section follows the provider info.
    if (!info && provider != current) {
      good = encoder.Write(fxt::ProviderSection{static_cast<uint32_t>(provider)}) ==
             fxt::EncodeStatus::kOk;
      current = provider;
    }
    good = good && encoder.Write(fxt::UnknownRecord{type, words}) == fxt::EncodeStatus::kOk;
  }
  buffer.Flush();
  return util::Ok();
}

}  // namespace analyze
