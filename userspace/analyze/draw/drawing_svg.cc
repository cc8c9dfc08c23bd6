// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/draw/drawing_svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

#include "analyze/draw/drawing_layout.h"
#include "analyze/draw/label.h"
#include "analyze/page/palette.h"
#include "util/quantity.h"

namespace analyze {
namespace {

using State = Drawing::State;

constexpr double kLeft = DrawingLayout::kLeft;
constexpr double kTop = DrawingLayout::kTop;
constexpr double kHigh = DrawingLayout::kHigh;
constexpr double kSpanPitch = DrawingLayout::kSpanPitch;

constexpr double kWidth = 1200;
constexpr double kText = 11;
constexpr double kSmall = 10;

constexpr uint64_t kMillisecond = 1'000'000;

struct StateWords {
  const char* colour;
  const char* words;
};
// In order of State.
constexpr StateWords kStateWords[Drawing::kStates] = {
    {"running", "running"},
    {"wakeup", "waits for a CPU, woken"},
    {"preempted", "waits for a CPU, preempted"},
    {"sleeping", "sleeps"},
    {"blocked", "blocked"},
    {"stopped", "stopped"},
    {"unknown", "not known"},
};

class Painter {
 public:
  Painter(const Drawing& drawing, std::string_view title)
      : drawing_(drawing), title_(title), place_(drawing) {}

  std::string Paint() {
    const double bottom = place_.bottom() + 30;
    const auto legend = LegendRows();
    const double height = bottom + 18 * static_cast<double>(legend) + 6;
    Add("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} "
        "{1}\" font-family=\"system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'DejaVu "
        "Sans', sans-serif\" font-size=\"{2}\">\n",
        kWidth, height, kText);
    Rect(0, 0, kWidth, height, "card");
    Heading();
    Axis();
    for (const auto& lane : drawing_.cpus) PaintCpu(lane, place_.OfCpu(lane.cpu));
    for (const auto& lane : drawing_.threads) PaintThread(lane, place_.OfThread(lane.koid));
    Wakes();
    Losses();
    Legend(bottom);
    Add("</svg>\n");
    return fmt::to_string(out_);
  }

 private:
  template <typename... Args>
  void Add(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
  }

  const std::string& Colour(const char* name) {
    std::string& colour = colours_[name];
    if (colour.empty()) colour = PageColour(name);
    return colour;
  }

  void Rect(double x, double y, double width, double height, const char* colour) {
    Add("<rect x=\"{:.6g}\" y=\"{:.6g}\" width=\"{:.6g}\" height=\"{:.6g}\" fill=\"{}\"/>\n", x, y,
        width, height, Colour(colour));
  }
  void Line(double x1, double y1, double x2, double y2, const char* colour, const char* more = "") {
    Add("<line x1=\"{:.6g}\" y1=\"{:.6g}\" x2=\"{:.6g}\" y2=\"{:.6g}\" stroke=\"{}\" {}/>\n", x1,
        y1, x2, y2, Colour(colour), more);
  }
  void Text(double x, double y, std::string_view text, double room, double size, const char* colour,
            const char* more = "") {
    const std::string fitted = FittedLabel(text, room, size);
    if (fitted.empty()) return;
    Add("<text x=\"{:.6g}\" y=\"{:.6g}\" font-size=\"{}\" fill=\"{}\" {}>{}</text>\n", x, y, size,
        Colour(colour), more, XmlText(fitted));
  }

  void Heading() {
    Text(14, 24, title_, kWidth - 28, 15, "ink", "font-weight=\"600\"");
    const uint64_t length = drawing_.end - drawing_.begin;
    const std::string cpus =
        drawing_.other_cpus == 0
            ? fmt::format("{} CPU{}", drawing_.cpus.size(), drawing_.cpus.size() == 1 ? "" : "s")
            : fmt::format("{} of {} CPUs", drawing_.cpus.size(),
                          drawing_.cpus.size() + drawing_.other_cpus);
    std::string text =
        fmt::format("{} shown, from {} on · {}, {} of {} threads", Length(length),
                    Moment(drawing_.begin, length < kMillisecond ? 1 : 1'000), cpus,
                    drawing_.threads.size(), drawing_.threads.size() + drawing_.other_threads);
    if (!drawing_.is_whole) text += " · too much for one picture, some is left out";
    Text(14, 42, text, kWidth - 28, kText, "soft");
  }

  // No part of a millisecond is too short to be named.
  static std::string Length(uint64_t ns) {
    if (ns >= kMillisecond) return util::FormatDuration(ns);
    if (ns < 1'000) return fmt::format("{} ns", ns);
    return fmt::format("{:.6g} us", static_cast<double>(ns) / 1e3);
  }

  // Since the trace began, to the digit that `step` has.
  std::string Moment(uint64_t time, uint64_t step) const {
    int digits = 9;
    for (uint64_t unit = 1; digits > 0 && step % (unit * 10) == 0; unit *= 10) --digits;
    const double seconds = (static_cast<double>(time) - static_cast<double>(drawing_.first)) / 1e9;
    return fmt::format("{:.{}f} s", seconds, digits);
  }

  void Axis() {
    const uint64_t length = drawing_.end - drawing_.begin;
    uint64_t step = 1;
    const auto wide = [&] { return static_cast<double>(step) / drawing_.slot_ns() >= 140; };
    for (uint64_t unit = 1; !wide() && unit <= length; unit *= 10) {
      for (const uint64_t factor : {1, 2, 5}) {
        step = unit * factor;
        if (wide()) break;
      }
    }
    const uint64_t begin = drawing_.begin - std::min(drawing_.begin, drawing_.first);
    // Times of a trace may be any, up to the largest number.
    bool more = true;
    for (uint64_t past = (step - begin % step) % step; more && past <= length; past += step) {
      more = length - past >= step;
      const double x = place_.X(drawing_.begin + past);
      const std::string text = Moment(drawing_.first + begin + past, step);
      Line(x, kTop - 8, x, place_.bottom(), "line");
      if (x + LabelWidth(text) * kText / 2 > kWidth) continue;
      Text(x, kTop - 13, text, kWidth, kText, "soft", "text-anchor=\"middle\"");
    }
  }

  void PaintCpu(const Drawing::CpuLane& lane, double y) {
    Text(14, y + 13, fmt::format("CPU {}", lane.cpu), kLeft - 22, kText, "ink");
    Rect(kLeft, y, Drawing::kSlots, kHigh, "tint");
    // By columns first: how busy, idle, and what nobody knows.
    const double width = drawing_.slot_ns();
    const auto part = [&](double ns) { return ns / width; };
    Bars(
        y, [&](size_t slot) { return std::round(part(lane.busy[slot]) * 6) / 6; }, "many");
    Blocks(
        y + kHigh - 2, 2, [&](size_t slot) { return part(lane.idle[slot]) > 0.5; }, "line");
    Blocks(
        y, kHigh, [&](size_t slot) { return part(lane.busy[slot] + lane.idle[slot]) < 0.5; },
        "unknown");
    for (const auto& run : lane.runs) {
      const double x = place_.X(run.begin);
      const double wide = place_.X(run.end) - x;
      Rect(x, y, std::max(0.5, wide - 0.5), kHigh, "other");
      Inside(x, x + wide, y, kHigh, run.name, "other-ink");
    }
    double drawn = 0;
    for (const auto& span : lane.spans) {
      const double x = place_.X(span.begin);
      if (x < drawn) continue;
      drawn = std::max(place_.X(span.end), x + 0.8);
      Rect(x, y, drawn - x, 3, "new");
    }
  }

  // A name in a box, where no mark goes through it; nowhere if it does not fit.
  void Inside(double left, double right, double y, double high, std::string_view name,
              const char* colour) {
    constexpr double kMargin = 3;
    constexpr double kStep = 16;
    constexpr int kSteps = 20;
    const std::string fitted = FittedLabel(name, right - left - 2 * kMargin, kSmall);
    if (fitted.empty()) return;
    const double wide = LabelWidth(fitted) * kSmall;
    double x = left + kMargin;
    for (int i = 0; i < kSteps && x + wide <= right - kMargin + 0.01; ++i, x += kStep) {
      if (place_.IsCrossed(x, x + wide, y, y + high)) continue;
      Text(x, y + high / 2 + 3.5, fitted, wide + 1, kSmall, colour);
      return;
    }
  }

  // Bars on the ground of a lane, as high as `share` of a column says.
  template <typename Share>
  void Bars(double y, Share&& share, const char* colour) {
    for (size_t begin = 0; begin < Drawing::kSlots;) {
      const double high = std::min(1.0, share(begin));
      size_t end = begin + 1;
      while (end < Drawing::kSlots && std::min(1.0, share(end)) == high) ++end;
      if (high > 0) {
        Rect(kLeft + static_cast<double>(begin), y + kHigh * (1 - high),
             static_cast<double>(end - begin), kHigh * high, colour);
      }
      begin = end;
    }
  }

  template <typename Is>
  void Blocks(double y, double height, Is&& is, const char* colour) {
    for (size_t begin = 0; begin < Drawing::kSlots;) {
      if (!is(begin)) {
        ++begin;
        continue;
      }
      size_t end = begin + 1;
      while (end < Drawing::kSlots && is(end)) ++end;
      Rect(kLeft + static_cast<double>(begin), y, static_cast<double>(end - begin), height, colour);
      begin = end;
    }
  }

  // What it did most in that column, runs apart.
  static size_t WaitIn(const Drawing::ThreadLane& lane, size_t slot) {
    const auto& ns = lane.slots[slot];
    size_t most = 1;
    for (size_t state = 2; state < Drawing::kStates; ++state) {
      if (ns[state] > ns[most]) most = state;
    }
    return ns[most] == 0 ? 0 : most;
  }

  void PaintThread(const Drawing::ThreadLane& lane, double y) {
    const std::string name = lane.thread.empty() ? "(no name)" : lane.thread;
    const std::string id = lane.tid ? fmt::format(" {}", *lane.tid) : "";
    const std::string fitted = FittedLabel(name, kLeft - 24 - LabelWidth(id) * kText, kText);
    Add("<g><title>{} of {}{}</title>\n", XmlText(name), XmlText(lane.process), id);
    Text(14, y + 13, fitted + id, kLeft - 22, kText, "ink");
    Add("</g>\n");
    Rect(kLeft, y, Drawing::kSlots, kHigh, "tint");
    for (size_t state = 1; state < Drawing::kStates; ++state) {
      const bool thin = state == static_cast<size_t>(State::kSleeping) ||
                        state == static_cast<size_t>(State::kUnknown);
      Blocks(
          thin ? y + 5 : y, thin ? kHigh - 10 : kHigh,
          [&](size_t slot) { return WaitIn(lane, slot) == state; }, kStateWords[state].colour);
    }
    // However short a run is, it is seen.
    const auto running = [&](size_t slot) {
      const auto ns = lane.slots[slot][static_cast<size_t>(State::kRunning)];
      const double share = ns / drawing_.slot_ns();
      return ns == 0 ? 0.0 : std::max(1.0, std::round(share * 4)) / 4;
    };
    Bars(y, running, "running");
    double below = y + kHigh + 2;
    for (const auto& row : place_.SpansOf(lane.koid)) {
      PaintSpans(row, below);
      below += kSpanPitch;
    }
  }

  void PaintSpans(const std::vector<const Drawing::Span*>& row, double y) {
    double drawn = 0;
    for (const auto* span : row) {
      // One that is too short to be seen takes nothing of a long one behind it.
      const double x = std::max(place_.X(span->begin), drawn);
      const double end = place_.X(span->end);
      if (place_.X(span->begin) < drawn && end < drawn + 0.8) continue;
      drawn = std::max(end, x + 0.8);
      Rect(x, y, drawn - x, kSpanPitch - 2, "base");
      Inside(x, drawn, y, kSpanPitch - 2, span->name, "card");
    }
  }

  // From the lane of the waker to that of whom it woke; where nobody shown woke it, the head alone.
  void Wakes() {
    for (const DrawingLayout::Mark& wake : place_.wakes()) {
      const bool down = wake.from < wake.to;
      const double tip = down ? wake.to : wake.to + kHigh;
      const double tail = down ? std::min(wake.from + kHigh, tip) : wake.from;
      if (std::abs(tip - tail) > 6) Line(wake.x, tail, wake.x, tip, "ink", "stroke-width=\"1\"");
      Add("<path class=\"wake\" d=\"M{0:.6g} {1:.6g} l-3 {2} l6 0 z\" fill=\"{3}\"/>\n", wake.x,
          tip, down ? -5 : 5, Colour("ink"));
    }
  }

  void Losses() {
    for (const DrawingLayout::Mark& loss : place_.losses()) {
      Line(loss.x, loss.from, loss.x, loss.to, "worse",
           "class=\"loss\" stroke-width=\"1.5\" stroke-dasharray=\"3 2\"");
    }
  }

  struct LegendEntry {
    std::string words;
    const char* colour;
  };
  std::vector<LegendEntry> LegendEntries() const {
    std::vector<LegendEntry> entries;
    std::array<bool, Drawing::kStates> seen{};
    for (const auto& lane : drawing_.threads) {
      for (const auto& slot : lane.slots) {
        for (size_t i = 0; i < seen.size(); ++i) seen[i] = seen[i] || slot[i] != 0;
      }
    }
    for (size_t i = 0; i < seen.size(); ++i) {
      if (seen[i]) entries.push_back({kStateWords[i].words, kStateWords[i].colour});
    }
    entries.push_back({"a thread on a CPU", "other"});
    entries.push_back({"short runs", "many"});
    const auto has_spans = [](const auto& lane) { return !lane.spans.empty(); };
    if (std::any_of(drawing_.threads.begin(), drawing_.threads.end(), has_spans)) {
      entries.push_back({"spans", "base"});
    }
    if (std::any_of(drawing_.cpus.begin(), drawing_.cpus.end(), has_spans)) {
      entries.push_back({"interrupts", "new"});
    }
    if (!place_.wakes().empty()) {
      entries.push_back({place_.joined_wakes() == 0
                             ? "wakeup, from the waker"
                             : "wakeups, from the waker (close ones are one arrow)",
                         "ink"});
    }
    if (!drawing_.losses.empty()) entries.push_back({"events are missing", "worse"});
    return entries;
  }
  template <typename Each>
  size_t PlaceLegend(Each&& each) const {
    double x = 14;
    size_t row = 0;
    for (const LegendEntry& entry : LegendEntries()) {
      const double wide = 16 + LabelWidth(entry.words) * kText + 10;
      if (x + wide > kWidth - 14) {
        x = 14;
        ++row;
      }
      each(entry, x, row);
      x += wide;
    }
    return row + 1;
  }
  size_t LegendRows() const {
    return PlaceLegend([](const LegendEntry&, double, size_t) {});
  }
  void Legend(double top) {
    PlaceLegend([&](const LegendEntry& entry, double x, size_t row) {
      const double y = top + 18 * static_cast<double>(row) - 12;
      Rect(x, y, 10, 10, entry.colour);
      Text(x + 16, y + 9, entry.words, kWidth, kText, "soft");
    });
  }

  const Drawing& drawing_;
  std::string_view title_;
  fmt::memory_buffer out_;
  std::map<std::string, std::string, std::less<>> colours_;
  DrawingLayout place_;
};

}  // namespace

std::string DrawingSvg(const Drawing& drawing, std::string_view title) {
  return Painter(drawing, title).Paint();
}

}  // namespace analyze
