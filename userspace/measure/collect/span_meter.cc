// SPDX-License-Identifier: BSD-2-Clause
#include "measure/collect/span_meter.h"

#include <algorithm>
#include <string>

#include "measure/group_name.h"

namespace measure {

uint32_t SpanMeter::NameOf(SpanKind kind, const fxt::Event& event) {
  // "wait4" is not "wait3"; an interrupt's number changes from boot to boot.
  return names_.Add(kind == SpanKind::kSyscall ? std::string(event.name.text)
                                               : FoldDigits(event.name.text));
}

std::optional<SpanKind> SpanMeter::KindOf(const fxt::Event& event) {
  if (event.type != fxt::EventType::kDurationBegin && event.type != fxt::EventType::kDurationEnd) {
    return std::nullopt;
  }
  if (event.category.text == "syscall") return SpanKind::kSyscall;
  if (event.category.text == "irq") return SpanKind::kIrq;
  if (event.category.text == "softirq") return SpanKind::kSoftirq;
  return std::nullopt;
}

SpanMeter::Track* SpanMeter::TrackOf(SpanKind kind, fxt::Koid koid) {
  // Tracks of CPUs are threads of their own, by kind.
  const uint32_t index = index_.Add(koid);
  if (index == facts::KoidIndex::kNone) return nullptr;
  if (index >= tracks_.size()) tracks_.push_back({.koid = koid, .kind = kind});
  return &tracks_[index];
}

void SpanMeter::Begin(SpanKind kind, const fxt::Event& event, uint64_t time, uint32_t owner) {
  Track* track = TrackOf(kind, event.thread.thread);
  if (track == nullptr) return;
  track->kind = kind;
  track->open = true;
  track->seen = true;
  track->owner = owner;
  track->name = NameOf(kind, event);
  track->losses = losses_;
  track->begin = time;
}

std::optional<ClosedSpan> SpanMeter::End(SpanKind kind, const fxt::Event& event, uint64_t time,
                                         uint64_t window_begin, uint32_t owner) {
  Track* track = TrackOf(kind, event.thread.thread);
  if (track == nullptr) return std::nullopt;
  const uint32_t name = NameOf(kind, event);
  ClosedSpan span{.kind = kind, .track = track->koid, .owner = owner, .name = name, .end = time};
  if (!track->seen) {
    track->seen = true;
    span.begin = std::min(window_begin, time);
    span.extent = losses_ == 0 ? Extent::kCut : Extent::kUnknown;
    return span;
  }
  if (!track->open || track->name != name || track->kind != kind) {
    track->open = false;
    return std::nullopt;
  }
  track->open = false;
  span.owner = track->owner;
  span.begin = std::min(track->begin, time);
  if (track->losses != losses_) span.extent = Extent::kUnknown;
  return span;
}

std::vector<ClosedSpan> SpanMeter::Finish(uint64_t end) const {
  std::vector<ClosedSpan> spans;
  for (const Track& track : tracks_) {
    if (!track.open) continue;
    spans.push_back({.kind = track.kind,
                     .track = track.koid,
                     .owner = track.owner,
                     .name = track.name,
                     .begin = std::min(track.begin, end),
                     .end = end,
                     .extent = track.losses == losses_ ? Extent::kCut : Extent::kUnknown});
  }
  return spans;
}

}  // namespace measure
