// SPDX-License-Identifier: BSD-2-Clause
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "analyze/report/latency_bars.h"
#include "analyze/report/report.h"
#include "analyze/report/text_columns.h"
#include "measure/missing.h"
#include "text/clean_text.h"
#include "util/quantity.h"

namespace analyze {
namespace {

using facts::Share;
using measure::Attribution;
using measure::Blame;
using measure::Capture;
using measure::Distribution;
using measure::Duration;
using measure::Group;

constexpr size_t kStripWidth = 60;
constexpr size_t kNameWidth = 30;
constexpr size_t kPreemptions = 10;

class TextReport {
 public:
  explicit TextReport(const Report& report)
      : report_(report),
        capture_(report.capture),
        seconds_(std::max(1e-9, static_cast<double>(report.capture.length()) / 1e9)) {}

  std::string Write() {
    Head();
    if (!measure::HasSwitches(capture_)) {
      Calls();
      return std::move(text_);
    }
    if (capture_.length() == 0) {
      Line("all of it is at one time: there are no rates");
      return std::move(text_);
    }
    Machine();
    Strips();
    Busiest();
    Delayed();
    text_ += LatencyBars(capture_);
    Blames();
    Preemptions();
    Waits("longest waits for a CPU", report_.watcher.waits().for_cpu());
    Waits("longest waits in D", report_.watcher.waits().blocked());
    Calls();
    Uncertain();
    return std::move(text_);
  }

 private:
  template <typename... Args>
  void Line(fmt::format_string<Args...> format, Args&&... args) {
    text_ += text::CleanText(fmt::format(format, std::forward<Args>(args)...));
    text_.push_back('\n');
  }
  double PerSecond(uint64_t count) const { return static_cast<double>(count) / seconds_; }
  // ms of each second.
  double Rate(uint64_t ns) const { return static_cast<double>(ns) / 1e6 / seconds_; }

  std::string NameOf(const Group& group) const {
    std::string name = group.name.process;
    if (group.name.thread != name) name += "/" + group.name.thread;
    if (name.empty()) name = "(no name)";
    if (group.name.of_command) name += " *";
    return text::CleanText(name);
  }
  std::string NameOf(uint32_t number) const {
    if (number < capture_.groups.size()) return NameOf(capture_.groups[number]);
    return number == measure::kInterrupt ? "interrupt or timer" : "(not known)";
  }
  std::string ThreadName(fxt::Koid koid) const {
    const std::string& name = report_.watcher.names().thread_name(koid);
    return fmt::format("{} [{}]", name.empty() ? "?" : text::CleanText(name), koid & 0x3fffff);
  }

  void Head() {
    Line("{}: {} on {} CPUs{}{}", capture_.file, util::FormatDuration(capture_.length()),
         capture_.cpus, capture_.kernel.empty() ? "" : ", kernel ", capture_.kernel);
    if (!capture_.command.empty()) {
      Line("command: {}{}{}  (its groups are marked *)", capture_.command,
           capture_.elapsed_ns ? ", took " : "",
           capture_.elapsed_ns ? util::FormatDuration(*capture_.elapsed_ns) : "");
    }
    for (const std::string& note : report_.notes) Line("note: {}", note);
  }

  void Machine() {
    uint64_t busy = 0;
    uint64_t idle = 0;
    for (const Capture::Cpu& cpu : capture_.by_cpu) {
      busy += cpu.busy_ns;
      idle += cpu.idle_ns;
    }
    uint64_t waiting = 0;
    uint64_t switches = 0;
    uint64_t wakeups = 0;
    uint64_t forks = 0;
    uint64_t threads = 0;
    for (const Group& group : capture_.groups) {
      threads += group.threads;
      waiting += group.of(Share::kRunnableWakeup) + group.of(Share::kRunnablePreempted);
      switches += group.switches_voluntary + group.switches_involuntary;
      wakeups += group.wakeups;
      forks += group.forked_processes + group.forked_threads;
    }
    const double load = static_cast<double>(busy + waiting) / 1e9 / seconds_;
    const double known = std::max(1.0, static_cast<double>(busy + idle));
    Line("machine: {:.0f}% busy, load {:.2f} ({:.2f} running, {:.2f} waiting)",
         100 * static_cast<double>(busy) / known, load, Rate(busy) / 1000, Rate(waiting) / 1000);
    Line("each second: {:.0f} switches of threads, {:.0f} wakeups, {:.1f} forks",
         PerSecond(switches), PerSecond(wakeups), PerSecond(forks));
    Line("in all: {} threads in {} groups, {} switches of threads, {} of CPU time",
         util::FormatCount(threads), capture_.groups.size(), util::FormatCount(switches),
         util::FormatDuration(busy));
  }

  void Strips() {
    const CpuStrips& strips = report_.watcher.strips();
    const auto& cpus = strips.cpus();
    size_t all = 0;
    for (const auto& slots : cpus) all = std::max(all, slots.size());
    if (all == 0) return;
    const size_t width = std::min(all, kStripWidth);
    Line("");
    Line("CPU   busy  each column {}; below, how many wait (+: more than 9)",
         Short(capture_.length() / width));
    static constexpr std::string_view kShades = " .:-=+*#%@";
    for (size_t cpu = 0; cpu < cpus.size() && cpu < capture_.by_cpu.size(); ++cpu) {
      if (cpus[cpu].empty()) continue;
      std::string busy;
      const auto unknown = Columns(strips, cpu, all, width, &CpuStrips::Slot::unknown_ns);
      for (const double part : Columns(strips, cpu, all, width, &CpuStrips::Slot::busy_ns)) {
        const auto shade = static_cast<size_t>(part * static_cast<double>(kShades.size()));
        const bool dark = unknown[busy.size()] > 0.5;
        busy += dark ? '?' : kShades[std::min(shade, kShades.size() - 1)];
      }
      std::string queue;
      for (const double part : Columns(strips, cpu, all, width, &CpuStrips::Slot::queue_ns)) {
        const auto threads = static_cast<unsigned>(part + 0.5);
        queue += threads == 0 ? ' ' : threads > 9 ? '+' : static_cast<char>('0' + threads);
      }
      Line("{:>3} {:>5.0f}%  |{}|", cpu,
           100 * static_cast<double>(capture_.by_cpu[cpu].busy_ns) / 1e9 / seconds_, busy);
      Line("            |{}|", queue);
    }
  }

  // Groups in descending order of `what`, those without it left out; no more than the top.
  template <typename What>
  std::vector<const Group*> Top(What what) const {
    std::vector<const Group*> groups;
    for (const Group& group : capture_.groups) {
      if (what(group) != 0) groups.push_back(&group);
    }
    std::stable_sort(groups.begin(), groups.end(),
                     [&](const Group* a, const Group* b) { return what(*a) > what(*b); });
    if (report_.top != 0 && groups.size() > report_.top) groups.resize(report_.top);
    return groups;
  }
  static uint64_t Delay(const Group& group) {
    return group.of(Share::kRunnableWakeup) + group.of(Share::kRunnablePreempted);
  }

  void Busiest() {
    const auto groups = Top([](const Group& group) { return group.of(Share::kRunning); });
    if (groups.empty()) return;
    Line("");
    Line("{:<{}} {:>7} {:>8} {:>10} {:>6} {:>6} | {:>7} {:>7} {:>7} {:>7} {:>7} {:>7}", "busiest",
         kNameWidth, "threads", "CPU ms/s", "switches/s", "forced", "migr/s", "run:min", "avg",
         "stddev", "p50", "p99", "max");
    for (const Group* group : groups) {
      const Distribution& slice = group->of(Duration::kSlice);
      const uint64_t switches = group->switches_voluntary + group->switches_involuntary;
      Line(
          "{:<{}} {:>7} {:>8.2f} {:>10.1f} {:>5.0f}% {:>6.1f} | {:>7} {:>7} {:>7} {:>7} {:>7} "
          "{:>7}",
          CutName(NameOf(*group), kNameWidth), kNameWidth, group->threads,
          Rate(group->of(Share::kRunning)), PerSecond(switches),
          switches == 0 ? 0
                        : 100 * static_cast<double>(group->switches_involuntary) /
                              static_cast<double>(switches),
          PerSecond(group->migrations), Min(slice), Mean(slice), Deviation(slice), P50(slice),
          P99(slice), Max(slice));
    }
  }

  void Delayed() {
    const auto groups = Top(Delay);
    if (groups.empty()) return;
    Line("");
    Line("{:<{}} {:>9} {:>9} | {:>8} {:>7} {:>7} {:>7} {:>7} | {:>6} {:>7} {:>7}", "most delayed",
         kNameWidth, "wait ms/s", "wakeups/s", "woken:ms", "mean", "p50", "p99", "max", "forced",
         "mean", "max");
    for (const Group* group : groups) {
      const Distribution& woken = group->of(Duration::kWakeupLatency);
      const Distribution& preempted = group->of(Duration::kPreemptedWait);
      Line("{:<{}} {:>9.2f} {:>9.1f} | {:>8.2f} {:>7} {:>7} {:>7} {:>7} | {:>6.2f} {:>7} {:>7}",
           CutName(NameOf(*group), kNameWidth), kNameWidth, Rate(Delay(*group)),
           PerSecond(group->wakeups), Rate(group->of(Share::kRunnableWakeup)), Mean(woken),
           P50(woken), P99(woken), Max(woken), Rate(group->of(Share::kRunnablePreempted)),
           Mean(preempted), Max(preempted));
    }
  }

  // "hog 20.1, cc1 3.2": the largest ones, ms of each second.
  template <typename What>
  std::string Shares(const std::map<uint32_t, Blame>& blames, What what) const {
    std::vector<std::pair<uint64_t, uint32_t>> parts;
    uint64_t all = 0;
    for (const auto& [other, blame] : blames) {
      parts.emplace_back(what(blame), other);
      all += what(blame);
    }
    std::stable_sort(parts.begin(), parts.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    std::string text;
    for (size_t i = 0; i < parts.size() && i < 4; ++i) {
      if (parts[i].first == 0 || (i > 0 && parts[i].first * 50 < all)) break;
      text += fmt::format("{}{} {:.2f}", i == 0 ? "" : ", ", NameOf(parts[i].second),
                          Rate(parts[i].first));
    }
    return text;
  }

  void Blames() {
    const auto groups =
        Top([](const Group& group) { return Delay(group) + group.of(Share::kBlocked); });
    if (groups.empty()) return;
    Line("");
    Line("because of whom (ms of each second)");
    for (const Group* group : groups) {
      const auto ns = [](const Blame& blame) { return blame.ns; };
      const std::string held = Shares(group->of(Attribution::kHeldCpu), ns);
      const std::string blocked = Shares(group->of(Attribution::kWokenBy),
                                         [](const Blame& blame) { return blame.blocked_ns; });
      Line("  {}", NameOf(*group));
      if (!held.empty()) {
        Line("    waited {:.2f} for a CPU: {}", Rate(Delay(*group)), held);
      }
      if (group->inversion_ns != 0) {
        Line("      {:.2f} of it for lower priorities: {}", Rate(group->inversion_ns),
             Shares(group->of(Attribution::kHeldCpuLower), ns));
      }
      if (group->unconserved_ns != 0) {
        Line("      {:.2f} of it while another CPU was idle", Rate(group->unconserved_ns));
      }
      if (!blocked.empty()) {
        Line("    blocked {:.2f} (D), ended by: {}", Rate(group->of(Share::kBlocked)), blocked);
      }
    }
  }

  void Preemptions() {
    struct Pair {
      uint32_t by = 0;
      const Group* whom = nullptr;
      Blame blame;
    };
    std::vector<Pair> pairs;
    for (const Group& group : capture_.groups) {
      for (const auto& [by, blame] : group.of(Attribution::kPreemptedBy)) {
        pairs.push_back({by, &group, blame});
      }
    }
    if (pairs.empty()) return;
    std::stable_sort(pairs.begin(), pairs.end(),
                     [](const Pair& a, const Pair& b) { return a.blame.count > b.blame.count; });
    if (pairs.size() > kPreemptions) pairs.resize(kPreemptions);
    Line("");
    Line("{:<{}} {:<{}} {:>8} {:>10}", "who preempts", kNameWidth, "whom", kNameWidth, "times/s",
         "waits ms/s");
    for (const Pair& pair : pairs) {
      Line("{:<{}} {:<{}} {:>8.1f} {:>10.2f}", CutName(NameOf(pair.by), kNameWidth), kNameWidth,
           CutName(NameOf(*pair.whom), kNameWidth), kNameWidth, PerSecond(pair.blame.count),
           Rate(pair.blame.ns));
    }
  }

  void Waits(const char* title, const std::vector<WorstWait>& waits) {
    if (waits.empty()) return;
    Line("");
    Line("{} (look closer with --from @NS --to @NS)", title);
    for (const WorstWait& wait : waits) {
      const char* what = wait.kind == facts::WaitKind::kPreempted ? "preempted"
                         : wait.kind == facts::WaitKind::kWakeup  ? "woken"
                                                                  : "blocked";
      Line("  {:>8}  @{}  {}, {}, CPU {}", Short(wait.length()), wait.begin,
           ThreadName(wait.thread), what, wait.cpu);
      std::string held;
      for (size_t i = 0; i < wait.holders.size() && i < 4; ++i) {
        held += fmt::format("{}{} {}", i == 0 ? "" : ", ", ThreadName(wait.holders[i].thread),
                            Short(wait.holders[i].ns));
      }
      if (!held.empty() && wait.kind != facts::WaitKind::kBlocked) {
        Line("            its CPU ran {}", held);
      }
      if (!wait.reason.empty()) Line("            waited for {}", wait.reason);
      std::string chain;
      for (const WakeLink& link : wait.chain) {
        chain += fmt::format(" <- {}", link.waker ? ThreadName(*link.waker) : "interrupt");
      }
      if (!chain.empty()) Line("            woken by{}", chain.substr(3));
    }
  }

  void Calls() {
    struct CallRow {
      const Group* group;
      const std::string* name;
      const Distribution* times;
    };
    std::vector<CallRow> rows;
    for (const Group& group : capture_.groups) {
      for (const auto& [name, times] : group.syscalls) rows.push_back({&group, &name, &times});
    }
    std::stable_sort(rows.begin(), rows.end(), [](const CallRow& a, const CallRow& b) {
      return a.times->whole_ns > b.times->whole_ns;
    });
    if (report_.top != 0 && rows.size() > report_.top) rows.resize(report_.top);
    if (!rows.empty()) {
      Line("");
      Line("{:<{}} {:<18} {:>9} {:>8} {:>7} {:>7} {:>7}", "system calls", kNameWidth, "", "calls/s",
           "ms/s", "p50", "p99", "max");
    }
    for (const CallRow& row : rows) {
      Line("{:<{}} {:<18} {:>9.1f} {:>8.2f} {:>7} {:>7} {:>7}",
           CutName(NameOf(*row.group), kNameWidth), kNameWidth, CutName(*row.name, 18),
           PerSecond(row.times->whole.count()), Rate(row.times->whole_ns), P50(*row.times),
           P99(*row.times), Max(*row.times));
    }
    if (capture_.handlers.empty()) return;
    Line("");
    Line("{:<{}} {:>9} {:>8} {:>7} {:>7} {:>7}", "interrupts", kNameWidth, "times/s", "ms/s", "p50",
         "p99", "max");
    for (const auto& [name, times] : capture_.handlers) {
      Line("{:<{}} {:>9.1f} {:>8.2f} {:>7} {:>7} {:>7}", CutName(text::CleanText(name), kNameWidth),
           kNameWidth, PerSecond(times.whole.count()), Rate(times.whole_ns), P50(times), P99(times),
           Max(times));
    }
  }

  void Uncertain() {
    uint64_t unknown = 0;
    uint64_t all = 0;
    uint64_t cut = 0;
    for (const Group& group : capture_.groups) {
      unknown += group.of(Share::kUnknown);
      all += std::accumulate(group.share_ns.begin(), group.share_ns.end() - 1, uint64_t{0});
      for (const Distribution& times : group.times) cut += times.cut.count();
    }
    uint64_t dark = 0;
    for (const Capture::Cpu& cpu : capture_.by_cpu) dark += cpu.unknown_ns;
    Line("");
    Line(
        "not known: {:.1f}% of the threads' time, {:.2f} ms/s of the CPUs'; {} lengths are cut by "
        "the edges",
        all == 0 ? 0.0 : 100 * static_cast<double>(unknown) / static_cast<double>(all), Rate(dark),
        cut);
    if (capture_.lost_events != 0) {
      Line("  {} events were lost: waits that touch a loss are in no figure above",
           util::FormatCount(capture_.lost_events));
    }
    if (capture_.unseen_switches != 0) {
      Line("  {} switches were not shown by the kernel; what ran up to them is not known",
           util::FormatCount(capture_.unseen_switches));
    }
    if (!capture_.filters.empty()) {
      Line("  recorded with filters ({}): other threads are not, or not all, there",
           capture_.filters);
    }
  }

  const Report& report_;
  const Capture& capture_;
  double seconds_;
  std::string text_;
};

}  // namespace

std::string ReportText(const Report& report) { return TextReport(report).Write(); }

}  // namespace analyze
