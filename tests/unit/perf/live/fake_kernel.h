// SPDX-License-Identifier: BSD-2-Clause
// A fake kernel: refuses attrs on request, and has rings in memory that a test fills.
#pragma once

#include <cerrno>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "perf/live/perf_syscalls.h"
#include "util/byte_cursor.h"

namespace perf::testing {

// Writes records into a ring like the kernel.
class RingProducer {
 public:
  RingProducer(perf_event_mmap_page* control, std::span<std::byte> data)
      : control_(control), data_(data) {}

  // Returns false, without a change, if the record does not fit.
  bool Write(util::Bytes record) {
    const uint64_t head = control_->data_head;
    if (record.size() > data_.size() - (head - control_->data_tail)) return false;
    for (size_t i = 0; i < record.size(); ++i) data_[(head + i) % data_.size()] = record[i];
    __u64* shared_head = &control_->data_head;
    __atomic_store_n(shared_head, head + record.size(), __ATOMIC_RELEASE);
    return true;
  }

 private:
  perf_event_mmap_page* control_;
  std::span<std::byte> data_;
};

class FakeKernel : public PerfSyscalls {
 public:
  struct Event {
    perf_event_attr attr{};
    int cpu = 0;
    bool enabled = false;
    uint64_t lost = 0;
    std::vector<std::byte> memory;
    std::string filter;
    int ring = -1;  // the event whose ring it writes to; -1: its own
    int program = -1;
  };

  // The errno for an attr on a CPU; 0: success.
  std::function<int(const perf_event_attr&, int cpu)> verdict = [](const perf_event_attr&, int) {
    return 0;
  };
  int map_error = 0;
  std::vector<perf_event_attr> attempts;

  OpenedEvent Open(const perf_event_attr& attr, int cpu) override {
    attempts.push_back(attr);
    if (const int error = verdict(attr, cpu); error != 0) return {util::UniqueFd(), error};
    // A real descriptor, which can be closed.
    const int fd = dup(0);
    events_[fd] = {attr, cpu, false, 0, {}, {}, -1, -1};
    return {util::UniqueFd(fd), 0};
  }
  void* Map(int fd, size_t bytes, int* error) override {
    if (map_error != 0) {
      *error = map_error;
      return nullptr;
    }
    Event& event = events_.at(fd);
    event.memory.assign(bytes, std::byte{0});
    return event.memory.data();
  }
  void Unmap(void*, size_t) override {}
  int Enable(int fd) override {
    events_.at(fd).enabled = true;
    return 0;
  }
  int Disable(int fd) override {
    events_.at(fd).enabled = false;
    return 0;
  }
  int filter_error = 0;
  int SetFilter(int fd, const char* filter) override {
    events_.at(fd).filter = filter;
    return filter_error;
  }
  int SetOutput(int fd, int ring_fd) override {
    events_.at(fd).ring = ring_fd;
    return 0;
  }
  int program_error = 0;
  int SetProgram(int fd, int program_fd) override {
    if (program_error == 0) events_.at(fd).program = program_fd;
    return program_error;
  }
  const std::map<int, Event>& events() const { return events_; }
  std::map<int, Event>& events() { return events_; }
  bool ReadLost(int fd, uint64_t* lost) override {
    *lost = events_.at(fd).lost;
    return true;
  }

  // The event that was opened last on `cpu` and mapped; null if there is none.
  Event* FindEvent(int cpu) {
    Event* found = nullptr;
    for (auto& [fd, event] : events_) {
      if (event.cpu == cpu && !event.memory.empty()) found = &event;
    }
    return found;
  }
  RingProducer Producer(int cpu) {
    Event* event = FindEvent(cpu);
    const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    return {reinterpret_cast<perf_event_mmap_page*>(event->memory.data()),
            std::span<std::byte>(event->memory).subspan(page)};
  }

 private:
  std::map<int, Event> events_;
};

}  // namespace perf::testing
