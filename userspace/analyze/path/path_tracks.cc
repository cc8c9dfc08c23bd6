// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/path/path_tracks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "analyze/document/render.h"
#include "fxt/encoder.h"
#include "fxt/record_buffer.h"
#include "schema/koid.h"
#include "schema/names.h"
#include "text/clean_text.h"

namespace analyze {
namespace {

using Names = path::PartText::Names;

constexpr uint64_t kTicksPerSecond = 1'000'000'000;
// Requests that go on at one time beyond these have no track.
constexpr size_t kMaxLanes = 1024;
constexpr size_t kMaxName = 512;  // bytes

fxt::StringRef Inline(std::string_view text) { return fxt::StringRef::Inline(text); }

// Requests in order of their begins, each in the first lane that is free.
struct PathLanes {
  uint32_t count = 0;
  std::vector<std::pair<size_t, uint32_t>> requests;  // index of the entry, and lane
};

PathLanes LanesOf(const std::vector<PathSet::Entry>& entries) {
  std::vector<size_t> order(entries.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return entries[a].request.begin < entries[b].request.begin;
  });
  PathLanes lanes;
  std::vector<uint64_t> ends;  // of the last request of each lane
  for (const size_t index : order) {
    const path::Request& request = entries[index].request;
    auto lane =
        std::find_if(ends.begin(), ends.end(), [&](uint64_t end) { return end <= request.begin; });
    if (lane == ends.end()) {
      if (ends.size() == kMaxLanes) continue;
      lane = ends.insert(lane, 0);
    }
    *lane = request.end;
    lanes.requests.emplace_back(index, static_cast<uint32_t>(lane - ends.begin()));
  }
  lanes.count = static_cast<uint32_t>(ends.size());
  return lanes;
}

// Flush() reports the failure of a sink.
template <typename Record>
void Put(fxt::Encoder& encoder, const Record& record) {
  static_cast<void>(encoder.Write(record));
}

void WriteSpan(fxt::Encoder& encoder, uint32_t lane, std::string_view category,
               std::string_view name, uint64_t begin, uint64_t end,
               std::span<const fxt::Argument> arguments) {
  Put(encoder,
      fxt::Event{.type = fxt::EventType::kDurationComplete,
                 .timestamp = begin,
                 .thread = fxt::ThreadRef::Inline(schema::kPathProcessKoid, schema::PathKoid(lane)),
                 .category = Inline(category),
                 .name = Inline(name),
                 .arguments = arguments,
                 .payload = end});
}

}  // namespace

bool WritePathTracks(fxt::ByteSink& sink, const PathSet& set, uint32_t provider) {
  fxt::RecordBuffer buffer(sink);
  fxt::Encoder encoder(buffer);
  const auto open_section = [&](uint32_t id, std::string_view name) {
    Put(encoder, fxt::ProviderInfo{.id = id, .name = name});
    Put(encoder, fxt::ProviderSection{.id = id});
    Put(encoder, fxt::Initialization{.ticks_per_second = kTicksPerSecond});
  };
  constexpr std::string_view kName = "fxt path";
  open_section(provider, set.builder().names().has_ours() ? schema::kRecorderName : kName);
  const auto name_object = [&](fxt::KernelObjectType type, fxt::Koid koid,
                               std::string_view called) {
    const fxt::Argument process{Inline(schema::argument::kProcess),
                                fxt::KoidValue{schema::kPathProcessKoid}};
    Put(encoder, fxt::KernelObject{
                     .type = static_cast<uint8_t>(type),
                     .koid = koid,
                     .name = Inline(called),
                     .arguments = {&process, type == fxt::KernelObjectType::kThread ? size_t{1}
                                                                                    : size_t{0}}});
  };
  name_object(fxt::KernelObjectType::kProcess, schema::kPathProcessKoid, "critical path");

  const auto& entries = set.entries();
  const PathLanes lanes = LanesOf(entries);
  for (uint32_t lane = 0; lane < lanes.count; ++lane) {
    name_object(fxt::KernelObjectType::kThread, schema::PathKoid(lane),
                fmt::format("path {}", lane + 1));
  }
  open_section(provider + 1, kName);
  const path::PartText text = set.text();
  for (const auto& [index, lane] : lanes.requests) {
    const auto& entry = entries[index];
    const path::Request& request = entry.request;
    const std::array about_request = {
        fxt::Argument{Inline("id"), request.id},
        fxt::Argument{Inline("tid"), set.builder().NumberOf(request.thread)}};
    const std::string shown = document::CutName(text::CleanText(request.name), kMaxName);
    WriteSpan(encoder, lane, "requests", shown.empty() ? "(no name)" : shown, request.begin,
              request.end, about_request);
    for (const path::Part& part : entry.parts()) {
      const std::string thread =
          document::CutName(text.Thread(part.thread, Names::kWithId), kMaxName);
      const std::string what = document::CutName(text.Describe(part, Names::kWithId), kMaxName);
      const std::array about_part = {fxt::Argument{Inline("thread"), Inline(thread)},
                                     fxt::Argument{Inline("part"), Inline(what)},
                                     fxt::Argument{Inline("depth"), uint32_t{part.depth}}};
      WriteSpan(encoder, lane, "path", fmt::format("{}: {}", thread, path::NameOf(part.kind)),
                part.begin, part.begin + part.length, about_part);
    }
  }
  return buffer.Flush();
}

}  // namespace analyze
