// SPDX-License-Identifier: BSD-2-Clause
// The kernel's end of the side ring, in memory of the test's: a BPF ring buffer as
// kernel/bpf/ringbuf.c lays it out.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "capture/rings/side_ring.h"
#include "fxt_record/event.h"

namespace capture {

class SideProducer {
 public:
  static constexpr size_t kBytes = 4096;

  SideProducer() : data_(2 * kBytes) {}
  SideRing Ring() { return SideRing(&consumer_, &producer_, data_.data(), kBytes); }

  // Room for an event, being written; where it is.
  size_t Reserve(size_t size) {
    const size_t position = producer_;
    SetLength(position, static_cast<uint32_t>(size) | kBusy);
    producer_ += (size + kHeaderBytes + 7) & ~size_t{7};
    return position;
  }
  void Submit(size_t position, const void* event, size_t size) {
    const auto* bytes = static_cast<const std::byte*>(event);
    for (size_t i = 0; i < size; ++i) At(position + kHeaderBytes + i, bytes[i]);
    SetLength(position, static_cast<uint32_t>(size));
  }
  void Discard(size_t position, size_t size) {
    SetLength(position, static_cast<uint32_t>(size) | kDiscarded);
  }
  template <typename Event>
  void Put(const Event& event) {
    Submit(Reserve(sizeof(event)), &event, sizeof(event));
  }
  // A fork of a task with this tid.
  void PutFork(uint64_t time, uint32_t tid) {
    fxr_task task{};
    task.header = {.time = time, .type = FXR_SIDE_FORK, .flags = 0, .cpu = 0, .size = sizeof(task)};
    task.tid = tid;
    Put(task);
  }

  unsigned long consumed() const { return consumer_; }
  unsigned long produced() const { return producer_; }

 private:
  static constexpr uint32_t kBusy = 1u << 31;
  static constexpr uint32_t kDiscarded = 1u << 30;
  static constexpr size_t kHeaderBytes = 8;

  // The data is mapped twice in a row.
  void At(size_t position, std::byte value) {
    data_[position % kBytes] = value;
    data_[position % kBytes + kBytes] = value;
  }
  void SetLength(size_t position, uint32_t length) {
    std::byte bytes[sizeof(length)];
    std::memcpy(bytes, &length, sizeof(length));
    for (size_t i = 0; i < sizeof(length); ++i) At(position + i, bytes[i]);
  }

  unsigned long consumer_ = 0;
  unsigned long producer_ = 0;
  std::vector<std::byte> data_;
};

}  // namespace capture
