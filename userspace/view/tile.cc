// SPDX-License-Identifier: BSD-2-Clause
#include "view/tile.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace view {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr uint32_t kMerged = 1u << 8;
constexpr uint32_t kCut = 1u << 9;

template <typename Value>
void Append(std::string& out, const Value& value) {
  std::array<char, sizeof(Value)> bytes;
  std::memcpy(bytes.data(), &value, sizeof value);
  out.append(bytes.data(), bytes.size());
}

// Writes the items of a lane, preceded by their number.
class ItemWriter {
 public:
  ItemWriter(const TileRange& range, std::string& out) : range_(range), out_(out), at_(out.size()) {
    Append(out_, uint32_t{0});
  }
  ~ItemWriter() { std::memcpy(out_.data() + at_, &count_, sizeof count_); }
  ItemWriter(const ItemWriter&) = delete;
  ItemWriter& operator=(const ItemWriter&) = delete;

  double Relative(uint64_t time) const {
    return time >= range_.origin ? static_cast<double>(time - range_.origin)
                                 : -static_cast<double>(range_.origin - time);
  }
  void Put(uint64_t begin, uint64_t end, uint32_t value, uint32_t info) {
    Append(out_, Relative(begin));
    Append(out_, Relative(end));
    Append(out_, value);
    Append(out_, info);
    ++count_;
  }
  void PutSample(uint64_t time, double value, float least, float greatest) {
    Append(out_, Relative(time));
    Append(out_, value);
    Append(out_, least);
    Append(out_, greatest);
    ++count_;
  }

 private:
  const TileRange& range_;
  std::string& out_;
  size_t at_;
  uint32_t count_ = 0;
};

// Merges the short intervals of one pixel.
struct Merged {
  uint64_t pixel = UINT64_MAX;  // its number in the tile; UINT64_MAX: none
  uint64_t begin = 0;
  uint64_t end = 0;
  std::array<double, kCountedStates> time = {};
  uint32_t top_value = Interval::kNone;
  double top_length = -1;

  void Flush(ItemWriter& items) {
    if (pixel == UINT64_MAX) return;
    const auto most = std::max_element(time.begin(), time.end());
    const double length = static_cast<double>(std::max<uint64_t>(end - begin, 1));
    const auto share = [&](double part) {
      return part == 0 ? 0u : static_cast<uint32_t>(std::clamp(part / length * 255, 1.0, 255.0));
    };
    if (*most > 0) {
      const auto state = static_cast<uint32_t>(most - time.begin()) + 1;
      items.Put(begin, end, top_value, state | kMerged | share(*most) << 16 | share(time[0]) << 24);
    }
    *this = {};
  }
};

uint64_t PixelOf(const TileRange& range, uint64_t begin, uint64_t end) {
  const uint64_t middle = begin + (end - begin) / 2;
  return middle <= range.from ? 0 : (middle - range.from) / range.pixel;
}

}  // namespace

void AppendStates(const IntervalLanes& lanes, uint32_t lane, const TileRange& range,
                  std::string& out) {
  ItemWriter items(range, out);
  Merged merged;
  // Switches to the pixel of [begin, end).
  const auto enter = [&](uint64_t begin, uint64_t end) {
    const uint64_t pixel = PixelOf(range, begin, end);
    if (pixel != merged.pixel) {
      merged.Flush(items);
      merged.pixel = pixel;
      merged.begin = begin;
    }
    merged.end = end;
  };
  lanes.Visit(
      lane, range.from, range.to, range.pixel,
      [&](const Interval& interval) {
        const uint64_t length = interval.end - interval.begin;
        const auto counted = static_cast<size_t>(interval.state) - 1;
        if (length >= range.pixel) {
          merged.Flush(items);
          if (counted >= kCountedStates) return;
          const bool is_sleep =
              interval.state == LaneState::kSleep || interval.state == LaneState::kBlocked;
          return items.Put(interval.begin, interval.end,
                           is_sleep ? interval.object : interval.value,
                           static_cast<uint32_t>(interval.state) | (interval.is_cut ? kCut : 0));
        }
        enter(interval.begin, interval.end);
        if (counted >= kCountedStates) return;
        merged.time[counted] += static_cast<double>(length);
        if (interval.state == LaneState::kRun && static_cast<double>(length) > merged.top_length) {
          merged.top_length = static_cast<double>(length);
          merged.top_value = interval.value;
        }
      },
      [&](const ChunkSummary& summary) {
        enter(summary.begin, summary.end);
        const double length = static_cast<double>(summary.end - summary.begin);
        for (size_t i = 0; i < kCountedStates; ++i) {
          merged.time[i] += length * summary.share[i] / 255;
        }
        const double run = length * summary.share[0] / 255;
        if (run > merged.top_length && summary.share[0] != 0) {
          merged.top_length = run;
          merged.top_value = summary.top_value;
        }
        // A chunk without intervals may be longer than a pixel.
        if (summary.end - summary.begin >= range.pixel) merged.Flush(items);
      });
  merged.Flush(items);
}

void AppendSpans(SpanLane& lane, const TileRange& range, std::string& out) {
  struct Row {
    uint64_t pixel = UINT64_MAX;
    uint64_t begin = 0;
    uint64_t end = 0;
    uint64_t longest = 0;
    uint32_t name = 0;
    uint32_t count = 0;
    uint32_t cut = 0;
  };
  ItemWriter items(range, out);
  std::array<Row, SpanLane::kMaxRows> rows;
  const auto flush = [&](size_t depth) {
    Row& row = rows[depth];
    if (row.count != 0) {
      items.Put(
          row.begin, row.end, row.name,
          static_cast<uint32_t>(depth) | row.cut | (row.count > 1 ? kMerged : 0) | 0xffu << 16);
    }
    row = {};
  };
  const std::vector<Span>& spans = lane.Sorted();
  for (size_t i = lane.FirstEndingAfter(range.from); i < spans.size(); ++i) {
    const Span& span = spans[i];
    if (span.begin >= range.to) break;
    if (span.end <= range.from && span.begin < range.from) continue;
    if (span.depth == SpanLane::kMaxRows) continue;
    const uint32_t cut = span.began_before != 0 || span.ended_after != 0 ? kCut : 0;
    const uint64_t length = span.end - span.begin;
    if (length >= range.pixel) {
      flush(span.depth);
      items.Put(span.begin, span.end, span.name, uint32_t{span.depth} | cut | 0xffu << 16);
      continue;
    }
    Row& row = rows[span.depth];
    const uint64_t pixel = PixelOf(range, span.begin, span.end);
    if (row.count != 0 && row.pixel != pixel) flush(span.depth);
    if (row.count == 0) row.begin = span.begin;
    row.pixel = pixel;
    row.end = std::max(row.end, span.end);
    row.cut |= cut;
    if (row.count == 0 || length > row.longest) {
      row.longest = length;
      row.name = span.name;
    }
    ++row.count;
  }
  for (size_t depth = 0; depth < rows.size(); ++depth) flush(depth);
}

void AppendInstants(PointLane<Instant>& lane, const TileRange& range, std::string& out) {
  ItemWriter items(range, out);
  const auto& all = lane.Sorted();
  for (size_t i = lane.FirstFrom(range.from); i < all.size() && all[i].time < range.to;) {
    const size_t first = i;
    const uint64_t pixel = (all[i].time - range.from) / range.pixel;
    while (i < all.size() && all[i].time < range.to &&
           (all[i].time - range.from) / range.pixel == pixel) {
      ++i;
    }
    const auto count = static_cast<uint32_t>(std::min<size_t>(i - first, 255));
    items.Put(all[first].time, all[i - 1].time, all[first].name,
              (count > 1 ? kMerged : 0) | count << 16);
  }
}

void AppendSamples(PointLane<Sample>& lane, const TileRange& range, std::string& out) {
  ItemWriter items(range, out);
  const auto& all = lane.Sorted();
  size_t i = lane.FirstFrom(range.from);
  if (i > 0) {
    const double value = all[i - 1].value;
    items.PutSample(range.from, value, static_cast<float>(value), static_cast<float>(value));
  }
  while (i < all.size() && all[i].time < range.to) {
    const uint64_t pixel = (all[i].time - range.from) / range.pixel;
    double least = all[i].value;
    double greatest = least;
    const uint64_t time = all[i].time;
    for (; i < all.size() && all[i].time < range.to &&
           (all[i].time - range.from) / range.pixel == pixel;
         ++i) {
      least = std::min(least, all[i].value);
      greatest = std::max(greatest, all[i].value);
    }
    items.PutSample(time, all[i - 1].value, static_cast<float>(least),
                    static_cast<float>(greatest));
  }
}

}  // namespace view
