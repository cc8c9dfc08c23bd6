// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/draw/drawing_svg.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>

#include "analyze/draw/drawing_layout.h"
#include "analyze/draw/label.h"
#include "util/format_library.h"
#include "util/quantity.h"

namespace analyze {
namespace {

using State = Drawing::State;

constexpr double kLeft = DrawingLayout::kLeft;
constexpr double kTop = DrawingLayout::kTop;
constexpr double kHigh = DrawingLayout::kHigh;
constexpr double kSpanPitch = DrawingLayout::kSpanPitch;

constexpr double kText = 11;
constexpr double kSmall = 10;

constexpr uint64_t kMillisecond = 1'000'000;

struct StateLegend {
  const char* colour;
  const char* words;
};
// In order of State.
constexpr StateLegend kStateWords[Drawing::kStates] = {
    {"running", "running"},
    {"wakeup", "waits for a CPU, woken"},
    {"preempted", "waits for a CPU, preempted"},
    {"sleeping", "sleeps"},
    {"blocked", "blocked"},
    {"stopped", "stopped"},
    {"throttled", "throttled by its cgroup's quota"},
    {"unknown", "not known"},
};

// By Drawing::Mark.
constexpr const char* kMarkColours[] = {"other", "new", "waker"};

// Turns a drawing into shapes.
class Painter {
 public:
  Painter(const Drawing& drawing, std::string_view title)
      : drawing_(drawing), title_(title), place_(drawing) {
    picture_.width = static_cast<double>(drawing.slots + kDrawingMargins);
  }

  Picture Paint() {
    const double bottom = place_.bottom() + 30;
    picture_.height = bottom + 18 * static_cast<double>(LegendRows()) + 6;
    Rect(0, 0, width(), picture_.height, "card");
    Heading();
    Axis();
    if (drawing_.focus) PaintFocus(*drawing_.focus);
    for (const auto& lane : drawing_.cpus) PaintCpu(lane, place_.OfCpu(lane.cpu));
    for (const auto& lane : drawing_.threads) PaintThread(lane, place_.OfThread(lane.koid));
    Wakes();
    PaintPath();
    Losses();
    Legend(bottom);
    return std::move(picture_);
  }

 private:
  double width() const { return picture_.width; }
  void Rect(double x, double y, double width, double height, const char* colour,
            std::string tip = "") {
    picture_.shapes.push_back({.kind = Shape::Kind::kRect,
                               .x = x,
                               .y = y,
                               .width = width,
                               .height = height,
                               .colour = colour,
                               .tip = std::move(tip)});
  }
  void Line(double x1, double y1, double x2, double y2, const char* colour,
            Shape::Style style = Shape::Style::kPlain) {
    picture_.shapes.push_back({.kind = Shape::Kind::kLine,
                               .x = x1,
                               .y = y1,
                               .width = x2 - x1,
                               .height = y2 - y1,
                               .colour = colour,
                               .style = style});
  }
  void Text(double x, double y, std::string_view text, double room, double size, const char* colour,
            Shape::Style style = Shape::Style::kPlain, std::string tip = "") {
    std::string fitted = FittedLabel(text, room, size);
    if (fitted.empty()) return;
    picture_.shapes.push_back({.kind = Shape::Kind::kText,
                               .x = x,
                               .y = y,
                               .size = size,
                               .colour = colour,
                               .style = style,
                               .text = std::move(fitted),
                               .tip = std::move(tip)});
  }

  void Heading() {
    Text(14, 24, title_, width() - 28, 15, "ink", Shape::Style::kStrong);
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
    Text(14, 42, text, width() - 28, kText, "soft");
  }

  // A length of any size, below a millisecond in us or ns.
  static std::string Length(uint64_t ns) {
    if (ns >= kMillisecond) return util::FormatDuration(ns);
    if (ns < 1'000) return fmt::format("{} ns", ns);
    return fmt::format("{:.6g} us", static_cast<double>(ns) / 1e3);
  }

  // Seconds since the begin of the trace, with the digits of `step`.
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
    // The last time may be the greatest 64-bit number.
    bool more = true;
    for (uint64_t past = (step - begin % step) % step; more && past <= length; past += step) {
      more = length - past >= step;
      const double x = place_.X(drawing_.begin + past);
      const std::string text = Moment(drawing_.first + begin + past, step);
      Line(x, kTop - 8, x, place_.bottom(), "line");
      if (x + LabelWidth(text) * kText / 2 > width()) continue;
      Text(x, kTop - 13, text, width(), kText, "soft", Shape::Style::kCentred);
    }
  }

  void PaintCpu(const Drawing::CpuLane& lane, double y) {
    Text(14, y + 13, fmt::format("CPU {}", lane.cpu), kLeft - 22, kText, "ink");
    Rect(kLeft, y, static_cast<double>(drawing_.slots), kHigh, "tint");
    // Columns first: busy, idle, and unknown time.
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
      const bool marked = run.mark != Drawing::Mark::kNone;
      Rect(x, y, std::max(0.5, wide - 0.5), kHigh, kMarkColours[static_cast<size_t>(run.mark)],
           fmt::format("{}\n{}", run.name, Length(run.end - run.begin)));
      Inside(x, x + wide, y, kHigh, run.name, marked ? "card" : "other-ink");
    }
    double drawn = 0;
    for (const auto& span : lane.spans) {
      const double x = place_.X(span.begin);
      if (x < drawn) continue;
      drawn = std::max(place_.X(span.end), x + 0.8);
      Rect(x, y, drawn - x, 3, "new");
    }
  }

  // A band below the lane of the thread that the path is on, and lines from thread to thread.
  void PaintPath() {
    constexpr double kBand = 4;
    constexpr double kNone = -1;
    double last = kNone;  // the lane of the part before
    for (const auto& part : drawing_.path) {
      const bool has_lane = std::any_of(drawing_.threads.begin(), drawing_.threads.end(),
                                        [&](const auto& lane) { return lane.koid == part.thread; });
      const uint64_t begin = std::max(part.begin, drawing_.begin);
      const uint64_t end = std::min(part.end, drawing_.end);
      if (!has_lane || begin >= end) {
        last = kNone;
        continue;
      }
      const double x = place_.X(begin);
      const double y = place_.OfThread(part.thread) + kHigh - kBand / 2;
      Rect(x, y, std::max(0.8, place_.X(end) - x), kBand, "new",
           fmt::format("{}\n{}", part.what, Length(part.end - part.begin)));
      if (last != kNone && last != y) {
        Line(x, std::min(last, y), x, std::max(last, y) + kBand, "new");
      }
      last = y;
    }
  }

  // A name in a box, at a place that no mark crosses. Left out if it does not fit.
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
      Text(x, y + high / 2 + 3, fitted, wide + 1, kSmall, colour);
      return;
    }
  }

  // Bars on the ground of a lane, as high as `share` of a column says.
  template <typename Share>
  void Bars(double y, Share&& share, const char* colour) {
    for (size_t begin = 0; begin < drawing_.slots;) {
      const double high = std::min(1.0, share(begin));
      size_t end = begin + 1;
      while (end < drawing_.slots && std::min(1.0, share(end)) == high) ++end;
      if (high > 0) {
        Rect(kLeft + static_cast<double>(begin), y + kHigh * (1 - high),
             static_cast<double>(end - begin), kHigh * high, colour);
      }
      begin = end;
    }
  }

  template <typename Is>
  void Blocks(double y, double height, Is&& is, const char* colour) {
    for (size_t begin = 0; begin < drawing_.slots;) {
      if (!is(begin)) {
        ++begin;
        continue;
      }
      size_t end = begin + 1;
      while (end < drawing_.slots && is(end)) ++end;
      Rect(kLeft + static_cast<double>(begin), y, static_cast<double>(end - begin), height, colour);
      begin = end;
    }
  }

  // The longest state in that column, except runs.
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
    Text(14, y + 13, fitted + id, kLeft - 22, kText, "ink", Shape::Style::kPlain,
         fmt::format("{} of {}{}", name, lane.process, id));
    Rect(kLeft, y, static_cast<double>(drawing_.slots), kHigh, "tint");
    for (size_t state = 1; state < Drawing::kStates; ++state) {
      const bool thin = state == static_cast<size_t>(State::kSleeping) ||
                        state == static_cast<size_t>(State::kUnknown);
      Blocks(
          thin ? y + 5 : y, thin ? kHigh - 10 : kHigh,
          [&](size_t slot) { return WaitIn(lane, slot) == state; }, kStateWords[state].colour);
    }
    // Any run is visible, however short.
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
      // A span of less than a pixel hides nothing of the next one.
      const double x = std::max(place_.X(span->begin), drawn);
      const double end = place_.X(span->end);
      if (place_.X(span->begin) < drawn && end < drawn + 0.8) continue;
      drawn = std::max(end, x + 0.8);
      Rect(x, y, drawn - x, kSpanPitch - 2, "base");
      Inside(x, drawn, y, kSpanPitch - 2, span->name, "card");
    }
  }

  // An arrow from the lane of the waker to that of the woken thread. Without a lane of the waker
  // the head alone.
  void Wakes() {
    for (const DrawingLayout::Mark& wake : place_.wakes()) {
      const bool down = wake.from < wake.to;
      const double tip = down ? wake.to : wake.to + kHigh;
      const double tail = down ? std::min(wake.from + kHigh, tip) : wake.from;
      if (std::abs(tip - tail) > 6) Line(wake.x, tail, wake.x, tip, "ink", Shape::Style::kThin);
      picture_.shapes.push_back({.kind = Shape::Kind::kArrowHead,
                                 .x = wake.x,
                                 .y = tip,
                                 .height = down ? -5.0 : 5.0,
                                 .colour = "ink"});
    }
  }

  // The interval that the picture is about.
  void PaintFocus(const Drawing::Interval& focus) {
    const double x = place_.X(focus.begin);
    const double wide = std::max(1.0, place_.X(focus.end) - x);
    Rect(x, kTop - 6, wide, place_.bottom() - kTop + 6, "tint");
    Line(x, kTop - 6, x, place_.bottom(), "new", Shape::Style::kDashed);
    Line(x + wide, kTop - 6, x + wide, place_.bottom(), "new", Shape::Style::kDashed);
  }

  void Losses() {
    for (const DrawingLayout::Mark& loss : place_.losses()) {
      Line(loss.x, loss.from, loss.x, loss.to, "worse", Shape::Style::kDashed);
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
    const auto has = [&](Drawing::Mark mark) {
      return std::any_of(drawing_.cpus.begin(), drawing_.cpus.end(), [&](const auto& lane) {
        return std::any_of(lane.runs.begin(), lane.runs.end(),
                           [&](const auto& run) { return run.mark == mark; });
      });
    };
    if (has(Drawing::Mark::kSelf)) entries.push_back({"the thread on a CPU", "new"});
    if (has(Drawing::Mark::kWaker)) entries.push_back({"its waker", "waker"});
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
      if (x + wide > width() - 14) {
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
      Text(x + 16, y + 9, entry.words, width(), kText, "soft");
    });
  }

  const Drawing& drawing_;
  std::string_view title_;
  Picture picture_;
  DrawingLayout place_;
};

// Writes shapes as SVG.
class SvgWriter {
 public:
  explicit SvgWriter(const Palette& palette) : palette_(palette) {}

  std::string Write(const Picture& picture) {
    Add("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} "
        "{1}\" font-family=\"system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'DejaVu "
        "Sans', sans-serif\" font-size=\"{2}\">\n",
        picture.width, picture.height, kText);
    for (const Shape& shape : picture.shapes) WriteShape(shape);
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
    if (colour.empty()) colour = palette_(name);
    return colour;
  }

  static const char* Attributes(Shape::Style style) {
    switch (style) {
      case Shape::Style::kPlain:
        return "";
      case Shape::Style::kStrong:
        return "font-weight=\"600\"";
      case Shape::Style::kCentred:
        return "text-anchor=\"middle\"";
      case Shape::Style::kThin:
        return "stroke-width=\"1\"";
      case Shape::Style::kDashed:
        return "class=\"loss\" stroke-width=\"1.5\" stroke-dasharray=\"3 2\"";
    }
    return "";
  }

  void WriteShape(const Shape& shape) {
    const std::string& colour = Colour(shape.colour);
    switch (shape.kind) {
      case Shape::Kind::kRect:
        return Add(
            "<rect x=\"{:.6g}\" y=\"{:.6g}\" width=\"{:.6g}\" height=\"{:.6g}\" fill=\"{}\"/>\n",
            shape.x, shape.y, shape.width, shape.height, colour);
      case Shape::Kind::kLine:
        return Add(
            "<line x1=\"{:.6g}\" y1=\"{:.6g}\" x2=\"{:.6g}\" y2=\"{:.6g}\" stroke=\"{}\" {}/>\n",
            shape.x, shape.y, shape.x + shape.width, shape.y + shape.height, colour,
            Attributes(shape.style));
      case Shape::Kind::kText:
        if (!shape.tip.empty()) Add("<g><title>{}</title>\n", XmlText(shape.tip));
        Add("<text x=\"{:.6g}\" y=\"{:.6g}\" font-size=\"{}\" fill=\"{}\" {}>{}</text>\n", shape.x,
            shape.y, shape.size, colour, Attributes(shape.style), XmlText(shape.text));
        if (!shape.tip.empty()) Add("</g>\n");
        return;
      case Shape::Kind::kArrowHead:
        return Add("<path class=\"wake\" d=\"M{0:.6g} {1:.6g} l-3 {2} l6 0 z\" fill=\"{3}\"/>\n",
                   shape.x, shape.y, shape.height, colour);
    }
  }

  const Palette& palette_;
  fmt::memory_buffer out_;
  std::map<std::string, std::string, std::less<>> colours_;
};

}  // namespace

Picture PictureOf(const Drawing& drawing, std::string_view title) {
  return Painter(drawing, title).Paint();
}

std::string DrawingSvg(const Drawing& drawing, std::string_view title, const Palette& palette) {
  return SvgWriter(palette).Write(PictureOf(drawing, title));
}

}  // namespace analyze
