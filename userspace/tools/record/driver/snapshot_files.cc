// SPDX-License-Identifier: BSD-2-Clause
#include "tools/record/driver/snapshot_files.h"

#include <fmt/format.h>

#include <cstring>
#include <utility>

#include "sink/open_sink.h"
#include "text/clean_text.h"
#include "util/quantity.h"

namespace tools {

util::Result<std::unique_ptr<SnapshotFiles>> SnapshotFiles::Make(SnapshotFileOptions options,
                                                                 session::Recording& recording,
                                                                 FileNames& names) {
  std::unique_ptr<SnapshotFiles> made(new SnapshotFiles(std::move(options), recording, names));
  const TriggerOptions& triggers = made->options_.triggers;
  auto set =
      session::TriggerSet::Make(triggers.triggers, triggers.before, triggers.after, recording);
  if (!set) return set.TakeError();
  made->triggers_ = std::move(*set);
  return made;
}

void SnapshotFiles::Turn(std::span<const pollfd> polled) {
  triggers_->Turn(polled);
  WriteDue(false);
}

void SnapshotFiles::WriteDue(bool all) {
  for (session::DueSnapshot& due : triggers_->TakeDue(all)) {
    const session::TriggerFired& first = due.fired.front();
    const auto task = first.tid != 0 ? recording_.FindTask(first.tid) : std::nullopt;
    options_.note(DescribeTrigger(
        first, task ? std::string_view(task->comm, strnlen(task->comm, FXR_COMM_BYTES)) : ""));
    Write(std::move(due));
  }
}

void SnapshotFiles::Write(session::DueSnapshot due) {
  const std::string trigger = due.fired.empty() ? "" : due.fired.front().what;
  sink::SinkOptions options;
  options.path = names_.Next();
  options.gzip = options_.gzip;
  options.file.keep_waiting = options_.open_wait;
  auto output = sink::OpenOutput(options);
  if (!output) return options_.fail(output.error());
  auto number = recording_.Snapshot(
      {.destination = {std::move(*output), sink::WantsGzip(options), options_.write_wait},
       .last = due.last,
       .until = due.until,
       .fired = std::move(due.fired)});
  if (!number) return options_.fail(number.error());
  pending_[*number] = trigger;
}

bool SnapshotFiles::Take(const session::SnapshotResult& result) {
  const auto found = pending_.find(result.number);
  if (found == pending_.end()) return false;
  if (result.status) {
    ++files_[found->second];
    options_.note(DescribeWritten(result, false));
  } else {
    options_.fail(result.status.error());
  }
  pending_.erase(found);
  return true;
}

std::vector<control::TriggerStatus> SnapshotFiles::status() const {
  std::vector<control::TriggerStatus> all;
  for (const session::TriggerState& each : triggers_->triggers()) {
    const auto files = files_.find(each.spec.text);
    all.push_back(
        {each.spec.text, each.fired, each.limited, files == files_.end() ? 0 : files->second});
  }
  return all;
}

std::string DescribeTrigger(const session::TriggerFired& fired, std::string_view thread) {
  std::string text = fired.what;
  if (!fired.value.empty()) text += ": " + text::CleanText(fired.value);
  if (fired.tid == 0) return text;
  const std::string name = thread.empty() ? "" : text::CleanText(thread) + " ";
  return fmt::format("{}{}thread {}{}", text, fired.value.empty() ? ": " : ", ", name, fired.tid);
}

std::string DescribeWritten(const session::SnapshotResult& result, bool streamed) {
  return fmt::format(
      "wrote {} ({}, {} events, {}{}{}) in {}", result.name, util::FormatSize(result.trace.bytes),
      util::FormatCount(result.trace.events), streamed ? "" : "the last ",
      util::FormatDuration(result.trace.covered),
      result.lost == 0 ? "" : fmt::format(", LOST {}", util::FormatCount(result.lost)),
      util::FormatDuration(result.took));
}

}  // namespace tools
