// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/rewrite/record_filter.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <charconv>

#include "facts/recorder_facts.h"
#include "facts/scheduling.h"
#include "schema/koid.h"
#include "schema/names.h"
#include "util/quantity.h"

namespace analyze {
namespace {

std::optional<uint64_t> ParseNumber(std::string_view text) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

// The threads of a record; at most two.
struct Tasks {
  struct Task {
    fxt::Koid thread = 0;
    std::optional<fxt::Koid> process;
  };
  Task tasks[2];
  size_t count = 0;

  void Add(fxt::Koid thread, std::optional<fxt::Koid> process) {
    tasks[count++] = {thread, process};
  }
};

Tasks TasksOf(const fxt::Record& record) {
  Tasks tasks;
  if (const auto* legacy = std::get_if<fxt::LegacyContextSwitch>(&record)) {
    tasks.Add(legacy->outgoing.thread, legacy->outgoing.process);
    tasks.Add(legacy->incoming.thread, legacy->incoming.process);
  } else if (const auto* newer = std::get_if<fxt::ContextSwitch>(&record)) {
    tasks.Add(newer->outgoing_thread, std::nullopt);
    tasks.Add(newer->incoming_thread, std::nullopt);
  } else if (const auto* wakeup = std::get_if<fxt::ThreadWakeup>(&record)) {
    tasks.Add(wakeup->thread, std::nullopt);
  } else if (const auto* entry = std::get_if<fxt::ThreadRecord>(&record)) {
    tasks.Add(entry->thread, entry->process);
  } else if (const auto* object = std::get_if<fxt::KernelObject>(&record)) {
    const auto type = static_cast<fxt::KernelObjectType>(object->type);
    if (type == fxt::KernelObjectType::kThread) {
      tasks.Add(object->koid,
                facts::KoidOf(facts::FindArgument(object->arguments, schema::argument::kProcess)));
    } else if (type == fxt::KernelObjectType::kProcess) {
      tasks.Add(object->koid, object->koid);
    }
  } else if (const fxt::ThreadRef* thread = facts::ThreadOf(record)) {
    tasks.Add(thread->thread, thread->process);
  }
  return tasks;
}

std::string_view CategoryOf(const fxt::Record& record) {
  if (const auto* event = std::get_if<fxt::Event>(&record)) return event->category.text;
  if (const auto* blob = std::get_if<fxt::LargeBlob>(&record)) return blob->category.text;
  if (const auto* blob = std::get_if<fxt::LargeBlobWithMetadata>(&record)) {
    return blob->category.text;
  }
  return {};
}

}  // namespace

util::Result<Moment> ParseMoment(const std::string& text) {
  Moment moment;
  std::string rest = text;
  if (!rest.empty() && rest[0] == '@') {
    moment.absolute = true;
    rest.erase(0, 1);
    if (const auto ns = ParseNumber(rest)) {
      moment.ns = *ns;
      return moment;
    }
  }
  // A duration of 0 is an error, but 0 is a valid start time.
  if (!rest.empty() && rest.find_first_not_of("0.") == rest.find_first_of("smhun")) {
    const size_t unit = rest.find_first_not_of("0.");
    const std::string suffix = unit == std::string::npos ? "" : rest.substr(unit);
    if (suffix.empty() || suffix == "s" || suffix == "ms" || suffix == "us" || suffix == "ns" ||
        suffix == "m" || suffix == "h") {
      return moment;
    }
  }
  auto duration = util::ParseDuration(rest);
  if (!duration) {
    return util::Error{fmt::format("\"{}\" is not a time", text),
                       "write 1.5s, 20ms (since the first record) or @ and nanoseconds"};
  }
  moment.ns = *duration;
  return moment;
}

void TimeRange::SetStart(uint64_t start) {
  started_ = true;
  constexpr auto kMax = std::numeric_limits<uint64_t>::max();
  const auto resolve = [&](const Moment& moment) {
    if (moment.absolute) return moment.ns;
    return moment.ns > kMax - start ? kMax : start + moment.ns;
  };
  begin_ = from_ ? resolve(*from_) : 0;
  end_ = to_ ? resolve(*to_) : kMax;
}

void TaskSelector::Add(const std::string& text) {
  if (const auto id = ParseNumber(text)) {
    ids_.insert(*id);
  } else {
    patterns_.push_back(text);
  }
}

bool TaskSelector::Matches(fxt::Koid koid, std::string_view name) const {
  if (ids_.contains(koid)) return true;
  // A reused tid: the generation lies above the tid. Idle threads and the like have the top
  // generations and no tid.
  if (koid <= schema::kMaxKoid && koid >> schema::kTidBits < schema::kFirstPseudoGeneration &&
      ids_.contains(schema::TidOfKoid(koid)))
    return true;
  const std::string text(name);
  return std::any_of(patterns_.begin(), patterns_.end(), [&](const std::string& pattern) {
    return fnmatch(pattern.c_str(), text.c_str(), 0) == 0;
  });
}

bool RecordFilter::MatchesTasks(const fxt::Record& record, const facts::TaskNames& names) const {
  if (!has_tasks()) return true;
  const Tasks found = TasksOf(record);
  for (size_t i = 0; i < found.count; ++i) {
    const fxt::Koid koid = found.tasks[i].thread;
    if (!threads.empty() && !threads.Matches(koid, names.thread_name(koid))) continue;
    if (processes.empty()) return true;
    std::optional<fxt::Koid> process = found.tasks[i].process;
    if (!process) {
      const facts::TaskNames::Thread* thread = names.thread(koid);
      if (thread != nullptr) process = thread->process;
    }
    if (process && processes.Matches(*process, names.process_name(*process))) return true;
  }
  return false;
}

bool RecordFilter::Matches(const fxt::Reader& reader, const facts::TaskNames& names,
                           std::optional<uint32_t> cpu) const {
  const fxt::Record& record = reader.record();
  if (kinds.any() && !kinds[static_cast<size_t>(facts::KindOf(record))]) return false;
  if (time.limited()) {
    const auto at = facts::TimeOf(record, reader.provider());
    if (!at || !time.Contains(*at)) return false;
  }
  if (!categories.empty() && !categories.contains(std::string(CategoryOf(record)))) return false;
  if (!cpus.empty() && (!cpu || !cpus.contains(*cpu))) return false;
  return MatchesTasks(record, names);
}

}  // namespace analyze
