// SPDX-License-Identifier: BSD-2-Clause
#include <fmt/format.h>

#include <array>
#include <iterator>

#include "analyze/report/report.h"
#include "analyze/report/text_columns.h"
#include "text/json_writer.h"

namespace analyze {
namespace {

using measure::Attribution;
using measure::Blame;
using measure::Capture;
using measure::Distribution;
using measure::Group;
using text::JsonWriter;

constexpr std::array<const char*, measure::kDurations> kDurationNames = {
    "slice", "wakeup_latency", "preempted_wait", "sleep", "blocked", "irq", "softirq"};
constexpr std::array<const char*, measure::kAttributions> kAttributionNames = {
    "held_cpu", "held_cpu_lower", "woken_by", "preempted_by"};

class ReportWriter {
 public:
  explicit ReportWriter(const Report& report)
      : report_(report),
        capture_(report.capture),
        seconds_(static_cast<double>(report.capture.length()) / 1e9) {}

  std::string Write() {
    json_.BeginObject();
    Field("schema", uint64_t{1});
    Source();
    Machine();
    Strips();
    json_.Line().Key("groups").BeginArray();
    for (const Group& group : capture_.groups) Write(group);
    json_.EndArray();
    Named("handlers", capture_.handlers);
    MetricsOfAll();
    Waits("worst_waits", report_.watcher.waits().for_cpu());
    Waits("worst_blocked", report_.watcher.waits().blocked());
    json_.EndObject();
    return fmt::to_string(out_);
  }

 private:
  void Field(const char* key, uint64_t value) { json_.Key(key).Unsigned(value); }
  void Field(const char* key, std::string_view value) { json_.Key(key).String(value); }

  void Source() {
    Field("file", capture_.file);
    Field("recorder", capture_.recorder);
    Field("host", capture_.host);
    Field("kernel", capture_.kernel);
    Field("categories", capture_.categories);
    Field("filters", capture_.filters);
    Field("trigger", capture_.trigger);
    Field("command", capture_.command);
    json_.Key("start_time");
    capture_.start_time ? json_.Double(*capture_.start_time) : json_.Null();
    Field("begin_ns", capture_.begin);
    Field("end_ns", capture_.end);
    Field("length_ns", capture_.length());
    json_.Key("elapsed_ns");
    capture_.elapsed_ns ? json_.Unsigned(*capture_.elapsed_ns) : json_.Null();
    Field("lost_events", capture_.lost_events);
    Field("unseen_switches", capture_.unseen_switches);
    json_.Key("notes").BeginArray();
    for (const std::string& note : report_.notes) json_.String(note);
    json_.EndArray();
  }

  void Machine() {
    json_.Line().Key("machine").BeginObject();
    Field("cpus", uint64_t{capture_.cpus});
    json_.Key("by_cpu").BeginArray();
    for (size_t cpu = 0; cpu < capture_.by_cpu.size(); ++cpu) {
      const Capture::Cpu& times = capture_.by_cpu[cpu];
      json_.BeginObject();
      Field("cpu", cpu);
      Field("busy_ns", times.busy_ns);
      Field("idle_ns", times.idle_ns);
      Field("unknown_ns", times.unknown_ns);
      json_.EndObject();
    }
    json_.EndArray().EndObject();
  }

  void Strips() {
    const CpuStrips& strips = report_.watcher.strips();
    json_.Line().Key("strips").BeginObject();
    Field("begin_ns", strips.begin());
    Field("slot_ns", strips.width());
    json_.Key("cpus").BeginArray();
    for (size_t cpu = 0; cpu < strips.cpus().size(); ++cpu) {
      json_.Line().BeginObject();
      Field("cpu", cpu);
      Slots("busy", cpu, &CpuStrips::Slot::busy_ns);
      Slots("unknown", cpu, &CpuStrips::Slot::unknown_ns);
      Slots("queue", cpu, &CpuStrips::Slot::queue_ns);
      json_.EndObject();
    }
    json_.EndArray().EndObject();
  }
  // Of each slot, as parts of it, thousandths.
  void Slots(const char* key, size_t cpu, uint64_t CpuStrips::Slot::*what) {
    const CpuStrips& strips = report_.watcher.strips();
    json_.Key(key).BeginArray();
    for (const CpuStrips::Slot& slot : strips.cpus()[cpu]) {
      const double part = static_cast<double>(slot.*what) / static_cast<double>(strips.width());
      json_.Double(static_cast<double>(static_cast<int64_t>(part * 1000 + 0.5)) / 1000);
    }
    json_.EndArray();
  }

  void GroupName(const measure::GroupName& name) {
    Field("process", name.process);
    Field("thread", name.thread);
    json_.Key("of_command").Bool(name.of_command);
  }

  void Write(const Group& group) {
    json_.Line().BeginObject();
    GroupName(group.name);
    json_.Key("of_recorder").Bool(group.of_recorder);
    Field("threads", group.threads);
    json_.Key("pids").BeginArray();
    for (const uint64_t pid : group.pids) json_.Unsigned(pid);
    json_.EndArray().Key("share_ns").BeginObject();
    for (size_t i = 0; i < facts::kShareNames.size(); ++i)
      Field(facts::kShareNames[i], group.share_ns[i]);
    json_.EndObject();
    Field("switches_voluntary", group.switches_voluntary);
    Field("switches_involuntary", group.switches_involuntary);
    Field("wakeups", group.wakeups);
    Field("migrations", group.migrations);
    Field("forked_processes", group.forked_processes);
    Field("forked_threads", group.forked_threads);
    Field("inversion_ns", group.inversion_ns);
    Field("unconserved_ns", group.unconserved_ns);
    Field("after_blocked_ns", group.after_blocked_ns);
    json_.Key("times").BeginObject();
    for (size_t i = 0; i < kDurationNames.size(); ++i) {
      json_.Key(kDurationNames[i]);
      Write(group.times[i]);
    }
    json_.EndObject();
    Named("syscalls", group.syscalls);
    json_.Key("blames").BeginObject();
    for (size_t i = 0; i < kAttributionNames.size(); ++i) {
      json_.Key(kAttributionNames[i]).BeginArray();
      for (const auto& [other, blame] : group.blames[i]) Write(other, blame);
      json_.EndArray();
    }
    json_.EndObject();
    Metrics(group);
    json_.EndObject();
  }

  // A rate per second of the capture, of a time in ms, and by wakeup, of a time in ns. None in a
  // capture without length, or a group that was never woken.
  void Rate(const char* unit, double amount, double per_second, uint64_t wakeups) {
    json_.BeginObject().Key("unit").String(unit).Key("value");
    seconds_ > 0 ? json_.Double(per_second / seconds_) : json_.Null();
    json_.Key("per_wakeup");
    wakeups == 0 ? json_.Null() : json_.Double(amount / static_cast<double>(wakeups));
    json_.EndObject();
  }
  void Time(std::string_view key, uint64_t ns, uint64_t wakeups) {
    json_.Key(key);
    Rate("ms/s", static_cast<double>(ns), static_cast<double>(ns) / 1e6, wakeups);
  }
  void Count(const char* key, uint64_t count, uint64_t wakeups) {
    json_.Key(key);
    Rate("1/s", static_cast<double>(count), static_cast<double>(count), wakeups);
  }

  // Under the names that metrics have in fxt diff as well.
  void Metrics(const Group& group) {
    using facts::Share;
    using measure::Duration;
    const auto whole = [](const Distribution& times) { return times.whole_ns + times.cut_ns; };
    const uint64_t wakeups = group.wakeups;
    json_.Key("metrics").BeginObject();
    Time("cpu_time", group.of(Share::kRunning), wakeups);
    const Distribution& slice = group.of(Duration::kSlice);
    json_.Key("slice").BeginObject().Key("unit").String("ns").Key("value");
    slice.whole.empty() ? json_.Null() : json_.Unsigned(slice.Mean());
    json_.EndObject();
    Time("wakeup_latency", group.of(Share::kRunnableWakeup), wakeups);
    Time("preempted_wait", group.of(Share::kRunnablePreempted), wakeups);
    Time("sleep", group.of(Share::kSleeping), wakeups);
    Time("blocked", group.of(Share::kBlocked), wakeups);
    Count("switches", group.switches_voluntary + group.switches_involuntary, wakeups);
    Count("wakeups", wakeups, wakeups);
    Count("migrations", group.migrations, wakeups);
    json_.Key("forks").BeginObject();
    Count("processes", group.forked_processes, wakeups);
    Count("threads", group.forked_threads, wakeups);
    json_.EndObject();
    Time("irq_time", whole(group.of(Duration::kIrq)), wakeups);
    Time("softirq_time", whole(group.of(Duration::kSoftirq)), wakeups);
    json_.Key("syscall_time").BeginObject();
    for (const auto& [name, times] : group.syscalls) Time(name, whole(times), wakeups);
    json_.EndObject();
    Time("inversion", group.inversion_ns, wakeups);
    Time("unconserved", group.unconserved_ns, wakeups);
    json_.EndObject();
  }

  // Those of the command and of the machine.
  void MetricsOfAll() {
    json_.Line().Key("metrics").BeginObject();
    json_.Key("elapsed").BeginObject().Key("unit").String("ns").Key("value");
    capture_.elapsed_ns ? json_.Unsigned(*capture_.elapsed_ns) : json_.Null();
    json_.EndObject().Key("machine").BeginObject().Key("unit").String("ms/s").Key("value");
    double busy = 0;
    double known = 0;
    for (const Capture::Cpu& cpu : capture_.by_cpu) {
      busy += static_cast<double>(cpu.busy_ns);
      known += static_cast<double>(cpu.busy_ns) + static_cast<double>(cpu.idle_ns);
    }
    const double cpus = static_cast<double>(capture_.by_cpu.size());
    known > 0 ? json_.Double(1e3 * cpus * busy / known) : json_.Null();
    json_.EndObject().EndObject();
  }

  void Write(uint32_t other, const Blame& blame) {
    json_.BeginObject();
    if (other < capture_.groups.size()) {
      Field("group", uint64_t{other});
    } else {
      Field("other", other == measure::kInterrupt ? "interrupt" : "unknown");
    }
    Field("count", blame.count);
    Field("ns", blame.ns);
    Field("blocked", blame.blocked);
    Field("blocked_ns", blame.blocked_ns);
    json_.EndObject();
  }

  void Named(const char* key, const std::map<std::string, Distribution>& named) {
    json_.Key(key).BeginObject();
    for (const auto& [name, times] : named) {
      json_.Key(name);
      Write(times);
    }
    json_.EndObject();
  }

  void Quantile(const char* key, const Distribution& times, double q, uint64_t least) {
    json_.Key(key);
    if (times.whole.count() < least) {
      json_.Null();
    } else {
      json_.Unsigned(times.Quantile(q));
    }
  }

  void Write(const Distribution& times) {
    json_.BeginObject();
    Field("count", times.whole.count());
    Field("total_ns", times.whole_ns);
    Quantile("min_ns", times, 0, 1);
    json_.Key("mean_ns");
    times.whole.empty() ? json_.Null() : json_.Unsigned(times.Mean());
    json_.Key("stddev_ns");
    times.whole.count() < 2 ? json_.Null() : json_.Double(times.whole.StandardDeviation());
    Field("max_ns", times.longest_ns);
    Quantile("p50_ns", times, 0.5, 1);
    Quantile("p90_ns", times, 0.9, 1);
    Quantile("p99_ns", times, 0.99, kCountForP99);
    Quantile("p999_ns", times, 0.999, kCountForP999);
    Field("cut", times.cut.count());
    Field("cut_ns", times.cut_ns);
    Field("unknown", times.unknown);
    Field("unknown_ns", times.unknown_ns);
    json_.Key("histogram").BeginArray();
    for (const measure::Histogram::Bar& bar : times.whole.Bars()) {
      json_.BeginArray().Unsigned(bar.least).Unsigned(bar.most).Unsigned(bar.count).EndArray();
    }
    json_.EndArray().Key("worst").BeginArray();
    for (const measure::Instance& instance : times.worst) {
      json_.BeginObject();
      Field("begin_ns", instance.begin);
      Field("length_ns", instance.length);
      Field("thread", instance.thread);
      Field("cpu", uint64_t{instance.cpu});
      json_.EndObject();
    }
    json_.EndArray().EndObject();
  }

  void Thread(const char* key, fxt::Koid koid) {
    const facts::ObjectNames& names = report_.watcher.names();
    const auto* thread = names.thread(koid);
    json_.Key(key).BeginObject();
    Field("id", koid);
    Field("name", thread == nullptr ? std::string_view() : thread->name);
    if (thread != nullptr && thread->process) {
      Field("process", *thread->process);
      Field("process_name", names.process_name(*thread->process));
    }
    json_.EndObject();
  }

  void Waits(const char* key, const std::vector<WorstWait>& waits) {
    json_.Line().Key(key).BeginArray();
    for (const WorstWait& wait : waits) Write(wait);
    json_.EndArray();
  }

  void Write(const WorstWait& wait) {
    static constexpr const char* kKinds[] = {"unknown", "absent",  "wakeup", "preempted",
                                             "sleep",   "blocked", "stopped"};
    static constexpr const char* kWhats[] = {"run", "idle", "unknown"};
    json_.Line().BeginObject();
    Field("kind", kKinds[static_cast<size_t>(wait.kind)]);
    Field("begin_ns", wait.begin);
    Field("length_ns", wait.length());
    Field("cpu", uint64_t{wait.cpu});
    Thread("thread", wait.thread);
    if (!wait.reason.empty()) Field("reason", wait.reason);
    json_.Key("holders").BeginArray();
    for (const WorstWait::Holder& holder : wait.holders) {
      json_.BeginObject();
      Thread("thread", holder.thread);
      Field("ns", holder.ns);
      json_.EndObject();
    }
    json_.EndArray().Key("chain").BeginArray();
    for (const WakeLink& link : wait.chain) {
      json_.BeginObject();
      Field("time_ns", link.time);
      Thread("woken", link.woken);
      if (link.waker) Thread("waker", *link.waker);
      json_.EndObject();
    }
    json_.EndArray().Key("around").BeginArray();
    for (const Interval& interval : wait.around) {
      json_.BeginObject();
      Field("cpu", uint64_t{interval.cpu});
      Field("what", kWhats[static_cast<size_t>(interval.what)]);
      Field("begin_ns", interval.begin);
      Field("end_ns", interval.end);
      if (interval.what == Interval::What::kRun) Thread("thread", interval.thread);
      json_.EndObject();
    }
    json_.EndArray().EndObject();
  }

  const Report& report_;
  const Capture& capture_;
  double seconds_;
  fmt::memory_buffer out_;
  JsonWriter json_{out_};
};

}  // namespace

std::string ReportJson(const Report& report) { return ReportWriter(report).Write(); }

}  // namespace analyze
