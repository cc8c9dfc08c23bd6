// SPDX-License-Identifier: BSD-2-Clause
#include "session/window_writer.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include "fxt/archive_writer.h"
#include "fxt/provider_writer.h"
#include "fxt_record/slot_body.h"
#include "provider/section_writer.h"
#include "schema/names.h"
#include "session/journal.h"
#include "session/providers/window_providers.h"
#include "session/window_settings.h"

namespace session {
namespace {

// Slots between two calls of OnTick.
constexpr uint64_t kSlotsPerTick = uint64_t{1} << 16;

// The state at the left edge, from the journal.
struct LeftEdge {
  int64_t clock_offset;
  bool stopped;
  uint64_t unknown_before = 0;  // before this time the running threads are unknown
};

// Applies the journal up to the left edge to the window's tasks. They become those of a recording
// that begins there.
LeftEdge PassBefore(Window& window, bool sees_switches) {
  LeftEdge edge{window.clock_offset, window.stopped};
  while (const fxr_side_header* event = window.journal.Front()) {
    if (event->time >= window.begin) break;
    if (event->type == kJournalClock) {
      edge.clock_offset = reinterpret_cast<const JournalClock*>(event)->offset;
    } else if (event->type == kJournalStopped || event->type == kJournalStarted) {
      edge.stopped = event->type == kJournalStopped;
      edge.unknown_before = event->time;
    } else {
      ApplyToTasks(*event, edge.clock_offset, *window.tasks);
      window.tasks->Sweep(event->time + static_cast<uint64_t>(edge.clock_offset));
      window.identities->mappings().Apply(*event);
    }
    window.journal.Pop();
  }
  window.tasks->Sweep(window.begin + static_cast<uint64_t>(edge.clock_offset));
  window.tasks->Renumber();
  window.tasks->set_sees_switches(sees_switches);
  return edge;
}

class WindowTranslation {
 public:
  WindowTranslation(Window& window, const WindowWriterOptions& options, fxt::ProviderWriter& writer)
      : window_(window),
        providers_(std::move(window.provider_records), window.begin, window.end),
        edge_(PassBefore(window, options.sees_switches)),
        translator_(writer, *window.tasks, options.translator),
        sections_(writer.archive(), translator_),
        fired_(options.fired),
        settings_(std::move(window.settings), window.end),
        branches_(options.translator.branches),
        mappings_(options.translator.branches || options.translator.stacks),
        stopped_(edge_.stopped) {
    translator_.set_session_info(options.info);
    std::sort(fired_.begin(), fired_.end(),
              [](const TriggerFired& a, const TriggerFired& b) { return a.time < b.time; });
  }

  void Run() {
    window_.slots.ForEach(window_.end, [this](uint32_t cpu, const capture::SlotEvent& event) {
      if (event.time < window_.begin) [[unlikely]] {
        return OnSlotBefore(cpu, event);
      }
      if (event.time >= next_other_) [[unlikely]] {
        DeliverUpTo(event.time);
      }
      if (++slots_ % kSlotsPerTick == 0) translator_.OnTick(event.time);
      if (!stopped_) translator_.OnSlot(cpu, event.time, event.commit, event.body);
    });
    DeliverUpTo(window_.end);
    if (!begun_) Begin();
    for (; next_fired_ < fired_.size(); ++next_fired_) Mark(fired_[next_fired_], window_.end);
    providers_.WriteLosses(window_.end, sections_);
    settings_.Finish(translator_);
    for (const fxr_task& task : window_.final_tasks) translator_.OnFinalTask(task);
  }

  const translate::Translator& translator() const { return translator_; }
  const provider::SectionStats& sections() const { return sections_.stats(); }

 private:
  struct OnCpu {
    uint64_t time = 0;
    std::optional<uint32_t> tid;
  };

  // Finds the thread that each CPU runs at the left edge.
  void OnSlotBefore(uint32_t cpu, const capture::SlotEvent& event) {
    if (cpu >= on_cpu_.size()) on_cpu_.resize(cpu + 1);
    const uint32_t type = fxr_type_of(event.commit);
    if (type == FXR_SLOT_SWITCH) {
      on_cpu_[cpu] = {event.time, fxr_unpack_switch(event.body, 0).next_tid};
    } else if (type == FXR_SLOT_LOSS) {
      on_cpu_[cpu] = {};
    }
  }

  void Begin() {
    begun_ = true;
    translator_.OnClockOffset(edge_.clock_offset);
    translator_.OnStart(window_.begin);
    settings_.WriteUpTo(window_.begin, translator_);
    for (uint32_t cpu = 0; cpu < on_cpu_.size() && !stopped_; ++cpu) {
      const OnCpu& state = on_cpu_[cpu];
      if (state.tid && state.time >= edge_.unknown_before) {
        translator_.OnRunning(cpu, window_.begin, *state.tid);
      }
    }
    LookAhead();
  }

  void LookAhead() {
    const fxr_side_header* event = window_.journal.Front();
    next_other_ = event ? event->time : UINT64_MAX;
    if (next_fired_ < fired_.size()) {
      next_other_ = std::min(next_other_, fired_[next_fired_].time);
    }
    next_other_ = std::min({next_other_, providers_.NextTime(), settings_.NextTime()});
  }

  void DeliverUpTo(uint64_t time) {
    if (!begun_) Begin();
    while (next_other_ <= time) {
      settings_.WriteUpTo(next_other_, translator_);
      const fxr_side_header* event = window_.journal.Front();
      if (event && event->time == next_other_) {
        Deliver(*event);
        window_.journal.Pop();
      } else if (providers_.NextTime() == next_other_) {
        providers_.WriteNext(sections_);
      } else if (next_fired_ < fired_.size() && fired_[next_fired_].time == next_other_) {
        const TriggerFired& fired = fired_[next_fired_++];
        Mark(fired, std::max(fired.time, window_.begin));
      }
      LookAhead();
    }
  }

  void Deliver(const fxr_side_header& event) {
    switch (event.type) {
      case kJournalLoss: {
        const auto& loss = reinterpret_cast<const JournalLoss&>(event);
        return translator_.OnLoss(loss.cpu, event.time, loss.category, loss.count);
      }
      case kJournalClock:
        return translator_.OnClockOffset(reinterpret_cast<const JournalClock&>(event).offset);
      case kJournalStopped:
        stopped_ = true;
        for (uint32_t cpu = 0; cpu < window_.slots.rings(); ++cpu) {
          translator_.OnPause(cpu, event.time);
        }
        return translator_.OnMark(event.time, schema::event::kStopped, {});
      case kJournalStarted:
        stopped_ = false;
        return translator_.OnMark(event.time, schema::event::kStarted, {});
      case kJournalBranches:
        if (!branches_) return;
        return translator_.OnBranchSample(ReadBranches(event));
      case kJournalMapping:
        if (!mappings_) return;
        return translator_.OnMapping(event.time, ReadMapping(event));
      case FXR_SIDE_EXIT:
        settings_.OnExit(reinterpret_cast<const fxr_exit&>(event), translator_);
        [[fallthrough]];
      default:
        return translator_.OnSideEvent(event);
    }
  }

  void Mark(const TriggerFired& fired, uint64_t time) { MarkTrigger(fired, time, translator_); }

  Window& window_;
  WindowProviders providers_;
  const LeftEdge edge_;
  translate::Translator translator_;
  provider::SectionWriter sections_;
  std::vector<TriggerFired> fired_;
  size_t next_fired_ = 0;
  WindowSettings settings_;
  const bool branches_;
  const bool mappings_;
  bool stopped_;
  bool begun_ = false;
  uint64_t next_other_ = 0;
  uint64_t slots_ = 0;
  std::vector<OnCpu> on_cpu_;
};

}  // namespace

void MarkTrigger(const TriggerFired& fired, uint64_t time, translate::Translator& translator) {
  const std::array<std::pair<std::string_view, std::string>, 3> arguments = {{
      {schema::argument::kTrigger, fired.what},
      {schema::argument::kValue, fired.value},
      {schema::argument::kThread, fired.tid == 0 ? "" : std::to_string(fired.tid)},
  }};
  translator.OnMark(time, schema::event::kTrigger, arguments);
}

WindowStats WriteWindow(Window window, const WindowWriterOptions& options, sink::Sink& sink) {
  fxt::ArchiveWriter archive(sink);
  fxt::ProviderWriter writer(archive, schema::kRecorderName);
  WindowTranslation translation(window, options, writer);
  translation.Run();
  archive.Flush();
  WindowStats stats;
  stats.covered = window.end - window.begin;
  const translate::TranslationStats translated = translation.translator().stats();
  for (const uint64_t recorded : translated.recorded) stats.events += recorded;
  for (const uint64_t lost : translated.lost) stats.lost += lost;
  stats.events += translation.sections().records;
  stats.lost += translation.sections().lost;
  return stats;
}

}  // namespace session
