// SPDX-License-Identifier: BSD-2-Clause
// The layout of a Drawing in pixels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "analyze/draw/drawing.h"

namespace analyze {

class DrawingLayout {
 public:
  // The lanes begin here, and are as wide as a drawing has slots.
  static constexpr double kLeft = 184;
  static constexpr double kTop = 74;
  static constexpr double kPitch = 24;
  static constexpr double kHigh = 18;  // of a lane
  static constexpr double kSpanPitch = 14;
  static constexpr size_t kSpanRows = 3;

  // A vertical line. For a wakeup it goes from the top of the lane of the waker, or from a little
  // above the lane of the woken thread, to the top of the latter.
  struct Mark {
    double x = 0;
    double from = 0;
    double to = 0;
  };
  // Rows of spans below a lane. Spans of a row do not overlap. No row is empty.
  using SpanRows = std::vector<std::vector<const Drawing::Span*>>;

  // `drawing` must outlive it.
  explicit DrawingLayout(const Drawing& drawing);

  double X(uint64_t time) const {
    return kLeft + static_cast<double>(time - drawing_.begin) / drawing_.slot_ns();
  }
  // The top of a lane of the drawing.
  double OfCpu(uint32_t cpu) const { return cpus_.at(cpu); }
  double OfThread(fxt::Koid koid) const { return threads_.at(koid); }
  const SpanRows& SpansOf(fxt::Koid koid) const { return spans_.at(koid); }
  double bottom() const { return bottom_; }  // of the lowest lane
  const std::vector<Mark>& wakes() const { return wakes_; }
  const std::vector<Mark>& losses() const { return losses_; }
  // Wakeups without a mark, close to another one between the same threads.
  size_t joined_wakes() const { return joined_wakes_; }

  // Whether a mark crosses a box, where a name would not be readable.
  bool IsCrossed(double left, double right, double top, double bottom) const;

 private:
  void PlaceLosses();
  void PlaceWakes();

  const Drawing& drawing_;
  std::map<uint32_t, double> cpus_;
  std::map<fxt::Koid, double> threads_;
  std::map<fxt::Koid, SpanRows> spans_;
  std::vector<Mark> wakes_;
  std::vector<Mark> losses_;
  size_t joined_wakes_ = 0;
  double bottom_ = 0;
};

}  // namespace analyze
