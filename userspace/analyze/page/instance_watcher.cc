// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/page/instance_watcher.h"

#include <algorithm>

namespace analyze {
namespace {

using Activity = InstancePicture::Activity;

// The least margin before and after an instance.
constexpr uint64_t kLeastMargin = 20'000;  // ns

bool IsIn(const InstancePicture& picture, uint64_t begin, uint64_t end) {
  return begin < picture.last && end > picture.first;
}

}  // namespace

InstanceWatcher::InstanceWatcher(const std::vector<Instance>& instances) {
  for (const Instance& instance : instances) {
    InstancePicture& picture = pictures_.emplace_back();
    const uint64_t margin = std::max(instance.length / 5, kLeastMargin);
    const uint64_t end = instance.begin + std::min(instance.length, UINT64_MAX - instance.begin);
    picture.instance = instance;
    picture.first = instance.begin - std::min(instance.begin, margin);
    picture.last = end + std::min(margin, UINT64_MAX - end);
  }
}

uint64_t InstanceWatcher::until() const {
  uint64_t time = 0;
  for (const InstancePicture& picture : pictures_) time = std::max(time, picture.last);
  return time;
}

void InstanceWatcher::OnRun(const facts::Run& run) {
  AddPiece(run.cpu, {run.begin, run.end, Activity::kRun, run.thread, run.end - run.begin});
  AddState({run.begin, run.end, run.thread, facts::ShareOf(run)});
}

void InstanceWatcher::OnWait(const facts::Wait& wait) {
  AddState({wait.begin, wait.end, wait.thread, facts::ShareOf(wait)});
  chains_.Add(wait);
  for (InstancePicture& picture : pictures_) {
    if (wait.thread == picture.instance.thread && wait.begin == picture.instance.begin) {
      picture.chain = chains_.ChainOf(wait);
    }
  }
}

void InstanceWatcher::OnIdle(const facts::Idle& idle) {
  AddPiece(idle.cpu, {idle.begin, idle.end, Activity::kIdle, 0, 0});
}

void InstanceWatcher::OnGap(const facts::Gap& gap) {
  AddPiece(gap.cpu, {gap.begin, gap.end, Activity::kUnknown, 0, 0});
}

void InstanceWatcher::AddPiece(uint32_t cpu, const InstancePicture::Piece& piece) {
  for (InstancePicture& picture : pictures_) {
    if (!IsIn(picture, piece.begin, piece.end)) continue;
    auto lane = std::lower_bound(
        picture.cpus.begin(), picture.cpus.end(), cpu,
        [](const InstancePicture::Lane& one, uint32_t number) { return one.cpu < number; });
    if (lane == picture.cpus.end() || lane->cpu != cpu) {
      if (picture.cpus.size() >= InstancePicture::kCpus) continue;
      lane = picture.cpus.insert(lane, {cpu, {}});
    }
    InstancePicture::Piece part = piece;
    part.begin = std::max(part.begin, picture.first);
    part.end = std::min(part.end, picture.last);
    part.busy_ns = part.busy_ns == 0 ? 0 : part.end - part.begin;
    if (part.end - part.begin >= picture.shortest()) {
      lane->pieces.push_back(part);
      continue;
    }
    InstancePicture::Piece* before = lane->pieces.empty() ? nullptr : &lane->pieces.back();
    if (before != nullptr && before->what == Activity::kMany && before->end <= part.begin &&
        part.begin - before->end <= picture.shortest()) {
      before->end = part.end;
      before->busy_ns += part.busy_ns;
    } else if (lane->pieces.size() < 2 * InstancePicture::kParts) {
      part.what = Activity::kMany;
      part.thread = 0;
      lane->pieces.push_back(part);
    }
  }
}

void InstanceWatcher::AddState(const InstancePicture::State& state) {
  for (InstancePicture& picture : pictures_) {
    if (!IsIn(picture, state.begin, state.end)) continue;
    InstancePicture::State part = state;
    part.begin = std::max(part.begin, picture.first);
    part.end = std::min(part.end, picture.last);
    if (part.end - part.begin < picture.shortest()) continue;
    if (picture.states.size() < InstancePicture::kStates) picture.states.push_back(part);
  }
}

}  // namespace analyze
