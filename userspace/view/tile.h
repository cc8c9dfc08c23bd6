// SPDX-License-Identifier: BSD-2-Clause
// Writes the items of a lane in a time range, at the resolution of the screen.
#pragma once

#include <cstdint>
#include <string>

#include "view/event_lanes.h"
#include "view/interval_lanes.h"

namespace view {

// The range [from, to) and the length of a pixel, ns. Times in a tile are relative to `origin`.
struct TileRange {
  uint64_t origin = 0;
  uint64_t from = 0;
  uint64_t to = 0;
  uint64_t pixel = 1;
};

// Each function appends the items of one lane: their number (u32), then 24 bytes each, in little
// endian. Items shorter than a pixel are merged with their neighbours in the same pixel, so that a
// lane (a row of spans) has at most two items per pixel.
//
//   begin f64, end f64   ns since the origin
//   value u32            Interval::value; for a sleep the label of the object waited for; for a
//   span
//                        or instant the label of its name
//   info u32             bits 0-7: the state, or the row of a span; bit 8: several are merged;
//                        bit 9: its begin or end is not in the capture, or is unknown
//                        bits 16-23: share of the state in the merged time, in 255ths; for instants
//                        their number, up to 255
//                        bits 24-31: share of running
//
// Items of counters have the time (f64), the last value of the pixel (f64), and its least and
// greatest value (f32). The first item is the value before the range.
void AppendStates(const IntervalLanes& lanes, uint32_t lane, const TileRange& range,
                  std::string& out);
void AppendSpans(SpanLane& lane, const TileRange& range, std::string& out);
void AppendInstants(PointLane<Instant>& lane, const TileRange& range, std::string& out);
void AppendSamples(PointLane<Sample>& lane, const TileRange& range, std::string& out);

}  // namespace view
