// SPDX-License-Identifier: BSD-2-Clause
#include "capture/stack_sampler.h"

#include <linux/perf_event.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "fxt_record/long_event.h"

namespace capture {
namespace {

// Context marks in a callchain are the largest addresses.
constexpr uint64_t kFirstMark = static_cast<uint64_t>(PERF_CONTEXT_MAX);

struct Halves {
  std::vector<uint64_t> user;
  std::vector<uint64_t> kernel;
};

Halves Split(const util::PackedView<uint64_t>& chain) {
  Halves halves;
  std::vector<uint64_t>* half = nullptr;
  for (size_t i = 0; i < chain.size(); ++i) {
    const uint64_t address = chain[i];
    if (address >= kFirstMark) {
      half = address == static_cast<uint64_t>(PERF_CONTEXT_KERNEL) ? &halves.kernel
             : address == static_cast<uint64_t>(PERF_CONTEXT_USER) ? &halves.user
                                                                   : nullptr;
    } else if (half != nullptr && half->size() < FXR_STACK_FRAMES) {
      half->push_back(address);
    }
  }
  return halves;
}

}  // namespace

util::Result<std::unique_ptr<StackSampler>> StackSampler::Open(const StackOptions& options,
                                                               int program) {
  perf::StackSampling sampling;
  sampling.frequency = options.on ? options.frequency : 0;
  sampling.program = program;
  auto session = perf::StackSession::Open(sampling);
  if (!session) return session.TakeError();
  return std::make_unique<StackSampler>(std::move(*session));
}

void StackSampler::Disable(uint64_t now) {
  // On failure the rings are drained all the same.
  (void)session_->Disable().ok();
  Collect(now);
  for (const auto& [cpu, count] : session_->CountUnreported()) {
    if (count > 0) queue().AddLoss(now, cpu, count);
  }
}

void StackSampler::Collect(uint64_t now) {
  const auto take = [this, now](unsigned cpu, const perf::Record& record) {
    OnRecord(cpu, record, now);
  };
  session_->FollowCpus(take);
  session_->Drain(take);
}

void StackSampler::OnRecord(unsigned cpu, const perf::Record& record, uint64_t now) {
  if (const auto* sample = std::get_if<perf::Sample>(&record.body)) {
    OnSample(cpu, *sample, sample->where.time.value_or(now));
  } else {
    TakeCommon(cpu, record, now);
  }
}

void StackSampler::OnSample(unsigned cpu, const perf::Sample& sample, uint64_t time) {
  const uint32_t tid = sample.where.tid.value_or(0);
  const uint32_t tgid = sample.where.pid.value_or(0);
  // The idle task, where the event does not exclude it.
  if (tid == 0 || !sample.callchain || !IsWanted(tid, tgid)) return;
  const Halves halves = Split(*sample.callchain);
  const size_t frames = halves.user.size() + halves.kernel.size();
  const size_t bytes = FXR_LONG_SIZE(stack, frames * sizeof(uint64_t));
  PerfQueue::Event words(bytes / sizeof(uint64_t));
  auto* event = reinterpret_cast<fxr_long*>(words.data());
  event->header.time = time;
  event->header.type = FXR_SIDE_LONG;
  event->header.cpu = static_cast<fxr_u16>(sample.where.cpu.value_or(cpu));
  event->header.size = static_cast<fxr_u32>(bytes);
  event->category = FXR_CATEGORY_STACK;
  fxr_stack_long fields{};
  fields.kind = FXR_STACK_ON;
  fields.tid = tid;
  fields.tgid = tgid;
  fields.user_frames = static_cast<fxr_u32>(halves.user.size());
  fxr_pack_stack(event, fields, static_cast<fxr_u32>(frames * sizeof(uint64_t)));
  std::copy(halves.kernel.begin(), halves.kernel.end(),
            std::copy(halves.user.begin(), halves.user.end(),
                      words.begin() + static_cast<ptrdiff_t>(words.size() - frames)));
  queue().Add(time, std::move(words));
}

}  // namespace capture
