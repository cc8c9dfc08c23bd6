// SPDX-License-Identifier: BSD-2-Clause
#include "session/trigger/trigger_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "capture/capture_session.h"
#include "util/quantity.h"

namespace session {
namespace {

constexpr uint64_t kMinute = uint64_t{60} * 1'000'000'000;
// Limit of firings in the file of one snapshot.
constexpr size_t kMaxMarks = 100;
// Limit of task lookups per turn.
constexpr unsigned kMaxLookups = 50;
// The intervals between scans of the slots, ms. The rings must not wrap around meanwhile: a CPU
// writes at most kSlotsPerMs slots.
constexpr int kScanMs = 200;
constexpr int kBusyScanMs = 20;
constexpr unsigned kBusyPercent = 15;
constexpr uint64_t kSlotsPerMs = 1000;

bool IsBelow(const std::string& path, const std::string& cgroup) {
  return cgroup == "/" || path == cgroup ||
         (path.size() > cgroup.size() && path.starts_with(cgroup) && path[cgroup.size()] == '/');
}

}  // namespace

util::Result<std::unique_ptr<TriggerSet>> TriggerSet::Make(const std::vector<TriggerSpec>& specs,
                                                           uint64_t before, uint64_t after,
                                                           Recording& recording) {
  std::unique_ptr<TriggerSet> set(new TriggerSet(before, after, recording));
  set->limits_.fill(UINT64_MAX);
  for (const TriggerSpec& spec : specs) {
    TriggerState& state = set->triggers_.emplace_back(TriggerState{spec});
    if (spec.watches_slots()) {
      uint64_t& limit = set->limits_[static_cast<size_t>(spec.kind)];
      limit = std::min(limit, spec.above);
    } else if (spec.kind == TriggerKind::kPressure) {
      auto watch = PressureWatch::Open(spec);
      if (!watch) return watch.TakeError();
      set->pressures_.push_back({&state, std::move(*watch)});
    } else if (spec.kind == TriggerKind::kLog) {
      auto watch = KernelLogWatch::Open(spec);
      if (!watch) return watch.TakeError();
      set->logs_.push_back({&state, std::move(*watch)});
    }
  }
  set->last_minute_.resize(set->triggers_.size());
  return set;
}

void TriggerSet::Begin() {
  const bool watches = std::any_of(limits_.begin(), limits_.end(),
                                   [](uint64_t limit) { return limit != UINT64_MAX; });
  if (!watches) return;
  std::vector<capture::SlotRing> rings;
  for (uint32_t cpu = 0; cpu < recording_.capture().ring_count(); ++cpu) {
    rings.push_back(recording_.capture().ring(cpu));
  }
  slots_.emplace(rings, limits_);
}

void TriggerSet::AddPollFds(std::vector<pollfd>& fds) const {
  for (const Pressure& each : pressures_) fds.push_back({each.watch.fd(), POLLPRI, 0});
  for (const Log& each : logs_) fds.push_back({each.watch.fd(), POLLIN, 0});
}

int TriggerSet::TimeoutMs() const {
  int timeout = -1;
  if (slots_) {
    const uint64_t half = std::min<uint64_t>(slots_->ring_slots() / 2 / kSlotsPerMs, kScanMs);
    const int calm = std::max(kBusyScanMs, static_cast<int>(half));
    timeout = slots_->fullest_percent() > kBusyPercent ? kBusyScanMs : calm;
  }
  if (pending_) {
    const uint64_t now = recording_.Now();
    const uint64_t left = pending_->until > now ? (pending_->until - now) / 1'000'000 + 1 : 0;
    const int wait = static_cast<int>(std::min<uint64_t>(left, 60'000));
    timeout = timeout < 0 ? wait : std::min(timeout, wait);
  }
  return timeout;
}

bool TriggerSet::MayFire(const TriggerState& trigger, uint64_t time) {
  const size_t index = static_cast<size_t>(
      std::find_if(triggers_.begin(), triggers_.end(),
                   [&](const TriggerState& each) { return &each == &trigger; }) -
      triggers_.begin());
  std::deque<uint64_t>& last = last_minute_[index];
  while (!last.empty() && last.front() + kMinute <= time) last.pop_front();
  const uint64_t snapshots = trigger.fired - trigger.limited;
  if (last.size() >= trigger.spec.per_minute || snapshots >= trigger.spec.count) return false;
  last.push_back(time);
  return true;
}

void TriggerSet::Fire(TriggerState& trigger, TriggerFired fired) {
  fired.what = trigger.spec.text;
  // Firings before the end of a pending snapshot are added to that snapshot.
  if (pending_ && fired.time <= pending_->until) {
    ++trigger.fired;
    ++trigger.limited;
    if (pending_->fired.size() < kMaxMarks) pending_->fired.push_back(std::move(fired));
    return;
  }
  const bool may = !pending_ && MayFire(trigger, fired.time);
  ++trigger.fired;
  if (!may) {
    ++trigger.limited;
    return;
  }
  const uint64_t before = trigger.spec.before.value_or(before_);
  const uint64_t after = trigger.spec.after.value_or(after_);
  pending_ = DueSnapshot{.fired = {}, .last = before + after, .until = fired.time + after};
  // 0: the whole buffer.
  if (before == 0) pending_->last = 0;
  pending_->fired.push_back(std::move(fired));
}

bool TriggerSet::IsOfTask(const TriggerSpec& spec, uint32_t tid) {
  if (spec.comm.empty() && spec.pid == 0 && spec.cgroup.empty()) return true;
  if (spec.pid == tid) return spec.comm.empty() && spec.cgroup.empty();
  // Limits the lookups, because looking up an ended task is slow.
  if (lookups_left_ == 0) return false;
  --lookups_left_;
  const auto task = recording_.FindTask(tid);
  if (!task) return false;
  if (!spec.comm.empty() &&
      spec.comm != std::string_view(task->comm, strnlen(task->comm, FXR_COMM_BYTES))) {
    return false;
  }
  if (spec.pid != 0 && spec.pid != task->tid && spec.pid != task->tgid) return false;
  return spec.cgroup.empty() ||
         IsBelow(recording_.capture().identities().CgroupPath(task->cgroup), spec.cgroup);
}

void TriggerSet::OnFound(const LatencyWatch::Found& found) {
  for (TriggerState& trigger : triggers_) {
    const TriggerSpec& spec = trigger.spec;
    if (spec.kind != found.kind || found.value <= spec.above) continue;
    if (spec.state && *spec.state != found.state) continue;
    if (!IsOfTask(spec, found.tid)) continue;
    Fire(trigger, {found.time, "", util::FormatDuration(found.value), found.tid});
  }
}

void TriggerSet::Turn(std::span<const pollfd> polled) {
  lookups_left_ = kMaxLookups;
  if (slots_) {
    slots_->Scan(recording_.Now(), [this](const LatencyWatch::Found& found) { OnFound(found); });
  }
  for (Pressure& each : pressures_) {
    for (const pollfd& fd : polled) {
      if (fd.fd != each.watch.fd() || fd.fd < 0) continue;
      if (fd.revents & POLLERR) {
        each.watch.Close();
      } else if (fd.revents & POLLPRI) {
        Fire(*each.trigger, {recording_.Now(), "", "", 0});
      }
    }
  }
  for (Log& each : logs_) {
    while (auto line = each.watch.Next()) {
      Fire(*each.trigger, {recording_.Now(), "", std::move(*line), 0});
    }
  }
}

bool TriggerSet::OnSignal() {
  bool any = false;
  for (TriggerState& trigger : triggers_) {
    if (trigger.spec.kind != TriggerKind::kSignal) continue;
    Fire(trigger, {recording_.Now(), "", "", 0});
    any = true;
  }
  return any;
}

bool TriggerSet::OnAlert(std::string_view name) {
  bool any = false;
  for (TriggerState& trigger : triggers_) {
    if (trigger.spec.kind != TriggerKind::kAlert || trigger.spec.name != name) continue;
    Fire(trigger, {recording_.Now(), "", "", 0});
    any = true;
  }
  return any;
}

bool TriggerSet::OnExit(int status) {
  bool any = false;
  for (TriggerState& trigger : triggers_) {
    const TriggerSpec& spec = trigger.spec;
    if (spec.kind != TriggerKind::kExit) continue;
    if (spec.status && (*spec.status == status) == spec.other_status) continue;
    Fire(trigger, {recording_.Now(), "", std::to_string(status), 0});
    any = true;
  }
  return any;
}

std::vector<DueSnapshot> TriggerSet::TakeDue(bool all) {
  std::vector<DueSnapshot> due;
  if (pending_ && (all || pending_->until <= recording_.Now())) {
    due.push_back(std::move(*pending_));
    pending_.reset();
  }
  return due;
}

}  // namespace session
