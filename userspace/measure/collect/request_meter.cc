// SPDX-License-Identifier: BSD-2-Clause
#include "measure/collect/request_meter.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "fxt/utf8.h"
#include "measure/group_name.h"
#include "measure/waited_object.h"
#include "path/request_choice.h"

namespace measure {
namespace {

path::PathOptions OptionsFor(const RequestChoice& wants, const facts::TaskNames& tasks) {
  path::PathOptions options;
  options.outermost = wants == nullptr;
  options.wants_span = [&wants](std::string_view category, std::string_view name, bool of_kernel) {
    return wants ? wants(category, name) : path::MayBeRequest(category, of_kernel);
  };
  options.max_thread_bytes = RequestMeter::kThreadBytes;
  options.max_cpu_bytes = RequestMeter::kCpuBytes;
  options.max_pending_bytes = RequestMeter::kPendingBytes;
  options.names = &tasks;
  options.max_open_bytes = RequestMeter::kOpenBytes;
  return options;
}

}  // namespace

size_t RequestMeter::HashOfKey::operator()(const Key& key) const {
  uint64_t hash = key.name;
  for (const uint32_t part : {key.thread, key.holder, key.what, key.object,
                              static_cast<uint32_t>(key.kind) << 3 | uint32_t{key.idle_cpu} << 2 |
                                  uint32_t{key.is_own} << 1 | uint32_t{key.is_other}}) {
    hash = (hash ^ part) * 0x9e3779b97f4a7c15;
    hash ^= hash >> 32;
  }
  return static_cast<size_t>(hash);
}

RequestMeter::RequestMeter(const facts::TimelineState& timeline, RequestChoice wants)
    : wants_(std::move(wants)),
      builder_(timeline, OptionsFor(wants_, tasks_),
               [this](const path::Request& request, std::span<const path::Part> parts) {
                 Add(request, parts);
               }) {}

void RequestMeter::SetWindow(uint64_t from, uint64_t to) {
  from_ = from;
  builder_.SetWindow(from, to);
}

bool RequestMeter::IsFirst(const fxt::Reader& reader) {
  const auto* event = std::get_if<fxt::Event>(&reader.record());
  if (event == nullptr) return false;
  switch (event->type) {
    case fxt::EventType::kDurationBegin:
    case fxt::EventType::kDurationComplete:
    case fxt::EventType::kAsyncBegin:
    case fxt::EventType::kFlowBegin:
      awake_ = builder_.Wants(reader, *event);
      break;
    default:
      break;
  }
  return awake_;
}

uint32_t RequestMeter::NumberOf(const std::string& name) {
  const std::string exact(fxt::CutUtf8(name, kMaxFoldedBytes));
  if (names_.Has(exact)) return names_.Add(exact);
  const std::string folded = FoldDigits(exact);
  const uint32_t of = folded_.Add(folded);
  if (of >= apart_.size()) apart_.push_back(0);
  ++apart_[of];
  const uint32_t number =
      names_.Add(apart_[of] > kMaxApart || folded_[of] != folded ? folded_[of] : exact);
  if (number >= folded_of_.size()) {
    folded_of_.push_back(of);
    times_.emplace_back();
  }
  return number;
}

void RequestMeter::Add(const path::Request& request, std::span<const path::Part> parts) {
  if (request.begin < from_ || !request.has_path) {
    ++left_out_;
    return;
  }
  const uint32_t number = NumberOf(request.name);
  times_[number].AddWhole({request.begin, request.duration(), request.thread, 0});
  for (const path::Part& part : parts) {
    Key key{.name = number,
            .thread = part.thread,
            .holder = part.holder,
            .what = part.waited_for.what,
            .object = part.waited_for.object,
            .kind = part.kind,
            .idle_cpu = part.idle_cpu,
            .is_own = part.waiter == facts::kNoThread};
    const auto known = parts_.find(key);
    if (known != parts_.end()) {
      known->second += part.length;
      continue;
    }
    if (parts_.size() >= kMaxRawParts) key = {.name = number, .kind = part.kind, .is_other = true};
    parts_[key] += part.length;
  }
}

PathPart RequestMeter::PartOf(const Key& key) {
  if (key.is_other) return {.kind = key.kind, .thread = std::string(kOthers)};
  const path::PartText text(builder_);
  const path::PartText::Namer name_of = [&](facts::ThreadIndex thread) {
    return FoldDigits(text.Thread(thread, path::PartText::Names::kAlone));
  };
  path::Part part;
  part.kind = key.kind;
  part.thread = key.thread;
  part.holder = key.holder;
  part.waited_for.what = key.what;
  part.idle_cpu = key.idle_cpu;
  return {.kind = key.kind,
          .is_own = key.is_own,
          .thread = name_of(key.thread),
          .waited_for = text.WaitedFor(part, name_of),
          .object = ComparableName("", text.Text(key.object))};
}

RequestMap RequestMeter::Finish(uint64_t& left_out) {
  builder_.Finish();
  left_out = left_out_ + builder_.left_out();
  RequestMap requests;
  std::vector<RequestStats*> by_number;
  for (uint32_t number = 0; number < times_.size(); ++number) {
    const uint32_t folded = folded_of_[number];
    const bool apart = apart_[folded] <= kMaxApart;
    by_number.push_back(&requests[apart ? names_[number] : folded_[folded]]);
    by_number.back()->times.Merge(times_[number]);
  }
  for (const auto& [key, ns] : parts_) by_number[key.name]->parts[PartOf(key)] += ns;
  for (auto& [name, stats] : requests) LimitParts(stats.parts);
  return requests;
}

}  // namespace measure
