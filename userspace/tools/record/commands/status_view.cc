// SPDX-License-Identifier: BSD-2-Clause
#include "tools/record/commands/status_view.h"

#include <fmt/format.h>

#include "text/clean_text.h"
#include "util/quantity.h"

namespace tools {
namespace {

// ns. To load the programs took its time, too: before that it would be most of the share.
constexpr uint64_t kLeastForShare = 10'000'000'000;

using control::SessionState;
using control::Status;

double Percent(uint64_t part, uint64_t whole) {
  return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

std::string ModeOf(const Status& status) {
  return status.buffering_mode ? std::string(request::Name(*status.buffering_mode)) : "";
}

// ", 35,000 a second"; empty for one that was not there before.
std::string RateOf(const control::CategoryCount& category, const TimedStatus& before,
                   const TimedStatus& now) {
  for (const control::CategoryCount& old : before.status.categories) {
    if (old.name != category.name || old.events > category.events) continue;
    const double seconds = static_cast<double>(now.time - before.time) / 1e9;
    const double rate = static_cast<double>(category.events - old.events) / seconds;
    return fmt::format(", {} a second", util::FormatCount(static_cast<uint64_t>(rate)));
  }
  return "";
}

}  // namespace

StatusRates RatesBetween(const TimedStatus& before, const TimedStatus& now) {
  const Status& old = before.status;
  const Status& young = now.status;
  if (now.time <= before.time || young.events < old.events || young.lost < old.lost ||
      young.cpu_time < old.cpu_time || old.state != young.state) {
    return {};
  }
  const double seconds = static_cast<double>(now.time - before.time) / 1e9;
  return StatusRates{true, static_cast<double>(young.events - old.events) / seconds,
                     static_cast<double>(young.lost - old.lost) / seconds,
                     static_cast<double>(young.cpu_time - old.cpu_time) / seconds / 1e7};
}

std::string StatusLines(const TimedStatus& now, const TimedStatus* before) {
  const Status& status = now.status;
  std::string text = fmt::format("{:<10} {}", "state", control::Name(status.state));
  if (status.buffering_mode) {
    text += fmt::format(", {}", ModeOf(status));
    if (status.buffer_bytes != 0) {
      text += fmt::format(", {} of buffer", util::FormatSize(status.buffer_bytes));
    }
  }
  if (!status.reason.empty()) text += fmt::format(": {}", text::CleanText(status.reason));
  text += '\n';
  if (status.state == SessionState::kReady) {
    return text + "no session; fxt-record start begins one\n";
  }
  const StatusRates rates = before != nullptr ? RatesBetween(*before, now) : StatusRates{};
  text += fmt::format("{:<10} {}", "covers", util::FormatDuration(status.covered));
  if (status.started != 0) {
    text += fmt::format("; started {} ago", util::FormatDuration(status.started));
  }
  text += fmt::format("\n{:<10} {}", "events", util::FormatCount(status.events));
  if (rates.known) {
    text += fmt::format(", {} a second", util::FormatCount(static_cast<uint64_t>(rates.events)));
  } else if (status.started != 0) {
    const double seconds = static_cast<double>(status.started) / 1e9;
    const double rate = static_cast<double>(status.events) / seconds;
    text += fmt::format(", {} a second", util::FormatCount(static_cast<uint64_t>(rate)));
  }
  text += fmt::format("\n{:<10} {}", "lost", util::FormatCount(status.lost));
  if (rates.lost > 0) {
    text += fmt::format(", {} a second", util::FormatCount(static_cast<uint64_t>(rates.lost)));
  }
  text += fmt::format("\n{:<10} {} of CPU time", "cost", util::FormatDuration(status.cpu_time));
  if (rates.known || status.started >= kLeastForShare) {
    text += fmt::format(", {:.2f}% of one CPU",
                        rates.known ? rates.cpu_percent : Percent(status.cpu_time, status.started));
  }
  text += fmt::format("; {} of memory\n", util::FormatSize(status.resident_bytes));
  for (const control::CategoryCount& category : status.categories) {
    text += fmt::format("{:<10} {}: {} events{}, {} lost\n", "category",
                        text::CleanText(category.name), util::FormatCount(category.events),
                        rates.known ? RateOf(category, *before, now) : "",
                        util::FormatCount(category.lost));
  }
  if (status.unwind) {
    text += fmt::format(
        "{:<10} unwind tables of {} files, {} (at most {}); {} removed to free memory\n", "stacks",
        util::FormatCount(status.unwind->tables), util::FormatSize(status.unwind->table_bytes),
        util::FormatSize(status.unwind->max_table_bytes),
        util::FormatCount(status.unwind->unloaded));
  }
  for (const control::TriggerStatus& trigger : status.triggers) {
    text += fmt::format("{:<10} {}: fired {}, suppressed {}, files {}\n", "trigger",
                        text::CleanText(trigger.condition), util::FormatCount(trigger.fired),
                        util::FormatCount(trigger.suppressed), util::FormatCount(trigger.files));
  }
  for (const control::ProviderInfo& provider : status.providers) {
    if (provider.pid == status.pid) continue;  // the recorder's own section
    text += fmt::format("{:<10} {} (process {})\n", "provider", text::CleanText(provider.name),
                        provider.pid);
  }
  if (status.providers_refused != 0) {
    text += fmt::format("{:<10} {} refused: too many; they are not recorded\n", "providers",
                        util::FormatCount(status.providers_refused));
  }
  return text;
}

std::string StatusLine(const TimedStatus& now, const TimedStatus* before) {
  const Status& status = now.status;
  std::string text(control::Name(status.state));
  if (status.state == SessionState::kReady) return text + '\n';
  const StatusRates rates = before != nullptr ? RatesBetween(*before, now) : StatusRates{};
  text += fmt::format(" {} covers {} events {}", ModeOf(status),
                      util::FormatDuration(status.covered), util::FormatCount(status.events));
  if (rates.known)
    text += fmt::format(" ({}/s)", util::FormatCount(static_cast<uint64_t>(rates.events)));
  text += fmt::format(" lost {}", util::FormatCount(status.lost));
  if (rates.known) text += fmt::format(" cpu {:.2f}%", rates.cpu_percent);
  if (!status.reason.empty()) text += fmt::format(": {}", text::CleanText(status.reason));
  return text + '\n';
}

}  // namespace tools
