// SPDX-License-Identifier: BSD-2-Clause
// One perf event per CPU with its ring, through CPU hotplug.
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
#include "perf/record/perf_abi.h"
#include "perf/record/record_decoder.h"
#include "perf/record/sample_format.h"
#include "util/result.h"
#include "util/unique_fd.h"

namespace perf {

// An attr without type and sample fields, created disabled. Times are CLOCK_MONOTONIC, which
// besides CLOCK_MONOTONIC_RAW is the only clock readable in an NMI. All records have the sample
// trailer. The reader wakes when a quarter of the ring of `ring_bytes` is full.
perf_event_attr MakeRingAttr(size_t ring_bytes);

// Adds mappings and COMM records of exec, which end the old mappings.
void AddMappings(perf_event_attr* attr);

class PerfSession {
 public:
  struct Target {
    unsigned cpu = 0;
    perf_event_attr attr{};  // may differ between CPUs of a hybrid machine
    int program = -1;        // a BPF program that runs at each sample; -1: none
  };

  // Losses of one CPU.
  struct Lost {
    uint64_t records = 0;  // records that did not fit the ring
    uint64_t samples = 0;  // samples dropped by the hardware or its driver (LOST_SAMPLES)
    uint64_t undecodable = 0;
    uint64_t throttled = 0;  // how often the kernel throttled the event
    uint64_t total() const { return records + samples + undecodable; }
  };

  // `kernel` must outlive the session. `ring_bytes` per CPU, rounded up to a power of two of pages.
  PerfSession(PerfSyscalls& kernel, size_t ring_bytes);
  ~PerfSession();
  PerfSession(const PerfSession&) = delete;
  PerfSession& operator=(const PerfSession&) = delete;

  // Opens the event on a CPU, disabled. Returns 0, or the errno of opening, of the program or of
  // mapping (then `*mapping_failed` is set). ENODEV: the CPU is offline.
  int Add(const Target& target, bool* mapping_failed);
  // Closes the event of an offline CPU, after delivering the rest of its ring.
  using Handler = std::function<void(unsigned cpu, const Record& record)>;
  void Remove(unsigned cpu, const Handler& handler);

  util::Status Enable();
  util::Status Disable();

  // To be polled for reading, in CPU order. Changes with Add() and Remove().
  std::vector<int> fds() const;
  std::vector<unsigned> cpus() const;

  // Delivers the records of all rings, CPU by CPU. Reads at most about `max_bytes` per CPU; returns
  // true if this limit left records behind. LOST records are summed and delivered.
  bool Drain(const Handler& handler, size_t max_bytes = SIZE_MAX);

  // Adds the losses that the kernel has counted but not reported (Linux 6.0). The kernel writes a
  // LOST record only when the ring has space again, if ever. Returns the added losses by CPU.
  // Call it after Drain(); a later LOST record is reduced by these losses.
  std::map<unsigned, uint64_t> CountUnreported();

  // Losses of every CPU that was ever part of the session.
  const std::map<unsigned, Lost>& lost() const { return lost_; }
  size_t ring_bytes() const { return ring_bytes_; }

 private:
  struct Cpu {
    util::UniqueFd fd;
    void* mapping = nullptr;
    std::unique_ptr<PerfRing> ring;
    SampleFormat format;
    bool counts_lost = false;
    uint64_t counted_ahead = 0;  // lost records that no LOST record has reported yet
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
