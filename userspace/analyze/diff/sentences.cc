// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/diff/sentences.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>

#include "analyze/diff/request_words.h"
#include "analyze/diff/row_words.h"
#include "analyze/diff/settings_section.h"
#include "compare/change_rules.h"
#include "compare/explaining_settings.h"
#include "measure/group_name.h"
#include "schema/settings.h"
#include "schema/wait_object.h"
#include "text/clean_text.h"

namespace analyze {
namespace {

using comparison::CauseLink;
using comparison::ComparisonRow;
using comparison::DiffReport;
using comparison::Metric;
using comparison::Statistic;
using comparison::Verdict;

constexpr size_t kNamesShown = 3;

std::string PeriodOf(const DiffReport& report) { return report.per_run ? "run" : "second"; }

// "3.8 s per run", "229 ms per second".
std::string Amount(const DiffReport& report, double ms_per_second) {
  const double ms = std::abs(ms_per_second) * (report.per_run ? report.seconds_per_run : 1);
  if (ms >= 1000) return fmt::format("{:.1f} s per {}", ms / 1e3, PeriodOf(report));
  return fmt::format("{} ms per {}",
                     ms >= 100 ? fmt::format("{:.0f}", ms) : fmt::format("{:.1f}", ms),
                     PeriodOf(report));
}

// The group that a wait is attributed to: a link of a kind, not of the group itself.
const CauseLink* LinkOf(const ComparisonRow& row) {
  return row.causes.empty() ? nullptr : &row.causes.front();
}

// "haproxy waits 2.1 s per run longer for answers of python3", for the groups that the one that a
// row waits for waits for in its turn.
std::string AddAnswerers(const DiffReport& report, const ComparisonRow& row, std::string words) {
  std::string asker;
  for (const CauseLink& link : row.causes) {
    if (!link.group) continue;
    std::string name = GroupWords(report, *link.group);
    if (link.kind == CauseLink::Kind::kAnsweredBy) {
      words += words.ends_with(" " + asker) ? ", which " : "; " + asker + " ";
      words += fmt::format("waits {} longer for answers of {}", Amount(report, link.change), name);
    }
    asker = std::move(name);
  }
  return words;
}

// A group of processes has one thread of each.
std::string OwnKindWords(const DiffReport& report, size_t group) {
  const comparison::DiffGroup& own = report.groups[group];
  return own.of_processes ? "another process " + text::CleanText(own.name.process)
                          : "a thread of its own kind";
}

std::string SleepWords(const DiffReport& report, const ComparisonRow& row) {
  const char* longer = row.change > 0 ? "longer" : "less";
  const std::string amount = Amount(report, row.change);
  const CauseLink* link = LinkOf(row);
  const bool named = link != nullptr && link->group.has_value();
  const bool itself = named && link->group == row.group;
  const std::string whom = !named   ? "another thread"
                           : itself ? OwnKindWords(report, *row.group)
                                    : GroupWords(report, *link->group);
  const std::string object = ObjectWords(row).empty() ? "" : " " + ObjectWords(row);
  if (row.statistic == Statistic::kLockRate) {
    const bool is_futex = !row.object || row.object->object.kind == "futex";
    return fmt::format("waits {} {}{} until {} lets it go on (a lock)", amount, longer,
                       is_futex ? "" : object, whom);
  }
  const auto answers = [&] {
    return fmt::format("{} {} instead of {}", ValueWords(report, row, row.next.value),
                       row.statistic == Statistic::kAnswerP50 ? "at p50" : "each",
                       ValueWords(report, row, row.base.value));
  };
  if (comparison::IsAnswers(row.statistic) && named && row.object &&
      row.object->object.kind == schema::wait_kind::kChild) {
    return fmt::format("waits {} {} for {} to exit, {}", amount, longer, whom, answers());
  }
  // The thread that it asked is more informative than the call in which it asked. A send that
  // blocks is more informative.
  const bool sends = row.object && (row.object->object.syscall.starts_with("write") ||
                                    row.object->object.syscall.starts_with("send"));
  if (comparison::IsAnswers(row.statistic) && named && sends) {
    return fmt::format("waits {} {} for {}{}, {}", amount, longer, whom, object, answers());
  }
  if (comparison::IsAnswers(row.statistic)) {
    return fmt::format("waits {} {} for answers{}, {}", amount, longer, named ? " of " + whom : "",
                       answers());
  }
  if (row.statistic == Statistic::kPauseRate) {
    return fmt::format("sleeps {} {}{} amid its work, for as long as it asked", amount, longer,
                       object);
  }
  // The timeouts of its futex ended most of it.
  const bool times_out = row.statistic == Statistic::kSleepForThreads && row.object &&
                         row.object->object.kind == schema::wait_kind::kFutex &&
                         (!named || link->change < row.change * comparison::kExplained);
  if (times_out) {
    return fmt::format("waits {} {}{} for another thread of its process (a lock)", amount, longer,
                       object);
  }
  if (link == nullptr) return fmt::format("sleeps {} {}{}", amount, longer, object);
  if (link->kind == CauseLink::Kind::kInterrupt) {
    return fmt::format("sleeps {} {}{} until a timer or a device wakes it", amount, longer, object);
  }
  return fmt::format("waits {} {} for {}{}", amount, longer, whom, sends ? object : "");
}

// Other work of the machine that is blocked longer as well, by half of the change or more. Not the
// kernel's thread that ends the wait.
const ComparisonRow* BlockedBeside(const DiffReport& report, const ComparisonRow& row) {
  if (row.change <= 0) return nullptr;
  const CauseLink* link = LinkOf(row);
  for (const ComparisonRow& other : report.others) {
    if (other.metric != Metric::kBlocked || (link != nullptr && link->group == other.group)) {
      continue;
    }
    return other.change >= row.change * comparison::kExplained ? &other : nullptr;
  }
  return nullptr;
}

std::string BlockedWords(const DiffReport& report, const ComparisonRow& row) {
  const auto blocked = [&](const ComparisonRow& of) {
    const std::string object = ObjectWords(of);
    return fmt::format("is blocked {} {}{}", Amount(report, of.change),
                       of.change > 0 ? "longer" : "less",
                       object.empty() ? " (in D)" : " " + object);
  };
  const CauseLink* link = LinkOf(row);
  std::string words = blocked(row);
  if (link != nullptr && link->kind == CauseLink::Kind::kInterrupt) {
    words += ", until a device is done";
  } else if (link != nullptr && link->group && link->group != row.group) {
    words += ", until " + GroupWords(report, *link->group) + " ends it";
  }
  if (const ComparisonRow* other = BlockedBeside(report, row)) {
    words += fmt::format(", while {} (other work) {}", GroupWords(report, *other), blocked(*other));
  }
  return words;
}

// Threads of a greater weight make up half of a longer wait, or more.
bool IsBehindWeight(const DiffReport& report, const ComparisonRow& row) {
  return row.change > 0 &&
         std::any_of(report.rows.begin(), report.rows.end(), [&](const ComparisonRow& weight) {
           return weight.group == row.group && weight.metric == Metric::kWeight &&
                  weight.change / row.change >= comparison::kExplained;
         });
}

std::string CpuWaitWords(const DiffReport& report, const ComparisonRow& row,
                         const std::vector<CauseLink>& links) {
  std::string words = fmt::format("waits {} {} for a CPU", Amount(report, row.change),
                                  row.change > 0 ? "longer" : "less");
  std::vector<std::string> names;
  for (const CauseLink& link : links) {
    const bool held =
        link.kind == CauseLink::Kind::kHeldCpu || link.kind == CauseLink::Kind::kInversion;
    if (!held || !link.group || names.size() == kNamesShown) continue;
    if (row.verdict != Verdict::kOthers && !names.empty()) continue;
    std::string name =
        link.group == row.group ? "threads of its own kind" : GroupWords(report, *link.group);
    if (row.verdict == Verdict::kOthers) name += fmt::format(" ({})", Amount(report, link.change));
    names.push_back(std::move(name));
  }
  if (!names.empty()) words += fmt::format(", which {} had", fmt::join(names, ", "));
  if (row.metric == Metric::kAffinity) {
    words += ", while a CPU that it may not use was idle";
  } else if (IsBehindWeight(report, row)) {
    words += names.empty() ? ", behind threads of a greater weight" : ", by their greater weight";
  }
  return words;
}

// The predicate of the group's sentence, without its name.
std::string ClauseOf(const DiffReport& report, const ComparisonRow& row) {
  if (row.verdict == Verdict::kNew) return "is new";
  if (row.verdict == Verdict::kGone) return "is gone";
  const std::string amount = Amount(report, row.change);
  const std::string values =
      fmt::format("{} instead of {}", ValueWords(report, row, row.next.value),
                  ValueWords(report, row, row.base.value));
  const char* more = row.change > 0 ? "more" : "less";
  switch (row.metric) {
    case Metric::kCpuTime:
    case Metric::kSlice:
      if (row.statistic == Statistic::kCpuRate) {
        const bool of_work = row.verdict == Verdict::kMore || row.verdict == Verdict::kLess;
        return fmt::format("uses {} {} CPU time{}", amount, more,
                           of_work ? fmt::format(" for {} work", more) : "");
      }
      return fmt::format("uses {} {} CPU time: {} for each {}", amount, more, values,
                         row.metric == Metric::kCpuTime ? "wakeup" : "run");
    case Metric::kWakeupLatency:
    case Metric::kPreemptedWait:
    case Metric::kInversion:
    case Metric::kUnconserved:
    case Metric::kAffinity:
    case Metric::kWeight:
      return CpuWaitWords(report, row, row.verdict == Verdict::kOthers ? row.others : row.causes);
    case Metric::kThrottled:
      return LimitChangeWords(report, row);
    case Metric::kRtThrottled:
      return fmt::format("is throttled {} {}: real-time threads had used up their time", amount,
                         more);
    case Metric::kSleep:
      return AddAnswerers(report, row, SleepWords(report, row));
    case Metric::kBlocked:
      return BlockedWords(report, row);
    case Metric::kSwitches:
      return "is switched " + values;
    case Metric::kWakeups:
      return "is woken " + values;
    case Metric::kMigrations:
      return "changes its CPU " + values;
    case Metric::kForks:
      return fmt::format("makes {} {}", values,
                         row.statistic == Statistic::kProcessRate ? "processes" : "threads");
    case Metric::kIrqTime:
    case Metric::kSoftirqTime:
    case Metric::kSyscallTime:
      return fmt::format("spends {} {} in {}", amount, more, text::CleanText(row.name));
    case Metric::kElapsed:
      return fmt::format("takes {} instead of {}", ValueWords(report, row, row.next.value),
                         ValueWords(report, row, row.base.value));
    case Metric::kRequest:
      return RequestClause(report, row);
    case Metric::kMachine:
      break;
  }
  return "changed";
}

// A group that waits for the next request is not kept waiting.
bool WaitsForWorkAlone(const DiffReport& report, const ComparisonRow& row) {
  if (row.metric != Metric::kSleep || comparison::IsAnswers(row.statistic) ||
      row.statistic == Statistic::kLockRate) {
    return false;
  }
  const auto& times = report.groups[*row.group].next_times;
  const auto count = [&](measure::Duration what) {
    return times[static_cast<size_t>(what)].count();
  };
  return count(measure::Duration::kForWork) != 0 && count(measure::Duration::kForAnswer) == 0 &&
         count(measure::Duration::kForLock) == 0;
}

bool WaitsForAnother(const ComparisonRow& row) {
  const CauseLink* link = LinkOf(row);
  return row.metric == Metric::kSleep && link != nullptr && link->group && link->group != row.group;
}

// A shell that waits for the exit of the command adds nothing to the command's own sentence;
// neither does a server that waits for its clients.
bool IsEchoOf(const ComparisonRow& first, const ComparisonRow& row) {
  if (row.metric != Metric::kSleep) return false;
  if (WaitsForAnother(first) && first.causes.front().group == row.group) return true;
  const bool for_child = row.object && row.object->object.kind == schema::wait_kind::kChild;
  return for_child && (!comparison::IsAnswers(row.statistic) || WaitsForAnother(first));
}

// The finding that another one caused, of another group, with the largest change. One that is
// small beside its cause (kLeastChange) is a side effect: a shell that waits for the command.
std::optional<size_t> VictimOf(const DiffReport& report, size_t number) {
  const ComparisonRow& first = report.rows[number];
  std::optional<size_t> victim;
  for (const size_t other : Ranked(report)) {
    const ComparisonRow& row = report.rows[other];
    if (row.caused_by != number || row.group == first.group) continue;
    if (row.verdict != Verdict::kWorse || WaitsForWorkAlone(report, row) || IsEchoOf(first, row)) {
      continue;
    }
    if (!victim || row.change > report.rows[*victim].change) victim = other;
  }
  const double least = first.change * (comparison::kLeastChange - 1);
  return victim && report.rows[*victim].change < least ? std::nullopt : victim;
}

// What a finding caused, what that caused in its turn, and so on; the finding itself first.
std::vector<size_t> VictimsOf(const DiffReport& report, size_t number) {
  std::vector<size_t> chain = {number};
  while (const auto victim = VictimOf(report, chain.back())) {
    if (std::find(chain.begin(), chain.end(), *victim) != chain.end()) break;
    chain.push_back(*victim);
  }
  return chain;
}

// A link between a victim and its cause.
std::string LinkClause(const DiffReport& report, const ComparisonRow& row) {
  const CauseLink* link = LinkOf(row);
  if (!comparison::IsAnswers(row.statistic) || link == nullptr || !link->group) {
    return ClauseOf(report, row);
  }
  return fmt::format("waits {} longer for answers of {}", Amount(report, row.change),
                     GroupWords(report, *link->group));
}

// CPUs that the threads of a process run on at a time, mean of a side.
struct CpusAtOnce {
  double base = 0;
  double next = 0;
};

// "; hasher runs on 1.0 CPUs at a time instead of 1.9", where that makes the command take longer:
// of the process that used most.
std::string FewerCpusWords(const DiffReport& report, const ComparisonRow& elapsed) {
  std::map<std::string, CpusAtOnce> processes;
  for (const comparison::DiffGroup& group : report.groups) {
    if (!group.name.of_command) continue;
    constexpr auto kRunning = static_cast<size_t>(facts::Share::kRunning);
    CpusAtOnce& process = processes[group.name.process];
    process.base += group.base_shares[kRunning] * report.seconds_per_run / elapsed.base.value;
    process.next += group.next_shares[kRunning] * report.seconds_per_run / elapsed.next.value;
  }
  const auto most =
      std::max_element(processes.begin(), processes.end(),
                       [](const auto& a, const auto& b) { return a.second.base < b.second.base; });
  if (!report.per_run || most == processes.end() || elapsed.change <= 0) return "";
  const auto& [name, cpus] = *most;
  // Of one CPU or less there are no others that could run at the same time.
  const bool at_once = cpus.base > comparison::kLeastChange && cpus.next > 0;
  const bool explains = at_once && std::log(cpus.base / cpus.next) >=
                                       std::log(elapsed.ratio.value) * comparison::kExplained;
  return explains ? fmt::format("; {} runs on {:.1f} CPUs at a time instead of {:.1f}",
                                text::CleanText(name), cpus.next, cpus.base)
                  : "";
}

std::string Joined(const std::vector<std::string>& names, size_t all) {
  std::string words = fmt::format("{}", fmt::join(names, ", "));
  if (all > names.size()) words += fmt::format(" and {} more", all - names.size());
  return words;
}

// The same of a victim, with settings that act on the process of its cause as well.
std::string SinceWords(const DiffReport& report, const ComparisonRow& victim,
                       const ComparisonRow& cause) {
  const std::string process = measure::FoldDigits(report.groups[*cause.group].name.process);
  for (const size_t number : comparison::ExplainingSettings(report, victim)) {
    const comparison::SettingDifference& setting = report.settings[number];
    if (schema::HasProcess(setting.scope) && setting.subject != process) continue;
    return ", since " + SettingWords(setting);
  }
  return "";
}

// A word for a shell.
std::string ShellWord(const std::string& word) {
  const bool plain = !word.empty() && std::all_of(word.begin(), word.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 ||
           std::string_view("/._-+,:=@%").find(static_cast<char>(c)) != std::string_view::npos;
  });
  if (plain) return word;
  std::string quoted = "'";
  for (const char c : word) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

}  // namespace

std::string SentenceOf(const DiffReport& report, const ComparisonRow& row) {
  std::string words = GroupWords(report, row) + " " + ClauseOf(report, row);
  if (row.metric == Metric::kElapsed) words += FewerCpusWords(report, row);
  const bool for_cpu = row.metric == Metric::kWakeupLatency || row.metric == Metric::kPreemptedWait;
  if (row.verdict != Verdict::kOthers || for_cpu) return words;
  std::vector<std::string> names;
  for (const CauseLink& link : row.others) {
    if (names.size() < kNamesShown) names.push_back(GroupWords(report, *link.group));
  }
  return names.empty() ? words
                       : words + fmt::format(", while {} had the CPU", fmt::join(names, ", "));
}

std::string ConclusionOf(const DiffReport& report) {
  const auto& ranked = Ranked(report);
  const bool of_command =
      !ranked.empty() && !report.rows[ranked.front()].group && !report.rows[ranked.front()].request;
  // Findings that are small beside the delay by others do not hide it.
  const double delay = report.slower_by_others.empty() ? 0 : report.slower_by_others.front().change;
  const bool got_worse = std::any_of(ranked.begin(), ranked.end(), [&](size_t number) {
    const ComparisonRow& row = report.rows[number];
    return (row.verdict == Verdict::kWorse || row.verdict == Verdict::kNew) &&
           row.change > delay * comparison::kLeastPart;
  });
  if ((ranked.empty() || of_command || !got_worse) && !report.slower_by_others.empty()) {
    const ComparisonRow& by_others = report.slower_by_others.front();
    const double least =
        of_command ? report.rows[ranked.front()].change * comparison::kExplained : 0;
    if (by_others.change >= least) {
      return "slower because of others: " + SentenceOf(report, by_others);
    }
  }
  if (ranked.empty()) return NothingWords(report);
  const ComparisonRow& first = report.rows[ranked.front()];
  const std::vector<size_t> chain = VictimsOf(report, ranked.front());
  std::string since = SinceWords(report, first);
  if (of_command && FewerCpusWords(report, first).empty() && ranked.size() > 1 &&
      report.rows[ranked[1]].verdict == Verdict::kMore) {
    // No group is slower by itself. One does more.
    return SentenceOf(report, first) + "; " + SentenceOf(report, report.rows[ranked[1]]) + since;
  }
  if (chain.size() == 1) return SentenceOf(report, first) + since;
  if (since.empty()) since = SinceWords(report, report.rows[chain[1]], first);
  // First the group that waits in the end, then what it waits for, down to the cause.
  std::string words = SentenceOf(report, report.rows[chain.back()]);
  for (size_t at = chain.size() - 1; at-- > 0;) {
    const ComparisonRow& row = report.rows[chain[at]];
    const std::string name = GroupWords(report, row);
    // If the sentence ends with the name, the next clause continues it.
    words += words.ends_with(" " + name) ? ", which " : "; " + name + " ";
    words += at == 0 ? ClauseOf(report, row) : LinkClause(report, row);
  }
  return words + since;
}

std::string SinceWords(const DiffReport& report, const ComparisonRow& row) {
  const std::vector<size_t> settings = comparison::ExplainingSettings(report, row);
  if (settings.empty()) return "";
  return ", since " + SettingWords(report.settings[settings.front()]);
}

std::string NextCommand(const ComparisonRow& row) {
  if (row.examples.empty()) return "";
  const comparison::Example& longest = row.examples.front();
  if (longest.file.ends_with(".fxs")) return "";
  if (row.request) {
    return fmt::format("fxt path --span {} {}", text::CleanText(ShellWord(SpanPatternOf(row.name))),
                       text::CleanText(ShellWord(longest.file)));
  }
  // A tenth of its length more on both sides.
  const auto begin = static_cast<double>(longest.since_begin_ns) / 1e9;
  const auto length = static_cast<double>(longest.duration_ns) / 1e9;
  const double around = std::max(length / 10, 0.0005);
  return fmt::format("fxt draw --from {:.6f}s --to {:.6f}s {} -o longest.svg",
                     std::max(0.0, begin - around), begin + length + around,
                     text::CleanText(ShellWord(longest.file)));
}

std::vector<std::string> DisturbedWords(const DiffReport& report) {
  std::vector<std::string> lines;
  for (const comparison::DisturbedCapture& one : report.disturbed) {
    lines.push_back(fmt::format(
        "{} is disturbed: other work had {:.0f}% of the CPU time, usually {:.0f}%{}; {}",
        text::CleanText(one.file), 100 * one.share, 100 * one.usual,
        one.by.empty() ? "" : ", most of it " + text::CleanText(one.by),
        one.left_out ? "it is left out" : "record it again"));
  }
  return lines;
}

std::vector<std::string> SilenceWords(const DiffReport& report) {
  std::vector<std::string> lines;
  if (report.requests_left_out != 0) {
    lines.push_back(
        fmt::format("{} requests found no room and are not compared", report.requests_left_out));
  }
  lines.push_back(fmt::format("judged: {} of {} groups", report.judged, report.groups.size()));
  std::vector<std::string> names;
  for (const comparison::UnjudgedPartner& partner : report.partners) {
    if (names.size() == kNamesShown) break;
    const double run = report.per_run ? report.seconds_per_run : 1;
    names.push_back(fmt::format("{} ({:.0f} wakeups per {})", GroupWords(report, partner.group),
                                partner.wakeups * run, PeriodOf(report)));
  }
  if (!names.empty()) {
    lines.push_back("exchanges wakeups with them and is not judged: " +
                    Joined(names, report.partners.size()));
  }
  names.clear();
  for (const comparison::UndecidedRow& undecided : report.too_noisy) {
    if (names.size() == kNamesShown) break;
    const ComparisonRow& row = report.rows[undecided.row];
    names.push_back(fmt::format("{}, {} ({}; {} captures a side would decide)",
                                GroupWords(report, row), MetricWords(report, row),
                                RatioIntervalWords(row), undecided.captures));
  }
  if (!names.empty()) {
    lines.push_back("too noisy to decide: " + Joined(names, report.too_noisy.size()));
  }
  return lines;
}

}  // namespace analyze
