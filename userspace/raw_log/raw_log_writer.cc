// SPDX-License-Identifier: BSD-2-Clause
#include "raw_log/raw_log_writer.h"

#include <span>
#include <type_traits>

namespace raw_log {
namespace {

// What an item holds, put together piece by piece.
class Payload {
 public:
  template <typename T>
  Payload& Value(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    const auto* bytes = reinterpret_cast<const std::byte*>(&value);
    bytes_.insert(bytes_.end(), bytes, bytes + sizeof(value));
    return *this;
  }
  Payload& Bytes(std::span<const std::byte> bytes) {
    Value(static_cast<uint32_t>(bytes.size()));
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    return *this;
  }
  Payload& Text(std::string_view text) { return Bytes(std::as_bytes(std::span(text))); }
  template <typename T>
  Payload& Values(const std::vector<T>& values) {
    return Bytes(std::as_bytes(std::span(values)));
  }
  template <typename T>
  Payload& Maybe(const std::optional<T>& value) {
    return Value(static_cast<uint8_t>(value.has_value())).Value(value.value_or(T{}));
  }
  const std::vector<std::byte>& bytes() const { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

}  // namespace

RawLogWriter::RawLogWriter(fxt::ByteSink& sink) : sink_(sink) {
  std::memcpy(Room(sizeof(kHeading)), &kHeading, sizeof(kHeading));
}

bool RawLogWriter::Flush() {
  failed_ = failed_ || !sink_.Write(waiting_);
  waiting_.clear();
  return !failed_;
}

void RawLogWriter::OnBranchSample(const perf::BranchStackSample& sample) {
  Payload payload;
  payload.Value(sample.time).Maybe(sample.cpu).Value(sample.pid).Value(sample.tid);
  payload.Maybe(sample.ip).Maybe(sample.period).Maybe(sample.hw_idx).Text(sample.event);
  payload.Values(sample.entries).Values(sample.counters);
  Put(ItemKind::kBranchSample, payload.bytes().data(), payload.bytes().size());
}

void RawLogWriter::OnMapping(uint64_t time, const perf::MmapRecord& record) {
  Payload payload;
  payload.Value(time).Value(record.pid).Value(record.tid).Value(record.address).Value(record.size);
  payload.Value(record.file_offset).Value(record.protection).Value(record.kernel);
  payload.Bytes(record.build_id.view()).Text(record.file);
  Put(ItemKind::kMapping, payload.bytes().data(), payload.bytes().size());
}

void RawLogWriter::OnLoss(int32_t cpu, uint64_t time, uint32_t category, uint64_t count) {
  Payload payload;
  payload.Value(cpu).Value(category).Value(time).Value(count);
  Put(ItemKind::kLoss, payload.bytes().data(), payload.bytes().size());
}

void RawLogWriter::OnText(uint32_t tgid, const model::ProcessText& text) {
  Payload payload;
  payload.Value(tgid).Text(text.executable).Text(text.cmdline.text).Value(text.cmdline.length);
  Put(ItemKind::kText, payload.bytes().data(), payload.bytes().size());
}

void RawLogWriter::OnLookUp(uint32_t tid, const std::optional<fxr_task>& task) {
  Payload payload;
  payload.Value(tid).Maybe(task);
  Put(ItemKind::kLookUp, payload.bytes().data(), payload.bytes().size());
}

void RawLogWriter::OnCgroupPath(uint64_t id, std::string_view path) {
  Payload payload;
  payload.Value(id).Text(path);
  Put(ItemKind::kCgroupPath, payload.bytes().data(), payload.bytes().size());
}

void RawLogWriter::OnIrqName(uint32_t irq, std::string_view name) {
  Payload payload;
  payload.Value(irq).Text(name);
  Put(ItemKind::kIrqName, payload.bytes().data(), payload.bytes().size());
}

void RawLogWriter::OnMappings(uint32_t tgid,
                              const std::vector<model::ExecutableMapping>& mappings) {
  Payload payload;
  payload.Value(tgid);
  for (const model::ExecutableMapping& mapping : mappings) {
    // Room for one whose path is as long as paths can be.
    if (payload.bytes().size() + (size_t{8} << 10) > kMaxItemBytes) break;
    payload.Value(mapping.start).Value(mapping.size).Value(mapping.file_offset);
    payload.Text(mapping.file).Values(mapping.build_id);
  }
  Put(ItemKind::kMappings, payload.bytes().data(), payload.bytes().size());
}

model::ProcessText LoggedIdentities::TextOf(uint32_t tgid) {
  model::ProcessText text = source_.TextOf(tgid);
  log_.OnText(tgid, text);
  return text;
}

std::optional<fxr_task> LoggedIdentities::LookUp(uint32_t tid) {
  std::optional<fxr_task> task = source_.LookUp(tid);
  log_.OnLookUp(tid, task);
  return task;
}

std::string LoggedIdentities::CgroupPath(uint64_t id) {
  std::string path = source_.CgroupPath(id);
  log_.OnCgroupPath(id, path);
  return path;
}

std::string LoggedIdentities::IrqName(uint32_t irq) {
  std::string name = source_.IrqName(irq);
  log_.OnIrqName(irq, name);
  return name;
}

std::vector<model::ExecutableMapping> LoggedIdentities::MappingsOf(uint32_t tgid) {
  std::vector<model::ExecutableMapping> mappings = source_.MappingsOf(tgid);
  log_.OnMappings(tgid, mappings);
  return mappings;
}

}  // namespace raw_log
