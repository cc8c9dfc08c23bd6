// SPDX-License-Identifier: BSD-2-Clause
// Writes a generated recording of a busy machine: eight CPUs and 200 threads of 20 programs that
// sleep, wake each other and are preempted.
//
//   make_switches FILE [millions of switches, default 10 [requests, default 0]]
//
// Requests are spans "app/request" of threads, each of three runs of its thread.
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "bench/fd_sink.h"
#include "fxt/encoder.h"
#include "fxt/record_buffer.h"
#include "schema/koid.h"
#include "schema/names.h"

namespace {

using fxt::StringRef;
using fxt::ThreadRef;

constexpr uint32_t kCpus = 8;
constexpr uint32_t kThreads = 200;
constexpr uint32_t kIdle = UINT32_MAX;

void Must(bool ok) {
  if (ok) return;
  std::fprintf(stderr, "make_switches: cannot write\n");
  std::exit(1);
}
void Must(fxt::EncodeStatus status) { Must(status == fxt::EncodeStatus::kOk); }

fxt::Koid ThreadKoid(uint32_t thread) { return 1000 + thread; }
fxt::Koid ProcessKoid(uint32_t thread) { return 1000 + thread / 10 * 10; }

class Machine {
 public:
  // A request begins every `switches_per_request`; 0: never.
  Machine(fxt::Encoder& encoder, uint64_t switches_per_request)
      : encoder_(encoder), switches_per_request_(switches_per_request) {
    for (uint32_t thread = 0; thread < kThreads; ++thread) asleep_.push_back(thread);
    on_cpu_.fill(kIdle);
  }

  void WriteNames() {
    Must(encoder_.Write(fxt::MagicNumber{}));
    Must(encoder_.Write(fxt::ProviderInfo{1, schema::kRecorderName}));
    Must(encoder_.Write(fxt::ProviderSection{1}));
    Must(encoder_.Write(fxt::Initialization{1'000'000'000}));
    Must(encoder_.Write(fxt::StringRecord{1, "waker"}));
    Must(encoder_.Write(fxt::StringRecord{2, "process"}));
    for (uint32_t thread = 0; thread < kThreads; ++thread) {
      if (thread % 10 == 0) {
        const std::string name = std::string("program-") + char('a' + thread / 10);
        Must(encoder_.Write(fxt::KernelObject{static_cast<uint8_t>(fxt::KernelObjectType::kProcess),
                                              ThreadKoid(thread),
                                              StringRef::Inline(name),
                                              {}}));
      }
      const std::string name = (thread % 10 < 5 ? "worker-" : "io-") + std::to_string(thread % 10);
      const fxt::Argument process{StringRef::Indexed(2, "process"),
                                  fxt::KoidValue{ProcessKoid(thread)}};
      Must(encoder_.Write(fxt::KernelObject{static_cast<uint8_t>(fxt::KernelObjectType::kThread),
                                            ThreadKoid(thread),
                                            StringRef::Inline(name),
                                            {&process, 1}}));
      Must(encoder_.Write(fxt::ThreadRecord{static_cast<uint8_t>(thread + 1), ProcessKoid(thread),
                                            ThreadKoid(thread)}));
    }
    for (uint32_t cpu = 0; cpu < kCpus; ++cpu) {
      Must(encoder_.Write(fxt::ThreadRecord{static_cast<uint8_t>(kThreads + 1 + cpu),
                                            schema::kIdleProcessKoid, schema::IdleKoid(cpu)}));
    }
  }

  void Switch() {
    time_ += 200 + random_() % 1000;
    const auto cpu = static_cast<uint32_t>(random_() % kCpus);
    const uint32_t outgoing = on_cpu_[cpu];
    if (ready_.size() < 2 * kCpus) Wake(outgoing, cpu);
    uint32_t incoming = kIdle;
    if (!ready_.empty() && random_() % 10 != 0) {
      incoming = Take(ready_);
    } else if (outgoing == kIdle) {
      return;
    }
    auto state = fxt::ThreadState::kNew;
    if (outgoing != kIdle) {
      const bool sleeps = random_() % 10 < 7;
      if (sleeps) state = fxt::ThreadState::kBlocked;
      (sleeps ? asleep_ : ready_).push_back(outgoing);
    }
    on_cpu_[cpu] = incoming;
    Must(encoder_.Write(fxt::LegacyContextSwitch{
        .timestamp = time_,
        .cpu = static_cast<uint8_t>(cpu),
        .outgoing_state = state,
        .outgoing = Ref(outgoing, cpu),
        .incoming = Ref(incoming, cpu),
        .outgoing_priority = outgoing == kIdle ? uint8_t{0} : uint8_t{120},
        .incoming_priority = incoming == kIdle ? uint8_t{0} : uint8_t{120}}));
    ++switches_;
    if (switches_per_request_ != 0) ServeRequests(incoming);
  }
  uint64_t switches() const { return switches_; }

 private:
  uint32_t Take(std::vector<uint32_t>& from) {
    const size_t at = random_() % from.size();
    const uint32_t thread = from[at];
    from[at] = from.back();
    from.pop_back();
    return thread;
  }
  static ThreadRef Ref(uint32_t thread, uint32_t cpu) {
    return ThreadRef::Indexed(
        static_cast<uint8_t>(1 + (thread == kIdle ? kThreads + cpu : thread)));
  }
  // `thread` comes to a CPU.
  void ServeRequests(uint32_t thread) {
    if (thread == kIdle) return;
    uint32_t& left = runs_left_[thread];
    if (left == 0) {
      if (switches_ < next_request_) return;
      next_request_ += switches_per_request_;
      left = 3;
      Mark(fxt::EventType::kDurationBegin, thread);
    } else if (--left == 0) {
      Mark(fxt::EventType::kDurationEnd, thread);
    }
  }
  void Mark(fxt::EventType type, uint32_t thread) {
    Must(encoder_.Write(fxt::Event{.type = type,
                                   .timestamp = time_,
                                   .thread = Ref(thread, 0),
                                   .category = StringRef::Inline("app"),
                                   .name = StringRef::Inline("request"),
                                   .arguments = {}}));
  }
  void Wake(uint32_t waker, uint32_t cpu) {
    if (asleep_.empty()) return;
    const uint32_t thread = Take(asleep_);
    ready_.push_back(thread);
    const fxt::Argument by{StringRef::Indexed(1, "waker"), fxt::KoidValue{ThreadKoid(waker)}};
    const bool has_waker = waker != kIdle;
    Must(encoder_.Write(fxt::ThreadWakeup{time_ - 100,
                                          static_cast<uint16_t>(cpu),
                                          ThreadKoid(thread),
                                          {&by, has_waker ? size_t{1} : size_t{0}}}));
  }

  fxt::Encoder& encoder_;
  std::mt19937_64 random_{1};
  uint64_t time_ = 1'000'000'000;
  uint64_t switches_ = 0;
  uint64_t switches_per_request_;
  uint64_t next_request_ = 0;
  std::array<uint32_t, kThreads> runs_left_{};  // of the request of a thread
  std::vector<uint32_t> asleep_;
  std::vector<uint32_t> ready_;
  std::array<uint32_t, kCpus> on_cpu_{};
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: make_switches FILE [MILLIONS [REQUESTS]]\n");
    return 2;
  }
  const int fd = open(argv[1], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  Must(fd >= 0);
  bench::FdSink sink(fd);
  fxt::RecordBuffer buffer(sink);
  fxt::Encoder encoder(buffer);
  const auto wanted = static_cast<uint64_t>((argc > 2 ? std::atof(argv[2]) : 10) * 1e6);
  const auto requests = static_cast<uint64_t>(argc > 3 ? std::atoll(argv[3]) : 0);
  Machine machine(encoder, requests == 0 ? 0 : wanted / requests);
  machine.WriteNames();
  while (machine.switches() < wanted) machine.Switch();
  Must(buffer.Flush());
  return 0;
}
