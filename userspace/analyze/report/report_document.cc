// SPDX-License-Identifier: BSD-2-Clause
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>
#include <numeric>
#include <utility>

#include "analyze/document/limit_words.h"
#include "analyze/document/render.h"
#include "analyze/report/report.h"
#include "measure/missing.h"
#include "util/quantity.h"

namespace analyze {
namespace {

using document::Column;
using document::Document;
using document::Field;
using document::Line;
using document::Notes;
using document::OnOwnLine;
using document::Section;
using document::Table;
using document::Unit;
using document::Value;
using facts::Share;
using measure::Attribution;
using measure::Blame;
using measure::Capture;
using measure::Distribution;
using measure::Duration;
using measure::Group;

constexpr size_t kStripWidth = 60;
constexpr size_t kBarWidth = 40;
constexpr int kNameWidth = 30;
constexpr size_t kPreemptions = 10;
// Names in a line of text.
constexpr size_t kNamesOfLine = 4;
// A group with a smaller part of a wait than 1/50 is not named.
constexpr uint64_t kLeastPart = 50;

// --- figures of a distribution; null where there are too few lengths

Value QuantileOf(const Distribution& times, double q, uint64_t least) {
  return times.whole.count() < least ? Value() : Value(times.Quantile(q));
}
Value P50(const Distribution& times) { return QuantileOf(times, 0.5, 1); }
Value P99(const Distribution& times) { return QuantileOf(times, 0.99, kCountForP99); }
Value Min(const Distribution& times) { return QuantileOf(times, 0, 1); }
Value Max(const Distribution& times) {
  return times.whole.empty() ? Value() : Value(times.longest_ns);
}
Value Mean(const Distribution& times) {
  return times.whole.empty() ? Value() : Value(times.Mean());
}
Value Deviation(const Distribution& times) {
  if (times.whole.count() < 2) return {};
  return static_cast<uint64_t>(times.whole.StandardDeviation() + 0.5);
}

// --- columns of text

Column Name(std::string head, int width = kNameWidth) {
  return {.head = std::move(head), .width = width, .left = true, .cut = true};
}
Column Number(std::string head, int width, int decimals = 0) {
  return {.head = std::move(head), .decimals = decimals, .width = width};
}
Column Length(std::string head) { return {.head = std::move(head), .unit = Unit::kNs, .width = 7}; }
Column AfterRule(Column column) {
  column.rule = true;
  return column;
}

class ReportBuilder {
 public:
  explicit ReportBuilder(const Report& report)
      : report_(report),
        capture_(report.capture),
        seconds_(static_cast<double>(report.capture.length()) / 1e9),
        has_switches_(measure::HasSwitches(report.capture)),
        has_rates_(has_switches_ && report.capture.length() != 0) {}

  Document Build() {
    AddSource();
    AddMachine();
    AddStrips();
    AddGroups();
    if (has_rates_) {
      AddBusiest();
      AddDelayed();
      AddLatencies();
      AddBlames();
      AddSleepPurposes();
      AddPreemptions();
    }
    AddSleeps();
    AddLocks();
    AddHandlers();
    AddMetrics();
    AddWaits("longest waits for a CPU", "worst_waits", report_.watcher.waits().for_cpu());
    AddWaits("longest waits in D", "worst_blocked", report_.watcher.waits().blocked());
    if (has_rates_ || !has_switches_) {
      AddCalls();
      AddInterrupts();
    }
    if (has_rates_) AddUncertain();
    return std::move(document_);
  }

 private:
  // --- helpers

  double TextSeconds() const { return std::max(1e-9, seconds_); }
  double PerSecond(uint64_t count) const { return static_cast<double>(count) / TextSeconds(); }
  // ms per second.
  double Rate(uint64_t ns) const { return static_cast<double>(ns) / 1e6 / TextSeconds(); }

  static void Data(Section& section, const char* key, Value value) {
    section.Add(Field{.label = "", .key = key, .value = std::move(value)});
  }
  template <typename... Args>
  static void Text(Section& section, fmt::format_string<Args...> format, Args&&... args) {
    section.Add(Line{.text = fmt::format(format, std::forward<Args>(args)...)});
  }

  static std::string NameOf(const Group& group) {
    const measure::GroupName shown = group.shown();
    std::string name = shown.process;
    if (shown.thread != name) name += "/" + shown.thread;
    if (name.empty()) name = "(no name)";
    if (group.name.of_command) name += " *";
    return name;
  }
  std::string NameOf(uint32_t number) const {
    if (number < capture_.groups.size()) return NameOf(capture_.groups[number]);
    return number == measure::kInterrupt ? "interrupt or timer" : "(not known)";
  }
  std::string ThreadName(fxt::Koid koid) const {
    const std::string& name = report_.watcher.names()->thread_name(koid);
    return fmt::format("{} [{}]", name.empty() ? "?" : name, koid & 0x3fffff);
  }
  Value Thread(fxt::Koid koid) const {
    const facts::TaskNames& names = *report_.watcher.names();
    const auto* thread = names.thread(koid);
    Value value(Value::Object{});
    value.Set("id", koid);
    value.Set("name", names.thread_name(koid));
    if (thread != nullptr && thread->process) {
      value.Set("process", *thread->process);
      value.Set("process_name", names.process_name(*thread->process));
    }
    return value;
  }

  // Groups with the greatest `amount` first, those without any left out; the first Report::top.
  template <typename Amount>
  std::vector<const Group*> Top(Amount amount) const {
    std::vector<const Group*> groups;
    for (const Group& group : capture_.groups) {
      if (amount(group) != 0) groups.push_back(&group);
    }
    std::stable_sort(groups.begin(), groups.end(),
                     [&](const Group* a, const Group* b) { return amount(*a) > amount(*b); });
    if (report_.top != 0 && groups.size() > report_.top) groups.resize(report_.top);
    return groups;
  }
  static uint64_t Delay(const Group& group) {
    return group.of(Share::kRunnableWakeup) + group.of(Share::kRunnablePreempted);
  }

  // --- the capture and the machine

  void AddSource() {
    Section& head = document_.AddSection();
    Data(head, "schema", uint64_t{1});
    Data(head, "file", capture_.file);
    Data(head, "recorder", capture_.recorder);
    Data(head, "host", capture_.host);
    Data(head, "kernel", capture_.kernel);
    Data(head, "categories", capture_.categories);
    Data(head, "filters", capture_.filters);
    Data(head, "trigger", capture_.trigger);
    Data(head, "command", capture_.command);
    Data(head, "start_time", capture_.start_time ? Value(*capture_.start_time) : Value());
    Data(head, "begin_ns", capture_.begin);
    Data(head, "end_ns", capture_.end);
    Data(head, "length_ns", capture_.length());
    Data(head, "elapsed_ns", capture_.elapsed_ns ? Value(*capture_.elapsed_ns) : Value());
    Data(head, "lost_events", capture_.lost_events);
    Data(head, "unseen_switches", capture_.unseen_switches);
    Value notes(Value::List{});
    for (const std::string& note : report_.notes) notes.Append(note);
    Data(head, "notes", std::move(notes));
    Text(head, "{}: {} on {} CPUs{}{}", capture_.file, util::FormatDuration(capture_.length()),
         capture_.cpus, capture_.kernel.empty() ? "" : ", kernel ", capture_.kernel);
    if (!capture_.command.empty()) {
      Text(head, "command: {}{}{}  (its groups are marked *)", capture_.command,
           capture_.elapsed_ns ? ", took " : "",
           capture_.elapsed_ns ? util::FormatDuration(*capture_.elapsed_ns) : "");
    }
    head.Add(Notes{report_.notes});
    if (has_switches_ && !has_rates_) {
      Text(head, "all records have the same time: there are no rates");
    }
  }

  void AddMachine() {
    Section& head = document_.sections.back();
    Value by_cpu(Value::List{});
    uint64_t busy = 0;
    uint64_t idle = 0;
    for (size_t cpu = 0; cpu < capture_.by_cpu.size(); ++cpu) {
      const Capture::Cpu& times = capture_.by_cpu[cpu];
      busy += times.busy_ns;
      idle += times.idle_ns;
      by_cpu.Append(Value::Object{{"cpu", uint64_t{cpu}},
                                  {"busy_ns", times.busy_ns},
                                  {"idle_ns", times.idle_ns},
                                  {"unknown_ns", times.unknown_ns}});
    }
    Value machine(Value::Object{{"cpus", capture_.cpus}});
    machine.Set("by_cpu", std::move(by_cpu));
    Data(head, "machine", OnOwnLine(std::move(machine)));
    if (!has_rates_) return;
    uint64_t waiting = 0;
    uint64_t switches = 0;
    uint64_t wakeups = 0;
    uint64_t forks = 0;
    uint64_t threads = 0;
    for (const Group& group : capture_.groups) {
      threads += group.threads;
      waiting += Delay(group);
      switches += group.switches_voluntary + group.switches_involuntary;
      wakeups += group.wakeups;
      forks += group.forked_processes + group.forked_threads;
    }
    const double known = std::max(1.0, static_cast<double>(busy + idle));
    Text(head, "machine: {:.0f}% busy, load {:.2f} ({:.2f} running, {:.2f} waiting)",
         100 * static_cast<double>(busy) / known,
         static_cast<double>(busy + waiting) / 1e9 / TextSeconds(), Rate(busy) / 1000,
         Rate(waiting) / 1000);
    Text(head, "each second: {:.0f} switches of threads, {:.0f} wakeups, {:.1f} forks",
         PerSecond(switches), PerSecond(wakeups), PerSecond(forks));
    Text(head, "in all: {} threads in {} groups, {} switches of threads, {} of CPU time",
         util::FormatCount(threads), capture_.groups.size(), util::FormatCount(switches),
         util::FormatDuration(busy));
  }

  void AddStrips() {
    const CpuStrips& strips = report_.watcher.strips();
    // The part of each slot, in thousandths.
    const auto parts = [&](size_t cpu, uint64_t CpuStrips::Slot::*what) {
      Value::Numbers numbers;
      for (const CpuStrips::Slot& slot : strips.cpus()[cpu]) {
        const double part = static_cast<double>(slot.*what) / static_cast<double>(strips.width());
        numbers.push_back(static_cast<double>(static_cast<int64_t>(part * 1000 + 0.5)) / 1000);
      }
      return numbers;
    };
    Value cpus(Value::List{});
    for (size_t cpu = 0; cpu < strips.cpus().size(); ++cpu) {
      Value of(Value::Object{{"cpu", uint64_t{cpu}}});
      of.Set("busy", parts(cpu, &CpuStrips::Slot::busy_ns));
      of.Set("unknown", parts(cpu, &CpuStrips::Slot::unknown_ns));
      of.Set("queue", parts(cpu, &CpuStrips::Slot::queue_ns));
      cpus.Append(OnOwnLine(std::move(of)));
    }
    Value data(Value::Object{{"begin_ns", strips.begin()}, {"slot_ns", strips.width()}});
    data.Set("cpus", std::move(cpus));
    Section& section = document_.AddSection();
    Data(section, "strips", OnOwnLine(std::move(data)));
    if (has_rates_) AddStripLines(section);
  }

  void AddStripLines(Section& section) const {
    const CpuStrips& strips = report_.watcher.strips();
    size_t all = 0;
    for (const auto& slots : strips.cpus()) all = std::max(all, slots.size());
    if (all == 0) return;
    const size_t width = std::min(all, kStripWidth);
    Text(section, "CPU   busy  each column {}; below, how many wait (+: more than 9)",
         document::ShortDuration(capture_.length() / width));
    static constexpr std::string_view kShades = " .:-=+*#%@";
    for (size_t cpu = 0; cpu < strips.cpus().size() && cpu < capture_.by_cpu.size(); ++cpu) {
      if (strips.cpus()[cpu].empty()) continue;
      std::string busy;
      const auto unknown = strips.Columns(cpu, all, width, &CpuStrips::Slot::unknown_ns);
      for (const double part : strips.Columns(cpu, all, width, &CpuStrips::Slot::busy_ns)) {
        const auto shade = static_cast<size_t>(part * static_cast<double>(kShades.size()));
        const bool is_unknown = unknown[busy.size()] > 0.5;
        busy += is_unknown ? '?' : kShades[std::min(shade, kShades.size() - 1)];
      }
      std::string queue;
      for (const double part : strips.Columns(cpu, all, width, &CpuStrips::Slot::queue_ns)) {
        const auto threads = static_cast<unsigned>(part + 0.5);
        queue += threads == 0 ? ' ' : threads > 9 ? '+' : static_cast<char>('0' + threads);
      }
      Text(section, "{:>3} {:>5.0f}%  |{}|", cpu,
           100 * static_cast<double>(capture_.by_cpu[cpu].busy_ns) / 1e9 / TextSeconds(), busy);
      Text(section, "            |{}|", queue);
    }
  }

  // --- data of groups

  void AddGroups() {
    Value groups(Value::List{});
    for (const Group& group : capture_.groups) groups.Append(OnOwnLine(GroupData(group)));
    Data(document_.AddSection(), "groups", OnOwnLine(std::move(groups)));
  }

  Value GroupData(const Group& group) const {
    Value data(Value::Object{});
    const measure::GroupName shown = group.shown();
    data.Set("process", shown.process);
    data.Set("thread", shown.thread);
    data.Set("of_command", group.name.of_command);
    data.Set("of_recorder", group.of_recorder);
    data.Set("threads", group.threads);
    Value pids(Value::List{});
    for (const uint64_t pid : group.pids) pids.Append(pid);
    data.Set("pids", std::move(pids));
    Value shares(Value::Object{});
    for (size_t i = 0; i < facts::kShareNames.size(); ++i) {
      shares.Set(facts::kShareNames[i], group.share_ns[i]);
    }
    data.Set("share_ns", std::move(shares));
    Value limits(Value::List{});
    for (const auto& [limit, ns] : group.limits) {
      limits.Append(Value::Object{{"cgroup", limit.cgroup},
                                  {"quota_ns", limit.quota_ns},
                                  {"period_ns", limit.period_ns},
                                  {"ns", ns}});
    }
    data.Set("throttled_by", std::move(limits));
    data.Set("switches_voluntary", group.switches_voluntary);
    data.Set("switches_involuntary", group.switches_involuntary);
    data.Set("wakeups", group.wakeups);
    data.Set("migrations", group.migrations);
    data.Set("forked_processes", group.forked_processes);
    data.Set("forked_threads", group.forked_threads);
    data.Set("inversion_ns", group.inversion_ns);
    data.Set("unconserved_ns", group.unconserved_ns);
    data.Set("affinity_ns", group.affinity_ns);
    data.Set("weight_ns", group.weight_ns);
    data.Set("rt_throttled_ns", group.rt_throttled_ns);
    data.Set("after_blocked_ns", group.after_blocked_ns);
    Value unknown(Value::Object{});
    for (size_t i = 0; i < facts::kUnknownCauses; ++i) {
      unknown.Set(facts::kUnknownCauseNames[i], group.unknown_ns[i]);
    }
    data.Set("unknown_ns", std::move(unknown));
    Value times(Value::Object{});
    for (size_t i = 0; i < measure::kDurations; ++i) {
      times.Set(measure::kDurationNames[i], Lengths(group.times[i]));
    }
    data.Set("times", std::move(times));
    data.Set("syscalls", ByName(group.syscalls));
    Value blames(Value::Object{});
    for (size_t i = 0; i < measure::kAttributions; ++i) {
      Value by_group(Value::List{});
      for (const auto& [other, blame] : group.blames[i]) by_group.Append(BlameData(other, blame));
      blames.Set(measure::kAttributionNames[i], std::move(by_group));
    }
    data.Set("blames", std::move(blames));
    data.Set("metrics", Metrics(group));
    return data;
  }

  Value BlameData(uint32_t other, const Blame& blame) const {
    Value data(Value::Object{});
    if (other < capture_.groups.size()) {
      data.Set("group", other);
    } else {
      data.Set("other", other == measure::kInterrupt ? "interrupt" : "unknown");
    }
    data.Set("count", blame.count);
    data.Set("ns", blame.ns);
    data.Set("blocked", blame.blocked);
    data.Set("blocked_ns", blame.blocked_ns);
    return data;
  }

  static Value ByName(const std::map<std::string, Distribution>& named) {
    Value data(Value::Object{});
    for (const auto& [name, times] : named) data.Set(name, Lengths(times));
    return data;
  }

  static Value Lengths(const Distribution& times) {
    Value data(Value::Object{});
    data.Set("count", times.whole.count());
    data.Set("total_ns", times.whole_ns);
    data.Set("min_ns", Min(times));
    data.Set("mean_ns", Mean(times));
    data.Set("stddev_ns",
             times.whole.count() < 2 ? Value() : Value(times.whole.StandardDeviation()));
    data.Set("max_ns", times.longest_ns);
    data.Set("p50_ns", P50(times));
    data.Set("p90_ns", QuantileOf(times, 0.9, 1));
    data.Set("p99_ns", P99(times));
    data.Set("p999_ns", QuantileOf(times, 0.999, kCountForP999));
    data.Set("cut", times.cut.count());
    data.Set("cut_ns", times.cut_ns);
    data.Set("unknown", times.unknown);
    data.Set("unknown_ns", times.unknown_ns);
    Value::Buckets buckets;
    for (const measure::Histogram::Bar& bar : times.whole.Bars()) {
      buckets.push_back({bar.least, bar.most, bar.count});
    }
    data.Set("histogram", std::move(buckets));
    Value worst(Value::List{});
    for (const measure::Instance& instance : times.worst) {
      worst.Append(Value::Object{{"begin_ns", instance.begin},
                                 {"length_ns", instance.length},
                                 {"thread", instance.thread},
                                 {"cpu", instance.cpu}});
    }
    data.Set("worst", std::move(worst));
    return data;
  }

  // A rate per second of the capture, and the amount per wakeup. Null in a capture without length,
  // or in a group that was never woken.
  Value RateData(const char* unit, double amount, double per_second, uint64_t wakeups) const {
    return Value::Object{
        {"unit", unit},
        {"value", seconds_ > 0 ? Value(per_second / seconds_) : Value()},
        {"per_wakeup", wakeups == 0 ? Value() : Value(amount / static_cast<double>(wakeups))}};
  }

  // By the names that metrics have in fxt diff.
  Value Metrics(const Group& group) const {
    const auto time = [&](uint64_t ns) {
      return RateData("ms/s", static_cast<double>(ns), static_cast<double>(ns) / 1e6,
                      group.wakeups);
    };
    const auto count = [&](uint64_t number) {
      const auto amount = static_cast<double>(number);
      return RateData("1/s", amount, amount, group.wakeups);
    };
    const auto seen = [](const Distribution& times) { return times.whole_ns + times.cut_ns; };
    Value metrics(Value::Object{});
    metrics.Set("cpu_time", time(group.of(Share::kRunning)));
    metrics.Set("slice",
                Value::Object{{"unit", "ns"}, {"value", Mean(group.of(Duration::kSlice))}});
    metrics.Set("wakeup_latency", time(group.of(Share::kRunnableWakeup)));
    metrics.Set("preempted_wait", time(group.of(Share::kRunnablePreempted)));
    metrics.Set("sleep", time(group.of(Share::kSleeping)));
    metrics.Set("blocked", time(group.of(Share::kBlocked)));
    metrics.Set("throttled", time(group.of(Share::kThrottled)));
    metrics.Set("switches", count(group.switches_voluntary + group.switches_involuntary));
    metrics.Set("wakeups", count(group.wakeups));
    metrics.Set("migrations", count(group.migrations));
    metrics.Set("forks", Value::Object{{"processes", count(group.forked_processes)},
                                       {"threads", count(group.forked_threads)}});
    metrics.Set("irq_time", time(seen(group.of(Duration::kIrq))));
    metrics.Set("softirq_time", time(seen(group.of(Duration::kSoftirq))));
    Value calls(Value::Object{});
    for (const auto& [name, times] : group.syscalls) calls.Set(name, time(seen(times)));
    metrics.Set("syscall_time", std::move(calls));
    metrics.Set("inversion", time(group.inversion_ns));
    metrics.Set("unconserved", time(group.unconserved_ns));
    metrics.Set("affinity", time(group.affinity_ns));
    metrics.Set("weight", time(group.weight_ns));
    metrics.Set("rt_throttled", time(group.rt_throttled_ns));
    return metrics;
  }

  // --- tables of groups

  void AddBusiest() {
    Table table{.columns = {Name("busiest"),
                            Number("threads", 7),
                            Number("CPU ms/s", 8, 2),
                            Number("switches/s", 10, 1),
                            {.head = "preempted", .unit = Unit::kPercent, .width = 9},
                            Number("migr/s", 6, 1),
                            AfterRule(Length("run:min")),
                            Length("avg"),
                            Length("stddev"),
                            Length("p50"),
                            Length("p99"),
                            Length("max")},
                .rows = {}};
    for (const Group* group : Top([](const Group& of) { return of.of(Share::kRunning); })) {
      const Distribution& slice = group->of(Duration::kSlice);
      const uint64_t switches = group->switches_voluntary + group->switches_involuntary;
      const double forced = switches == 0 ? 0
                                          : 100 * static_cast<double>(group->switches_involuntary) /
                                                static_cast<double>(switches);
      table.rows.push_back({NameOf(*group), group->threads, Rate(group->of(Share::kRunning)),
                            PerSecond(switches), forced, PerSecond(group->migrations), Min(slice),
                            Mean(slice), Deviation(slice), P50(slice), P99(slice), Max(slice)});
    }
    document_.AddSection().Add(std::move(table));
  }

  void AddDelayed() {
    Table table{
        .columns = {Name("most delayed"), Number("wait ms/s", 9, 2), Number("wakeups/s", 9, 1),
                    AfterRule(Number("woken ms/s", 10, 2)), Length("mean"), Length("p50"),
                    Length("p99"), Length("max"), AfterRule(Number("preempted ms/s", 14, 2)),
                    Length("mean"), Length("max")},
        .rows = {}};
    for (const Group* group : Top(Delay)) {
      const Distribution& woken = group->of(Duration::kWakeupLatency);
      const Distribution& preempted = group->of(Duration::kPreemptedWait);
      table.rows.push_back({NameOf(*group), Rate(Delay(*group)), PerSecond(group->wakeups),
                            Rate(group->of(Share::kRunnableWakeup)), Mean(woken), P50(woken),
                            P99(woken), Max(woken), Rate(group->of(Share::kRunnablePreempted)),
                            Mean(preempted), Max(preempted)});
    }
    document_.AddSection().Add(std::move(table));
  }

  // A bar for the waits for a CPU from each power of two (ns) up to the next one.
  void AddLatencies() {
    // By bit width: no bucket of a histogram contains a power of two but as its first length.
    std::array<uint64_t, 65> counts{};
    for (const Group& group : capture_.groups) {
      for (const Duration kind : {Duration::kWakeupLatency, Duration::kPreemptedWait}) {
        for (const auto& [bucket, count] : group.of(kind).whole.buckets()) {
          counts[std::bit_width(measure::Histogram::LeastOf(bucket))] += count;
        }
      }
    }
    const auto some = [](uint64_t count) { return count != 0; };
    const auto first = std::find_if(counts.begin(), counts.end(), some);
    if (first == counts.end()) return;
    const auto end = std::find_if(counts.rbegin(), counts.rend(), some).base();
    const uint64_t most = *std::max_element(first, end);
    Section& section = document_.AddSection("how long threads waited for a CPU");
    for (auto at = first; at != end; ++at) {
      const auto bits = static_cast<unsigned>(at - counts.begin());
      const uint64_t least = bits == 0 ? 0 : uint64_t{1} << (bits - 1);
      const auto length = static_cast<size_t>(static_cast<double>(*at) / static_cast<double>(most) *
                                              static_cast<double>(kBarWidth));
      Text(section, "  from {:>6} {:>10}  |{:<{}}|", document::ShortDuration(least), *at,
           std::string(length, '*'), kBarWidth);
    }
  }

  // "hog 20.10, cc1 3.21": the groups with the greatest amounts, in ms per second.
  template <typename Amount>
  std::string Shares(const std::map<uint32_t, Blame>& blames, Amount amount) const {
    std::vector<std::pair<uint64_t, uint32_t>> parts;
    uint64_t all = 0;
    for (const auto& [other, blame] : blames) {
      parts.emplace_back(amount(blame), other);
      all += amount(blame);
    }
    std::stable_sort(parts.begin(), parts.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    std::string text;
    for (size_t i = 0; i < parts.size() && i < kNamesOfLine; ++i) {
      if (parts[i].first == 0 || (i > 0 && parts[i].first * kLeastPart < all)) break;
      text += fmt::format("{}{} {:.2f}", i == 0 ? "" : ", ", NameOf(parts[i].second),
                          Rate(parts[i].first));
    }
    return text;
  }

  void AddBlames() {
    const auto groups = Top([](const Group& group) {
      return Delay(group) + group.of(Share::kBlocked) + group.of(Share::kThrottled);
    });
    if (groups.empty()) return;
    Section& section = document_.AddSection("causes of waits (ms per second)");
    const auto all_ns = [](const Blame& blame) { return blame.ns; };
    const auto blocked_ns = [](const Blame& blame) { return blame.blocked_ns; };
    for (const Group* group : groups) {
      const std::string held = Shares(group->of(Attribution::kHeldCpu), all_ns);
      const std::string blocked = Shares(group->of(Attribution::kWokenBy), blocked_ns);
      Text(section, "  {}", NameOf(*group));
      if (!held.empty()) {
        Text(section, "    waited {:.2f} for a CPU: {}", Rate(Delay(*group)), held);
      }
      if (const uint64_t throttled = group->of(Share::kThrottled); throttled != 0) {
        Text(section, "    throttled {:.2f}{}", Rate(throttled), LongestLimit(*group));
      }
      if (group->inversion_ns != 0) {
        Text(section, "      {:.2f} of it for lower priorities: {}", Rate(group->inversion_ns),
             Shares(group->of(Attribution::kHeldCpuLower), all_ns));
      }
      if (group->unconserved_ns != 0) {
        Text(section, "      {:.2f} of it while another CPU was idle", Rate(group->unconserved_ns));
      }
      for (const auto& [ns, reason] :
           {std::pair(group->rt_throttled_ns, "real-time throttling: their time was used up"),
            {group->affinity_ns, "affinity: a CPU outside of its mask was idle"},
            {group->weight_ns, "weight: behind threads of a greater weight"}}) {
        if (ns != 0) Text(section, "      {:.2f} of it by {}", Rate(ns), reason);
      }
      if (!blocked.empty()) {
        Text(section, "    blocked {:.2f} (D), ended by: {}", Rate(group->of(Share::kBlocked)),
             blocked);
      }
    }
  }

  // Sleeps for work are shown beside others: most threads have nothing else.
  void AddSleepPurposes() {
    const auto ns_of = [](const Group& group, Duration kind) { return group.of(kind).whole_ns; };
    const auto groups = Top([&](const Group& group) {
      return ns_of(group, Duration::kForAnswer) + ns_of(group, Duration::kForLock);
    });
    if (groups.empty()) return;
    Section& section = document_.AddSection("who sleeps for whom (ms per second)");
    const auto all_ns = [](const Blame& blame) { return blame.ns; };
    for (const Group* group : groups) {
      Text(section, "  {}", NameOf(*group));
      const auto add = [&](const char* words, Duration kind, Attribution attribution) {
        const measure::Distribution& sleeps = group->of(kind);
        if (sleeps.whole.empty()) return;
        Text(section, "    {} {:.2f} ({} of {} each): {}", words, Rate(sleeps.whole_ns),
             sleeps.whole.count(), util::FormatDuration(sleeps.Mean()),
             Shares(group->of(attribution), all_ns));
      };
      add("for answers", Duration::kForAnswer, Attribution::kAnsweredBy);
      add("for locks", Duration::kForLock, Attribution::kLetGoBy);
      add("for work", Duration::kForWork, Attribution::kGivenWorkBy);
    }
  }

  // ": its cgroup ... may use ...", of the limit that held it back longest.
  static std::string LongestLimit(const Group& group) {
    const auto longest =
        std::max_element(group.limits.begin(), group.limits.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    if (longest == group.limits.end()) return "";
    const auto& [cgroup, quota_ns, period_ns] = longest->first;
    return ": " + LimitWords(cgroup, quota_ns, period_ns);
  }

  void AddPreemptions() {
    struct Preemption {
      uint32_t by = 0;
      const Group* whom = nullptr;
      Blame blame;
    };
    std::vector<Preemption> preemptions;
    for (const Group& group : capture_.groups) {
      for (const auto& [by, blame] : group.of(Attribution::kPreemptedBy)) {
        preemptions.push_back({by, &group, blame});
      }
    }
    std::stable_sort(
        preemptions.begin(), preemptions.end(),
        [](const Preemption& a, const Preemption& b) { return a.blame.count > b.blame.count; });
    if (preemptions.size() > kPreemptions) preemptions.resize(kPreemptions);
    Table table{.columns = {Name("who preempts"), Name("whom"), Number("times/s", 8, 1),
                            Number("waits ms/s", 10, 2)},
                .rows = {}};
    for (const Preemption& one : preemptions) {
      table.rows.push_back(
          {NameOf(one.by), NameOf(*one.whom), PerSecond(one.blame.count), Rate(one.blame.ns)});
    }
    document_.AddSection().Add(std::move(table));
  }

  // --- sleeps whose object is known, and locks

  // "redis-server/bio_aof"; the thread alone where it has no process.
  static std::string Task(const std::string& process, const std::string& thread) {
    if (process.empty() || process == thread) return thread.empty() ? "?" : thread;
    return thread.empty() ? process : process + "/" + thread;
  }

  void AddSleeps() {
    const std::vector<SleepLedger::Sleep> sleeps = report_.watcher.sleeps().Sleeps();
    Value data(Value::List{});
    for (const SleepLedger::Sleep& sleep : sleeps) {
      Value row(Value::Object{});
      row.Set("process", sleep.process);
      row.Set("thread", sleep.thread);
      row.Set("whom", sleep.whom);
      row.Set("syscall", sleep.syscall);
      row.Set("object_kind", sleep.kind);
      row.Set("object", sleep.object);
      SetTimes(row, sleep.times);
      data.Append(OnOwnLine(std::move(row)));
    }
    Section& section = document_.AddSection();
    Data(section, "sleeps", OnOwnLine(std::move(data)));
    if (!has_rates_ || sleeps.empty()) return;
    section.title = "who waits for whom and what, by time (sleeps of 100 us and more)";
    Table table{.columns = {Name("who"), Name("for whom", 20), Name("in", 16), Name("what", 44),
                            Number("times/s", 8, 1), Number("ms/s", 9, 2), Length("longest")},
                .rows = {}};
    const size_t shown = Shown(sleeps.size());
    for (size_t i = 0; i < shown; ++i) {
      const SleepLedger::Sleep& sleep = sleeps[i];
      table.rows.push_back({Task(sleep.process, sleep.thread),
                            sleep.whom.empty() ? "interrupt or timer" : sleep.whom, sleep.syscall,
                            sleep.object.empty() ? sleep.kind : sleep.object,
                            PerSecond(sleep.times.count), Rate(sleep.times.ns),
                            sleep.times.longest_ns});
    }
    section.Add(std::move(table));
    if (const SleepLedger::Times& rest = report_.watcher.sleeps().left_out(); rest.count != 0) {
      Text(section, "  and {} sleeps of {} in all, of more kinds than are kept",
           util::FormatCount(rest.count), util::FormatDuration(rest.ns));
    }
  }

  void AddLocks() {
    const std::vector<SleepLedger::Lock> locks = report_.watcher.sleeps().Locks();
    Value data(Value::List{});
    for (const SleepLedger::Lock& lock : locks) {
      Value row(Value::Object{});
      row.Set("process", lock.process);
      row.Set("kind", lock.kind);
      row.Set("object", lock.object);
      row.Set("waiters", uint64_t{lock.waiters.size()});
      Value holders(Value::List{});
      for (const auto& [thread, ns] : lock.holders) {
        holders.Append(Value::Object{{"thread", Thread(thread)}, {"ns", ns}});
      }
      row.Set("holders", std::move(holders));
      SetTimes(row, lock.times);
      data.Append(OnOwnLine(std::move(row)));
    }
    Section& section = document_.AddSection();
    Data(section, "locks", OnOwnLine(std::move(data)));
    if (!has_rates_ || locks.empty()) return;
    section.title = "locks whose holder is known (waits of 100 us and more)";
    Table table{.columns = {Name("process", 20), Name("lock", 30), Name("held most by", 30),
                            Number("waiters", 7), Number("times/s", 8, 1), Number("ms/s", 9, 2),
                            Length("longest")},
                .rows = {}};
    const size_t shown = Shown(locks.size());
    for (size_t i = 0; i < shown; ++i) {
      const SleepLedger::Lock& lock = locks[i];
      const auto most =
          std::max_element(lock.holders.begin(), lock.holders.end(),
                           [](const auto& a, const auto& b) { return a.second < b.second; });
      table.rows.push_back({lock.process, lock.object, ThreadName(most->first),
                            uint64_t{lock.waiters.size()}, PerSecond(lock.times.count),
                            Rate(lock.times.ns), lock.times.longest_ns});
    }
    section.Add(std::move(table));
  }

  size_t Shown(size_t rows) const { return report_.top == 0 ? rows : std::min(rows, report_.top); }
  static void SetTimes(Value& row, const SleepLedger::Times& times) {
    row.Set("count", times.count);
    row.Set("total_ns", times.ns);
    row.Set("longest_ns", times.longest_ns);
    row.Set("longest_begin_ns", times.longest_begin);
  }

  // --- handlers, the command and the machine as metrics

  void AddHandlers() { Data(document_.AddSection(), "handlers", ByName(capture_.handlers)); }

  void AddMetrics() {
    double busy = 0;
    double known = 0;
    for (const Capture::Cpu& cpu : capture_.by_cpu) {
      busy += static_cast<double>(cpu.busy_ns);
      known += static_cast<double>(cpu.busy_ns) + static_cast<double>(cpu.idle_ns);
    }
    const double cpus = static_cast<double>(capture_.by_cpu.size());
    Value metrics(Value::Object{});
    metrics.Set("elapsed", Value::Object{{"unit", "ns"},
                                         {"value", capture_.elapsed_ns ? Value(*capture_.elapsed_ns)
                                                                       : Value()}});
    metrics.Set("machine",
                Value::Object{{"unit", "ms/s"},
                              {"value", known > 0 ? Value(1e3 * cpus * busy / known) : Value()}});
    Data(document_.sections.back(), "metrics", OnOwnLine(std::move(metrics)));
  }

  // --- the longest waits

  void AddWaits(const char* title, const char* key, const std::vector<WorstWait>& waits) {
    Value data(Value::List{});
    for (const WorstWait& wait : waits) data.Append(OnOwnLine(WaitData(wait)));
    const bool shown = has_rates_ && !waits.empty();
    Section& section = document_.AddSection(
        shown ? fmt::format("{} (look closer with --from 1.2s --to 1.3s)", title) : "");
    Data(section, key, OnOwnLine(std::move(data)));
    if (!shown) return;
    for (const WorstWait& wait : waits) AddWaitLines(section, wait);
  }

  void AddWaitLines(Section& section, const WorstWait& wait) const {
    const char* kind = wait.kind == facts::WaitKind::kPreempted ? "preempted"
                       : wait.kind == facts::WaitKind::kWakeup  ? "woken"
                                                                : "blocked";
    Text(section, "  {:>8}  at {}  {}, {}, CPU {}", document::ShortDuration(wait.length()),
         document::SecondsSince(report_.watcher.first_time(), wait.begin), ThreadName(wait.thread),
         kind, wait.cpu);
    std::string held;
    for (size_t i = 0; i < wait.holders.size() && i < kNamesOfLine; ++i) {
      held += fmt::format("{}{} {}", i == 0 ? "" : ", ", ThreadName(wait.holders[i].thread),
                          document::ShortDuration(wait.holders[i].ns));
    }
    if (!held.empty() && wait.kind != facts::WaitKind::kBlocked) {
      Text(section, "            its CPU ran {}", held);
    }
    if (!wait.reason.empty()) Text(section, "            waited for {}", wait.reason);
    if (wait.object && !wait.object->Text().empty()) {
      Text(section, "            in {}", wait.object->Text());
    }
    std::string chain;
    for (const WakeLink& link : wait.chain) {
      chain += fmt::format(" <- {}", link.waker ? ThreadName(*link.waker) : "interrupt");
      if (link.via == facts::WakeVia::kNetRx) chain += " (by packets)";
    }
    if (!chain.empty()) Text(section, "            woken by{}", chain.substr(3));
  }

  Value WaitData(const WorstWait& wait) const {
    static constexpr const char* kKinds[] = {"unknown", "absent",  "wakeup",  "preempted",
                                             "sleep",   "blocked", "stopped", "throttled"};
    static constexpr const char* kActivities[] = {"run", "idle", "unknown"};
    Value data(Value::Object{});
    data.Set("kind", kKinds[static_cast<size_t>(wait.kind)]);
    data.Set("begin_ns", wait.begin);
    data.Set("length_ns", wait.length());
    data.Set("cpu", wait.cpu);
    data.Set("thread", Thread(wait.thread));
    if (!wait.reason.empty()) data.Set("reason", wait.reason);
    if (wait.object) {
      data.Set("syscall", wait.object->syscall);
      data.Set("object_kind", wait.object->kind);
      data.Set("object", wait.object->object);
      if (wait.object->peer) data.Set("peer", Thread(*wait.object->peer));
    }
    Value holders(Value::List{});
    for (const WorstWait::Holder& holder : wait.holders) {
      holders.Append(Value::Object{{"thread", Thread(holder.thread)}, {"ns", holder.ns}});
    }
    data.Set("holders", std::move(holders));
    Value chain(Value::List{});
    for (const WakeLink& link : wait.chain) {
      Value step(Value::Object{{"time_ns", link.time}, {"woken", Thread(link.woken)}});
      if (link.waker) step.Set("waker", Thread(*link.waker));
      if (link.via != facts::WakeVia::kNone) step.Set("via", facts::NameOf(link.via));
      chain.Append(std::move(step));
    }
    data.Set("chain", std::move(chain));
    Value around(Value::List{});
    for (const Interval& interval : wait.around) {
      Value one(Value::Object{{"cpu", interval.cpu},
                              {"what", kActivities[static_cast<size_t>(interval.what)]},
                              {"begin_ns", interval.begin},
                              {"end_ns", interval.end}});
      if (interval.what == Interval::What::kRun) one.Set("thread", Thread(interval.thread));
      around.Append(std::move(one));
    }
    data.Set("around", std::move(around));
    return data;
  }

  // --- system calls, interrupts, what is uncertain

  void AddCalls() {
    struct CallRow {
      const Group* group;
      const std::string* name;
      const Distribution* times;
    };
    std::vector<CallRow> calls;
    for (const Group& group : capture_.groups) {
      for (const auto& [name, times] : group.syscalls) calls.push_back({&group, &name, &times});
    }
    std::stable_sort(calls.begin(), calls.end(), [](const CallRow& a, const CallRow& b) {
      return a.times->whole_ns > b.times->whole_ns;
    });
    if (report_.top != 0 && calls.size() > report_.top) calls.resize(report_.top);
    Table table{.columns = {Name("system calls"), Name(" ", 18), Number("calls/s", 9, 1),
                            Number("ms/s", 8, 2), Length("p50"), Length("p99"), Length("max")},
                .rows = {}};
    for (const CallRow& call : calls) {
      table.rows.push_back({NameOf(*call.group), *call.name, PerSecond(call.times->whole.count()),
                            Rate(call.times->whole_ns), P50(*call.times), P99(*call.times),
                            Max(*call.times)});
    }
    document_.AddSection().Add(std::move(table));
  }

  void AddInterrupts() {
    Table table{.columns = {Name("interrupts"), Number("times/s", 9, 1), Number("ms/s", 8, 2),
                            Length("p50"), Length("p99"), Length("max")},
                .rows = {}};
    for (const auto& [name, times] : capture_.handlers) {
      table.rows.push_back({name, PerSecond(times.whole.count()), Rate(times.whole_ns), P50(times),
                            P99(times), Max(times)});
    }
    document_.AddSection().Add(std::move(table));
  }

  void AddUncertain() {
    std::array<uint64_t, facts::kUnknownCauses> unknown{};
    uint64_t all = 0;
    uint64_t cut = 0;
    for (const Group& group : capture_.groups) {
      for (size_t i = 0; i < unknown.size(); ++i) unknown[i] += group.unknown_ns[i];
      all += std::accumulate(group.share_ns.begin(), group.share_ns.end() - 1, uint64_t{0});
      for (const Distribution& times : group.times) cut += times.cut.count();
    }
    uint64_t cpus_unknown = 0;
    for (const Capture::Cpu& cpu : capture_.by_cpu) cpus_unknown += cpu.unknown_ns;
    Section& section = document_.AddSection();
    const auto part = [&](facts::UnknownCause cause) {
      const auto ns = static_cast<double>(unknown[static_cast<size_t>(cause)]);
      return all == 0 ? 0.0 : 100 * ns / static_cast<double>(all);
    };
    Text(section,
         "not in the figures above: {:.1f}% of the threads' time is before their first event, "
         "when most were asleep since before the recording; {} lengths are cut by the edges",
         part(facts::UnknownCause::kBeforeFirst), cut);
    if (capture_.lost_events != 0) {
      Text(section, "  {} events were lost: {:.1f}% of the threads' time touches a loss",
           util::FormatCount(capture_.lost_events), part(facts::UnknownCause::kLoss));
    }
    if (capture_.unseen_switches != 0) {
      Text(section,
           "  the kernel did not report {} switches: {:.1f}% of the threads' time is around them",
           util::FormatCount(capture_.unseen_switches), part(facts::UnknownCause::kHidden));
    }
    if (cpus_unknown != 0) {
      Text(section, "  the state of CPUs is unknown for {:.2f} ms/s", Rate(cpus_unknown));
    }
    if (!capture_.filters.empty()) {
      Text(section, "  recorded with filters ({}): other threads are missing, or not complete",
           capture_.filters);
    }
  }

  const Report& report_;
  const Capture& capture_;
  double seconds_;
  bool has_switches_;
  bool has_rates_;  // text shows figures per second
  Document document_;
};

}  // namespace

document::Document ReportDocument(const Report& report) { return ReportBuilder(report).Build(); }

}  // namespace analyze
