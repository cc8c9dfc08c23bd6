// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/merge/span_moments.h"

#include "facts/read_loop.h"
#include "facts/timeline/timeline.h"
#include "fxt/reader.h"

namespace analyze {
namespace {

struct Runs {
  int64_t offset;
  const KoidMap& koids;
  SpanAlignment& spans;

  void OnRun(const facts::Run& run) const {
    spans.AddRun(koids.Thread(run.thread), {static_cast<int64_t>(run.begin) + offset,
                                            static_cast<int64_t>(run.end) + offset});
  }
};

// Calls `each` for every record.
template <typename Each>
void ForEach(fxt::ByteSource& source, Each&& each) {
  fxt::Reader reader(source);
  while (facts::NextRecord(reader) == fxt::ReadStatus::kRecord) {
    each(reader);
  }
}

}  // namespace

void AddRuns(fxt::ByteSource& source, int64_t offset, const KoidMap& koids, SpanAlignment& spans) {
  Runs runs{offset, koids, spans};
  facts::Timeline timeline(runs);
  ForEach(source, [&](const fxt::Reader& reader) { timeline.Add(reader); });
  timeline.Finish(timeline.latest());
}

void AddMoments(fxt::ByteSource& source, int64_t offset, const KoidMap& koids,
                SpanAlignment& spans) {
  ForEach(source, [&](const fxt::Reader& reader) {
    const auto* event = std::get_if<fxt::Event>(&reader.record());
    if (event == nullptr) return;
    const fxt::Koid thread = koids.Thread(event->thread.thread);
    const auto add = [&](fxt::Ticks ticks) {
      spans.AddMoment(thread, static_cast<int64_t>(reader.ToNanoseconds(ticks)) + offset);
    };
    switch (event->type) {
      case fxt::EventType::kDurationComplete:
        add(event->payload);
        [[fallthrough]];
      case fxt::EventType::kDurationBegin:
      case fxt::EventType::kDurationEnd:
      case fxt::EventType::kInstant:
        add(event->timestamp);
        break;
      default:
        break;
    }
  });
}

}  // namespace analyze
