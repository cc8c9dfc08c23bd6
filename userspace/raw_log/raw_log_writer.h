// SPDX-License-Identifier: BSD-2-Clause
// Keeps raw events as a capture delivers them (it is one of capture::HandlerOf's takers), and what
// an identity source answered meanwhile: enough to make the same file of them later, or another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fxt/byte_sink.h"
#include "fxt_record/event.h"
#include "model/identity_source.h"
#include "perf/record/branch_stack_sample.h"
#include "perf/record/record_decoder.h"
#include "raw_log/raw_log_format.h"

namespace raw_log {

// Times are ns of CLOCK_MONOTONIC.
class RawLogWriter {
 public:
  // `sink` outlives the writer and gets whole items; it need not be a file.
  explicit RawLogWriter(fxt::ByteSink& sink);

  void OnClockOffset(int64_t offset) { PutValue(ItemKind::kClockOffset, offset); }
  void OnSnapshotTask(const fxr_task& task) { PutValue(ItemKind::kSnapshotTask, task); }
  void OnStart(uint64_t time) { PutValue(ItemKind::kStart, time); }
  void OnSlot(uint32_t cpu, uint64_t time, uint64_t commit, uint64_t body) {
    const uint64_t words[] = {time, commit, body};
    Put(ItemKind::kSlot, words, sizeof(words), static_cast<uint16_t>(cpu));
  }
  void OnSideEvent(const fxr_side_header& event) { Put(ItemKind::kSideEvent, &event, event.size); }
  void OnBranchSample(const perf::BranchStackSample& sample);
  void OnMapping(uint64_t time, const perf::MmapRecord& record);
  void OnLoss(int32_t cpu, uint64_t time, uint32_t category, uint64_t count);
  void OnTick(uint64_t time) { PutValue(ItemKind::kTick, time); }
  void OnFinalTask(const fxr_task& task) { PutValue(ItemKind::kFinalTask, task); }

  // Answers; LoggedIdentities calls these.
  void OnText(uint32_t tgid, const model::ProcessText& text);
  void OnLookUp(uint32_t tid, const std::optional<fxr_task>& task);
  void OnCgroupPath(uint64_t id, std::string_view path);
  void OnIrqName(uint32_t irq, std::string_view name);
  void OnMappings(uint32_t tgid, const std::vector<model::ExecutableMapping>& mappings);

  // Hands everything to the sink. False when that failed, now or before.
  bool Flush();

 private:
  template <typename T>
  void PutValue(ItemKind kind, const T& value) {
    Put(kind, &value, sizeof(value));
  }
  void Put(ItemKind kind, const void* bytes, size_t size, uint16_t cpu = 0) {
    const ItemHeader header = {static_cast<uint32_t>(size), cpu, kind, 0};
    std::byte* place = Room(sizeof(header) + Padded(size));
    std::memcpy(place, &header, sizeof(header));
    std::memcpy(place + sizeof(header), bytes, size);
  }
  // Zeros at the end of what waits for the sink.
  std::byte* Room(size_t bytes) {
    if (waiting_.size() >= kFlushBytes) Flush();
    waiting_.resize(waiting_.size() + bytes);
    return waiting_.data() + waiting_.size() - bytes;
  }

  static constexpr size_t kFlushBytes = size_t{1} << 16;

  fxt::ByteSink& sink_;
  bool failed_ = false;
  std::vector<std::byte> waiting_;
};

// Passes questions on and keeps the answers in a log.
class LoggedIdentities final : public model::IdentitySource {
 public:
  // Both outlive it.
  LoggedIdentities(model::IdentitySource& source, RawLogWriter& log) : source_(source), log_(log) {}

  model::ProcessText TextOf(uint32_t tgid) override;
  std::optional<fxr_task> LookUp(uint32_t tid) override;
  std::string CgroupPath(uint64_t id) override;
  std::string IrqName(uint32_t irq) override;
  std::vector<model::ExecutableMapping> MappingsOf(uint32_t tgid) override;

 private:
  model::IdentitySource& source_;
  RawLogWriter& log_;
};

}  // namespace raw_log
