// SPDX-License-Identifier: BSD-2-Clause
#include "path/path_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <variant>

#include "facts/timeline/share.h"
#include "path/request_choice.h"
#include "path/trace_id.h"
#include "schema/names.h"
#include "text/argument_json.h"

namespace path {
namespace {

using facts::Activity;

// Threads with complete durations that are looked at for what contains them.
constexpr size_t kMaxCompleteThreads = size_t{1} << 16;

size_t BytesOf(const Request& request) {
  return sizeof(Request) + request.category.size() + request.name.size() + request.members.size();
}

Activity ActivityOf(const facts::Wait& wait) {
  switch (facts::ShareOf(wait)) {
    case facts::Share::kRunnableWakeup:
      return Activity::kWakeup;
    case facts::Share::kRunnablePreempted:
      return Activity::kPreempted;
    case facts::Share::kSleeping:
      return Activity::kSleep;
    case facts::Share::kBlocked:
      return Activity::kBlocked;
    case facts::Share::kStopped:
      return Activity::kStopped;
    case facts::Share::kThrottled:
      return Activity::kThrottled;
    case facts::Share::kAbsent:
      return Activity::kAbsent;
    default:
      return Activity::kUnknown;
  }
}

std::string MembersOf(const fxt::Event& event, KeptArguments kept) {
  fmt::memory_buffer members;
  if (kept == KeptArguments::kAll) text::AppendMembers(members, event.arguments);
  if (kept == KeptArguments::kTraceId) {
    const auto id = std::ranges::find_if(event.arguments, [](const fxt::Argument& argument) {
      return argument.name.text == kTraceIdArgument;
    });
    if (id != event.arguments.end()) text::AppendMembers(members, {&*id, 1});
  }
  return fmt::to_string(members);
}

}  // namespace

PathBuilder::PathBuilder(const facts::TimelineState& timeline, PathOptions options,
                         OnRequest on_request)
    : timeline_(timeline),
      options_(std::move(options)),
      on_request_(std::move(on_request)),
      threads_(options_.max_thread_bytes),
      cpus_(options_.max_cpu_bytes),
      open_(options_.max_open_bytes) {}

void PathBuilder::AddSleep(facts::ThreadIndex index, uint64_t begin, uint64_t end,
                           Activity activity, const std::optional<fxt::Koid>& waker,
                           bool by_interrupt, const facts::WaitObject* object) {
  const facts::ThreadIndex by = waker ? timeline_.Find(*waker) : facts::kNoThread;
  threads_.Add(index, {.begin = begin,
                       .end = end,
                       .activity = activity,
                       .by_interrupt = by_interrupt,
                       .other = by});
  evidence_.NoteEnd(index, begin, end, activity == Activity::kBlocked, waker.has_value(),
                    by_interrupt, object);
}

void PathBuilder::Add(const facts::Wait& wait) {
  if (wait.index == facts::kNoThread) return;
  const Activity activity = ActivityOf(wait);
  if (activity == Activity::kWakeup || activity == Activity::kPreempted) {
    threads_.Add(wait.index, {.begin = wait.begin,
                              .end = wait.end,
                              .activity = activity,
                              .other = wait.run_cpu().value_or(facts::ActivityInterval::kNone)});
  } else if (activity == Activity::kUnknown || wait.end_record != facts::WaitEnd::kWakeup) {
    threads_.Add(wait.index, {.begin = wait.begin, .end = wait.end, .activity = activity});
  } else {
    AddSleep(wait.index, wait.begin, wait.end, activity, wait.end_waker, wait.end_by_interrupt,
             wait.object);
  }
}

void PathBuilder::Note(const fxt::Reader& reader) {
  walker_.OnRead(reader.position());
  const fxt::Record& record = reader.record();
  const auto* event = std::get_if<fxt::Event>(&record);
  const bool is_object = std::holds_alternative<fxt::KernelObject>(record);
  if (event != nullptr || is_object) evidence_.Note(reader);
  if (event != nullptr) AddEvent(reader, *event);
  HandOut();
}

bool PathBuilder::IsWanted(const fxt::Reader& reader, const fxt::Event& event,
                           const facts::OpenSpan& span) {
  if (!Wants(reader, event)) return false;
  if (!options_.outermost || event.category.text == kRequestCategory) return true;
  if (span.id) return !span.is_flow;
  if (open_.HasWantedDuration(span.owner, span.thread.thread)) return false;
  if (event.type != fxt::EventType::kDurationComplete) return true;
  // Complete durations stand where they begin, or behind those that they contain.
  const uint64_t end = reader.ToNanoseconds(event.payload);
  const std::pair key(span.owner, span.thread.thread);
  const auto last = complete_ends_.find(key);
  if (last != complete_ends_.end()) {
    if (span.time < last->second && end <= last->second) return false;
    last->second = end;
  } else if (complete_ends_.size() < kMaxCompleteThreads) {
    complete_ends_.emplace(key, end);
  }
  return true;
}

void PathBuilder::AddEvent(const fxt::Reader& reader, const fxt::Event& event) {
  if (!options_.wants_span) return;
  facts::OpenSpan span;
  span.time = reader.ToNanoseconds(event.timestamp);
  span.thread = event.thread;
  span.owner = sections_.OwnerOf(reader.provider());
  bool begins = false;
  switch (event.type) {
    case fxt::EventType::kFlowBegin:
    case fxt::EventType::kFlowEnd:
      span.is_flow = true;
      [[fallthrough]];
    case fxt::EventType::kAsyncBegin:
    case fxt::EventType::kAsyncEnd:
      span.id = event.payload;
      begins =
          event.type == fxt::EventType::kFlowBegin || event.type == fxt::EventType::kAsyncBegin;
      break;
    case fxt::EventType::kDurationBegin:
      begins = true;
      break;
    case fxt::EventType::kDurationEnd:
    case fxt::EventType::kDurationComplete:
      break;
    default:
      return;
  }
  if (begins || event.type == fxt::EventType::kDurationComplete) {
    // Ends are matched with all begins. Those of other spans have no name.
    if (IsWanted(reader, event, span)) {
      span.name = event.name.text;
      span.members = MembersOf(event, options_.arguments);
      span.wanted = true;
    }
    if (begins && (span.id || span.wanted)) span.category = event.category.text;
    if (begins) return open_.Begin(std::move(span));
    ++ends_;
    span.category = event.category.text;
    return AddSpan(std::move(span), event.thread, reader.ToNanoseconds(event.payload));
  }
  ++ends_;
  const uint64_t end = span.time;
  auto begun = open_.End(span.owner, event);
  if (!begun) return;
  if (begun->wanted) {
    const std::string members = MembersOf(event, options_.arguments);
    if (!begun->members.empty() && !members.empty()) begun->members += ',';
    begun->members += members;
  }
  AddSpan(std::move(*begun), event.thread, end);
}

void PathBuilder::AddSpan(facts::OpenSpan span, const fxt::ThreadRef& thread, uint64_t end) {
  if (!span.wanted || end < options_.from || end > options_.to) return;
  if (options_.id != 0 && options_.id != ends_) return;
  Request request{.id = ends_,
                  .begin = std::min(span.time, end),
                  .end = end,
                  .thread = thread.thread,
                  .process = thread.process,
                  .category = std::move(span.category),
                  .name = std::move(span.name),
                  .members = std::move(span.members)};
  const size_t bytes = BytesOf(request);
  if (bytes > options_.max_pending_bytes - pending_bytes_) {
    ++left_out_;
    return;
  }
  pending_bytes_ += bytes;
  pending_.push_back(std::move(request));
  std::push_heap(pending_.begin(), pending_.end(), LaterEnd());
}

void PathBuilder::HandOut(Request& request) {
  request.has_path = options_.with_parts && walker_.has_steps();
  if (options_.with_parts && !request.has_path) ++paths_left_out_;
  on_request_(request, request.has_path ? walker_.Walk(request) : std::vector<Part>());
}

void PathBuilder::HandOutNext() {
  std::pop_heap(pending_.begin(), pending_.end(), LaterEnd());
  Request request = std::move(pending_.back());
  pending_.pop_back();
  pending_bytes_ -= BytesOf(request);
  HandOut(request);
}

void PathBuilder::HandOut() {
  const uint64_t time = timeline_.latest();
  while (!pending_.empty() && pending_.front().end < time) HandOutNext();
  if (options_.wants_thread && options_.to < time) HandOutThreads();
}

void PathBuilder::HandOutThreads() {
  if (std::exchange(threads_are_out_, true)) return;
  Request request{.begin = std::max(options_.from, timeline_.begin()),
                  .end = std::min(options_.to, timeline_.latest())};
  if (request.begin >= request.end) return;
  for (facts::ThreadIndex index = 0; index < timeline_.threads().size(); ++index) {
    const auto& thread = timeline_.threads()[index];
    const std::string& name = names().thread_name(thread.koid);
    if (thread.idle || !options_.wants_thread(thread.koid, name)) continue;
    request.thread = thread.koid;
    request.name = name;
    HandOut(request);
  }
}

void PathBuilder::Finish() {
  while (!pending_.empty()) HandOutNext();
  if (options_.wants_thread) HandOutThreads();
  for (const facts::OpenSpan& span : open_.Take()) without_end_ += span.wanted ? 1 : 0;
}

}  // namespace path
