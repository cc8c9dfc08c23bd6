// SPDX-License-Identifier: BSD-2-Clause
// One perf event per CPU with its ring: opened, polled, drained, and followed through CPUs that
// come and go.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "perf/live/perf_ring.h"
#include "perf/live/perf_syscalls.h"
#include "perf/record/record_decoder.h"
#include "perf/record/sample_format.h"
#include "util/result.h"
#include "util/unique_fd.h"

namespace perf {

class PerfSession {
 public:
  struct Target {
    unsigned cpu = 0;
    perf_event_attr attr{};  // may differ between CPUs of a hybrid machine
  };

  // What was not delivered, per CPU.
  struct Lost {
    uint64_t records = 0;  // did not fit the ring
    uint64_t samples = 0;  // dropped by the hardware or its driver (LOST_SAMPLES)
    uint64_t undecodable = 0;
    uint64_t throttled = 0;  // how often the kernel stopped the event for a while
    uint64_t total() const { return records + samples + undecodable; }
  };

  // `kernel` must outlive the session. `ring_bytes` per CPU, rounded up to a power of two of pages.
  PerfSession(PerfSyscalls& kernel, size_t ring_bytes);
  ~PerfSession();
  PerfSession(const PerfSession&) = delete;
  PerfSession& operator=(const PerfSession&) = delete;

  // Opens the event on a CPU, disabled. Returns 0, or the errno of opening, or of mapping (then
  // `*mapping_failed` is set). ENODEV: the CPU is offline.
  int Add(const Target& target, bool* mapping_failed);
  // The CPU went offline: what its ring still holds is handed out first.
  using Handler = std::function<void(unsigned cpu, const Record& record)>;
  void Remove(unsigned cpu, const Handler& handler);

  util::Status Enable();
  util::Status Disable();

  // To be polled for reading; the order is that of CPUs. Changes with Add() and Remove().
  std::vector<int> fds() const;
  std::vector<unsigned> cpus() const;

  // Hands out what the rings hold, CPU by CPU, in the order of each CPU. `max_bytes` bounds the
  // work per CPU and call; returns true if something was left behind because of it. Losses that
  // records tell are added up and handed out, too.
  bool Drain(const Handler& handler, size_t max_bytes = SIZE_MAX);

  // Adds what the kernel has counted and not reported yet (Linux 6.0): it has room for a LOST
  // record only when the ring is no longer full, which may be never. Returns what was added, per
  // CPU. Call it at any time, after Drain(); a LOST record that comes later is handed out with what
  // it says beyond this, or not at all.
  std::map<unsigned, uint64_t> CountUnreported();

  // Of every CPU that was ever part of the session.
  const std::map<unsigned, Lost>& lost() const { return lost_; }
  size_t ring_bytes() const { return ring_bytes_; }

 private:
  struct Cpu {
    util::UniqueFd fd;
    void* mapping = nullptr;
    std::unique_ptr<PerfRing> ring;
    SampleFormat format;
    bool counts_lost = false;
    uint64_t counted_ahead = 0;  // of lost records, those that no LOST record has told yet
  };

  void DrainCpu(unsigned number, Cpu& cpu, const Handler& handler, size_t max_bytes);
  void Close(Cpu& cpu);

  PerfSyscalls& kernel_;
  size_t page_bytes_;
  size_t ring_bytes_;
  std::map<unsigned, Cpu> cpus_;
  std::map<unsigned, Lost> lost_;
  bool enabled_ = false;
};

}  // namespace perf
