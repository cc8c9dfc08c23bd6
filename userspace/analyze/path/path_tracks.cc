// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/path/path_tracks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <string>
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
  // Objects of a recording are the recorder's.
  const std::string_view name = set.builder().is_recorders() ? schema::kRecorderName : "fxt path";
  Put(encoder, fxt::ProviderInfo{.id = provider, .name = name});
  Put(encoder, fxt::ProviderSection{.id = provider});
  Put(encoder, fxt::Initialization{.ticks_per_second = kTicksPerSecond});
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
  const path::PartText text = set.text();
  std::vector<size_t> order(entries.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return entries[a].request.begin < entries[b].request.begin;
  });
  std::vector<uint64_t> lanes;  // the end of the last request of each
  for (const size_t index : order) {
    const auto& entry = entries[index];
    const path::Request& request = entry.request;
    auto lane = std::find_if(lanes.begin(), lanes.end(),
                             [&](uint64_t end) { return end <= request.begin; });
    if (lane == lanes.end()) {
      if (lanes.size() == kMaxLanes) continue;
      lane = lanes.insert(lane, 0);
      const auto number = static_cast<uint32_t>(lane - lanes.begin());
      name_object(fxt::KernelObjectType::kThread, schema::PathKoid(number),
                  fmt::format("path {}", number + 1));
    }
    *lane = request.end;
    const auto number = static_cast<uint32_t>(lane - lanes.begin());
    const std::array about_request = {
        fxt::Argument{Inline("id"), request.id},
        fxt::Argument{Inline("tid"), set.builder().NumberOf(request.thread)}};
    const std::string shown = document::CutName(text::CleanText(request.name), kMaxName);
    WriteSpan(encoder, number, "request", shown.empty() ? "(no name)" : shown, request.begin,
              request.end, about_request);
    for (const path::Part& part : entry.parts) {
      const std::string thread =
          document::CutName(text.Thread(part.thread, Names::kWithId), kMaxName);
      const std::string what = document::CutName(text.Describe(part, Names::kWithId), kMaxName);
      const std::array about_part = {fxt::Argument{Inline("thread"), Inline(thread)},
                                     fxt::Argument{Inline("part"), Inline(what)},
                                     fxt::Argument{Inline("depth"), uint32_t{part.depth}}};
      WriteSpan(encoder, number, "path", fmt::format("{}: {}", thread, path::NameOf(part.kind)),
                part.begin, part.begin + part.length, about_part);
    }
  }
  return buffer.Flush();
}

}  // namespace analyze
