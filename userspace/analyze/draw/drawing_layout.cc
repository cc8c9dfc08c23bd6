// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/draw/drawing_layout.h"

#include <algorithm>
#include <utility>

namespace analyze {
namespace {

// Between CPUs and threads.
constexpr double kBreak = 8;
// Arrows between the same threads that are closer (pixels) are drawn as one.
constexpr double kApart = 2.5;
constexpr double kHead = 5;

DrawingLayout::SpanRows Nested(const std::vector<Drawing::Span>& spans) {
  std::vector<const Drawing::Span*> order;
  for (const auto& span : spans) order.push_back(&span);
  std::stable_sort(order.begin(), order.end(), [](const auto* a, const auto* b) {
    return a->begin != b->begin ? a->begin < b->begin : a->end > b->end;
  });
  DrawingLayout::SpanRows rows;
  for (const auto* span : order) {
    const auto row = std::find_if(rows.begin(), rows.end(),
                                  [&](const auto& one) { return one.back()->end <= span->begin; });
    if (row != rows.end()) {
      row->push_back(span);
    } else if (rows.size() < DrawingLayout::kSpanRows) {
      rows.push_back({span});
    }
  }
  return rows;
}

}  // namespace

DrawingLayout::DrawingLayout(const Drawing& drawing) : drawing_(drawing) {
  double y = kTop;
  for (const auto& lane : drawing.cpus) {
    cpus_[lane.cpu] = y;
    y += kPitch;
  }
  y += kBreak;
  for (const auto& lane : drawing.threads) {
    threads_[lane.koid] = y;
    const SpanRows& rows = spans_[lane.koid] = Nested(lane.spans);
    y += kPitch + kSpanPitch * static_cast<double>(rows.size());
  }
  bottom_ = y;
  PlaceLosses();
  PlaceWakes();
}

void DrawingLayout::PlaceLosses() {
  for (const auto& loss : drawing_.losses) {
    const double x = X(std::clamp(loss.time, drawing_.begin, drawing_.end));
    const auto lane = loss.cpu ? cpus_.find(*loss.cpu) : cpus_.end();
    const bool of_one = lane != cpus_.end();
    losses_.push_back(
        {x, of_one ? lane->second - 2 : kTop - 2, of_one ? lane->second + kHigh + 2 : bottom_});
  }
}

void DrawingLayout::PlaceWakes() {
  std::map<std::pair<fxt::Koid, fxt::Koid>, double> last;
  for (const auto& wake : drawing_.wakes) {
    const auto to = threads_.find(wake.woken);
    if (to == threads_.end() || wake.time < drawing_.begin || wake.time > drawing_.end) continue;
    const double x = X(wake.time);
    const auto from = wake.waker ? threads_.find(*wake.waker) : threads_.end();
    const bool has_waker = from != threads_.end() && from != to;
    const auto key = std::pair(has_waker ? *wake.waker : UINT64_MAX, wake.woken);
    const auto before = last.find(key);
    if (before != last.end() && x - before->second < kApart) {
      ++joined_wakes_;
      continue;
    }
    last[key] = x;
    wakes_.push_back({x, has_waker ? from->second : to->second - kHead, to->second});
  }
}

bool DrawingLayout::IsCrossed(double left, double right, double top, double bottom) const {
  constexpr double kRoom = 4;
  const auto crosses = [&](const Mark& mark) {
    const auto [upper, lower] = std::minmax(mark.from, mark.to);
    return mark.x > left - kRoom && mark.x < right + kRoom && lower + kHigh > top && upper < bottom;
  };
  return std::any_of(wakes_.begin(), wakes_.end(), crosses) ||
         std::any_of(losses_.begin(), losses_.end(), crosses);
}

}  // namespace analyze
