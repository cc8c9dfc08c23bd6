// SPDX-License-Identifier: BSD-2-Clause
#include "bench/micro/synthetic_events.h"

#include <bit>
#include <deque>
#include <random>

#include "fxt_record/slot_body.h"

namespace bench {
namespace {

constexpr uint64_t kStart = 1'000'000'000;
constexpr uint8_t kPriority = 120;

uint64_t SwitchBody(uint32_t outgoing, uint32_t incoming, fxr_task_state state) {
  return fxr_pack_switch({.prev_tid = outgoing,
                          .next_tid = incoming,
                          .prev_priority = kPriority,
                          .next_priority = kPriority,
                          .prev_state = static_cast<uint8_t>(state)})
      .body;
}

uint64_t WakingBody(uint32_t woken, uint32_t waker, uint32_t cpu) {
  return fxr_pack_waking({.woken_tid = woken,
                          .waker_tid = waker,
                          .priority = kPriority,
                          .target_cpu = static_cast<uint16_t>(cpu),
                          .is_new = 0,
                          .via_net_rx = 0})
      .body;
}

unsigned ShiftFor(uint64_t events) {
  return static_cast<unsigned>(std::countr_zero(std::bit_ceil(events)));
}

}  // namespace

SyntheticRings::SyntheticRings(uint32_t cpus, unsigned shift) : shift_(shift) {
  for (uint32_t cpu = 0; cpu < cpus; ++cpu) {
    rings_.push_back(std::make_unique<Ring>());
    rings_.back()->slots.resize(size_t{1} << shift);
  }
}

void SyntheticRings::Put(uint32_t cpu, uint64_t time, fxr_slot_type type, uint64_t body) {
  Ring& ring = *rings_[cpu];
  const uint64_t position = ring.control.head;
  if (position >= ring.slots.size()) return;
  ++ring.control.head;
  ring.slots[position] = {fxr_pack_commit(type, 0, time, 1), body};
  ++events_;
  last_time_ = time;
}

capture::SlotMerger SyntheticRings::MakeMerger() {
  capture::SlotMerger merger;
  for (uint32_t cpu = 0; cpu < rings_.size(); ++cpu) {
    merger.AddRing(capture::SlotRing(&rings_[cpu]->control, rings_[cpu]->slots.data(), shift_),
                   cpu);
  }
  return merger;
}

SyntheticRings MakePingPong(const StreamOptions& options) {
  SyntheticRings rings(options.cpus, ShiftFor(2 * options.events / options.cpus));
  const uint32_t per_cpu = options.threads / options.cpus;
  std::vector<uint32_t> running(options.cpus, 0);
  std::mt19937_64 random(1);
  // With equal steps two CPUs would alternate with each event.
  std::vector<uint64_t> next(options.cpus);
  for (uint32_t cpu = 0; cpu < options.cpus; ++cpu) next[cpu] = kStart + random() % 1000;
  while (rings.events() < options.events) {
    uint32_t cpu = 0;
    for (uint32_t other = 1; other < options.cpus; ++other) {
      if (next[other] < next[cpu]) cpu = other;
    }
    const uint32_t first = kFirstTid + cpu * per_cpu;
    const uint32_t from = first + running[cpu];
    running[cpu] = (running[cpu] + 1) % per_cpu;
    const uint32_t to = first + running[cpu];
    if (options.wakeups) {
      rings.Put(cpu, next[cpu], FXR_SLOT_WAKING, WakingBody(to, from, cpu));
    }
    rings.Put(cpu, next[cpu] + options.interval / 2, FXR_SLOT_SWITCH,
              SwitchBody(from, to, FXR_STATE_INTERRUPTIBLE));
    next[cpu] += options.interval + random() % (options.interval * 2);
  }
  return rings;
}

SyntheticRings MakeMessaging(const StreamOptions& options) {
  SyntheticRings rings(options.cpus, ShiftFor(2 * options.events / options.cpus));
  std::mt19937_64 random(1);
  struct Cpu {
    uint32_t running = 0;  // tid; 0: idle
    std::deque<uint32_t> queue;
    uint64_t next = 0;
  };
  std::vector<Cpu> cpus(options.cpus);
  std::vector<uint32_t> asleep;
  for (uint32_t i = 0; i < options.threads; ++i) asleep.push_back(kFirstTid + i);
  for (Cpu& cpu : cpus) {
    cpu.running = asleep.back();
    asleep.pop_back();
    cpu.next = kStart + random() % 1000;
  }
  while (rings.events() < options.events) {
    uint32_t here = 0;
    for (uint32_t other = 1; other < options.cpus; ++other) {
      if (cpus[other].next < cpus[here].next) here = other;
    }
    Cpu& cpu = cpus[here];
    const uint64_t time = cpu.next;
    cpu.next += 1 + random() % (2 * options.interval);
    const bool wake = !asleep.empty() && cpu.queue.size() < 8 && random() % 2 == 0;
    if (wake) {
      const size_t which = random() % asleep.size();
      const uint32_t woken = asleep[which];
      asleep[which] = asleep.back();
      asleep.pop_back();
      const auto target = static_cast<uint32_t>(random() % options.cpus);
      cpus[target].queue.push_back(woken);
      if (options.wakeups) {
        rings.Put(here, time, FXR_SLOT_WAKING, WakingBody(woken, cpu.running, target));
      }
      continue;
    }
    if (cpu.running == 0 && cpu.queue.empty()) continue;
    const uint32_t incoming = cpu.queue.empty() ? 0 : cpu.queue.front();
    if (incoming != 0) cpu.queue.pop_front();
    const bool preempted = cpu.running != 0 && random() % 8 == 0 && incoming != 0;
    rings.Put(here, time, FXR_SLOT_SWITCH,
              SwitchBody(cpu.running, incoming,
                         preempted          ? FXR_STATE_PREEMPTED
                         : cpu.running == 0 ? FXR_STATE_RUNNABLE
                                            : FXR_STATE_INTERRUPTIBLE));
    if (preempted) {
      cpu.queue.push_back(cpu.running);
    } else if (cpu.running != 0) {
      asleep.push_back(cpu.running);
    }
    cpu.running = incoming;
  }
  return rings;
}

SyntheticRings MakeShuffled(uint32_t cpus, uint64_t events) {
  // Twice the mean, so no ring overflows.
  SyntheticRings rings(cpus, ShiftFor(2 * events / cpus));
  std::mt19937_64 random(1);
  uint64_t time = kStart;
  for (uint64_t i = 0; i < events; ++i) {
    time += 1 + random() % 100;
    rings.Put(static_cast<uint32_t>(random() % cpus), time, FXR_SLOT_SWITCH,
              SwitchBody(kFirstTid, kFirstTid + 1, FXR_STATE_INTERRUPTIBLE));
  }
  return rings;
}

}  // namespace bench
