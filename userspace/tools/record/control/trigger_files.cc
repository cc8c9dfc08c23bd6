// SPDX-License-Identifier: BSD-2-Clause
#include "tools/record/control/trigger_files.h"

#include <fmt/format.h>

#include <utility>

#include "sink/open_sink.h"
#include "util/quantity.h"

namespace tools {

util::Result<std::unique_ptr<TriggerFiles>> TriggerFiles::Make(
    const TriggerOptions& options, session::Recording& recording,
    std::function<void(std::string)> say) {
  auto names = output::NamePattern::Parse(options.output);
  if (!names) return names.TakeError();
  std::unique_ptr<TriggerFiles> made(
      new TriggerFiles(std::move(*names), recording, std::move(say)));
  auto set = session::TriggerSet::Make(options.triggers, options.before, options.after, recording);
  if (!set) return set.TakeError();
  made->set_ = std::move(*set);
  return made;
}

void TriggerFiles::Turn(std::span<const pollfd> polled) {
  set_->Turn(polled);
  WriteDue(false);
}

std::string TriggerFiles::NextName() {
  const uint64_t number = next_file_++;
  std::string name = names_.Expand(number, 0);
  // Two in one second.
  if (name == last_name_) {
    return output::NamePattern::BeforeEnding(name, fmt::format("-{}", number));
  }
  return last_name_ = name;
}

void TriggerFiles::WriteDue(bool all) {
  for (session::DueSnapshot& due : set_->TakeDue(all)) {
    const session::TriggerFired& first = due.fired.front();
    const std::string trigger = first.what;
    say_(fmt::format("{}{}{}", trigger, first.value.empty() ? "" : ": ", first.value));
    sink::SinkOptions options;
    options.path = NextName();
    // A FIFO that nobody reads holds up the recording.
    options.file.keep_waiting = [] { return false; };
    auto output = sink::OpenOutput(options);
    if (!output) {
      say_(output.error().message);
      continue;
    }
    auto number =
        recording_.Snapshot({.destination = {std::move(*output), sink::WantsGzip(options)},
                             .last = due.last,
                             .until = due.until,
                             .fired = std::move(due.fired)});
    if (number) {
      being_written_[*number] = trigger;
    } else {
      say_(number.error().message);
    }
  }
}

bool TriggerFiles::Take(const session::Written& written) {
  const auto found = being_written_.find(written.number);
  if (found == being_written_.end()) return false;
  if (written.status) {
    ++files_[found->second];
    say_(fmt::format("wrote {} ({}, {} events, {})", written.name, util::FormatSize(written.bytes),
                     util::FormatCount(written.events), util::FormatDuration(written.covered)));
  } else {
    say_(written.status.error().message);
  }
  being_written_.erase(found);
  return true;
}

std::vector<control::TriggerStatus> TriggerFiles::status() const {
  std::vector<control::TriggerStatus> all;
  for (const session::TriggerState& each : set_->triggers()) {
    const auto files = files_.find(each.spec.text);
    all.push_back(
        {each.spec.text, each.fired, each.limited, files == files_.end() ? 0 : files->second});
  }
  return all;
}

}  // namespace tools
