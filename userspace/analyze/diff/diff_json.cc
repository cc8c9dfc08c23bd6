// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/diff/diff_json.h"

#include <fmt/format.h>

#include <array>
#include <optional>

#include "analyze/diff/row_words.h"
#include "text/json_writer.h"

namespace analyze {
namespace {

using comparison::Cause;
using comparison::DiffReport;
using comparison::DiffSide;
using comparison::Row;
using comparison::Unit;

class Writer {
 public:
  Writer(fmt::memory_buffer& out, const DiffReport& report) : json_(out), report_(report) {}

  void Write() {
    json_.BeginObject().Key("schema").Unsigned(1);
    Side("base", report_.base);
    Side("new", report_.next);
    json_.Line().Key("comparable").BeginObject();
    json_.Key("ok").Bool(report_.comparable).Key("notes").BeginArray();
    for (const std::string& note : report_.notes) json_.String(note);
    json_.EndArray().EndObject();
    json_.Line().Key("paired").Bool(report_.paired);
    json_.Key("per_run").Bool(report_.per_run);
    json_.Key("seconds_per_run").Double(report_.seconds_per_run);
    json_.Key("could_not_be_told").Unsigned(report_.untold);
    Ranked("findings", report_.findings);
    Ranked("unconfirmed", report_.unconfirmed);
    json_.Line().Key("rows").BeginArray();
    for (const Row& row : report_.rows) OneRow(row, std::nullopt, false);
    json_.EndArray();
    json_.Line().Key("others").BeginArray();
    for (const Row& row : report_.others) OneRow(row, std::nullopt, false);
    json_.EndArray().Line().Key("groups").BeginArray();
    for (const comparison::DiffGroup& group : report_.groups) OneGroup(group);
    json_.EndArray().Line().EndObject();
  }

 private:
  void Side(const char* key, const DiffSide& side) {
    json_.Line().Key(key).BeginObject().Key("captures").Unsigned(side.files.size());
    json_.Key("files").BeginArray();
    for (const std::string& file : side.files) json_.String(file);
    json_.EndArray().Key("seconds").BeginArray();
    for (const double seconds : side.seconds) json_.Double(seconds);
    json_.EndArray();
    json_.Key("kernel").String(side.kernel).Key("recorder").String(side.recorder);
    json_.Key("host").String(side.host).Key("categories").String(side.categories);
    json_.Key("filters").String(side.filters).Key("command").String(side.command);
    json_.Key("cpus").Unsigned(side.cpus).Key("lost_events").Unsigned(side.lost_events);
    json_.Key("unseen_switches").Unsigned(side.unseen_switches).EndObject();
  }

  void Ranked(const char* key, const std::vector<size_t>& numbers) {
    json_.Line().Key(key).BeginArray();
    for (size_t i = 0; i < numbers.size(); ++i) {
      OneRow(report_.rows[numbers[i]], i + 1, !report_.confirmed);
    }
    json_.EndArray();
  }

  void Group(const std::optional<size_t>& group) {
    json_.BeginObject();
    if (group) Names(report_.groups[*group]);
    json_.EndObject();
  }

  void Names(const comparison::DiffGroup& group) {
    json_.Key("process").String(group.name.process).Key("thread").String(group.name.thread);
    if (!group.former_name) return;
    json_.Key("former").BeginObject();
    json_.Key("process").String(group.former_name->process);
    json_.Key("thread").String(group.former_name->thread).EndObject();
  }

  void Shares(const char* key, const std::array<double, facts::kShares>& shares) {
    constexpr std::array<const char*, facts::kShares> kNames = {
        "running", "runnable_wakeup", "runnable_preempted", "sleeping", "blocked", "stopped",
        "unknown", "absent"};
    json_.Key(key).BeginObject();
    for (size_t i = 0; i < kNames.size(); ++i) json_.Key(kNames[i]).Double(shares[i]);
    json_.EndObject();
  }

  void Lengths(const char* key, const measure::Histogram& lengths) {
    json_.Key(key).BeginArray();
    for (const measure::Histogram::Bar& bar : lengths.Bars()) {
      json_.BeginArray().Unsigned(bar.least).Unsigned(bar.most).Unsigned(bar.count).EndArray();
    }
    json_.EndArray();
  }

  void OneGroup(const comparison::DiffGroup& group) {
    constexpr std::array<const char*, measure::kDurations> kNames = {
        "slice", "wakeup_latency", "preempted_wait", "sleep", "blocked", "irq", "softirq"};
    json_.Line().BeginObject();
    Names(group);
    json_.Key("of_command").Bool(group.name.of_command);
    json_.Key("judged").Bool(group.judged).Key("of_recorder").Bool(group.of_recorder);
    json_.Key("ms_per_second").BeginObject();
    Shares("base", group.base_shares);
    Shares("new", group.next_shares);
    json_.EndObject().Key("histograms").BeginObject();
    for (size_t i = 0; i < kNames.size(); ++i) {
      if (group.base_times[i].empty() && group.next_times[i].empty()) continue;
      json_.Key(kNames[i]).BeginObject();
      Lengths("base", group.base_times[i]);
      Lengths("new", group.next_times[i]);
      json_.EndObject();
    }
    json_.EndObject().EndObject();
  }

  // Times are in ns; rates per run of the command where the report has them so.
  double Scale(const Row& row) const {
    const double run =
        report_.per_run && row.metric != comparison::Metric::kMachine ? report_.seconds_per_run : 1;
    switch (InfoOf(row.statistic).unit) {
      case Unit::kMsPerSecond:
      case Unit::kPerSecond:
        return run;
      case Unit::kMicroseconds:
        return 1e3;
      case Unit::kMilliseconds:
        return 1e6;
    }
    return 1;
  }
  const char* UnitOf(const Row& row) const {
    const bool run = report_.per_run && row.metric != comparison::Metric::kMachine;
    switch (InfoOf(row.statistic).unit) {
      case Unit::kMsPerSecond:
        return run ? "ms/run" : "ms/s";
      case Unit::kPerSecond:
        return run ? "1/run" : "1/s";
      default:
        return "ns";
    }
  }

  void Estimate(const char* key, const comparison::Estimate& estimate, double scale,
                const comparison::Quantiles& quantiles) {
    json_.Key(key).BeginObject().Key("value").Double(estimate.value * scale);
    json_.Key("low").Double(estimate.low * scale).Key("high").Double(estimate.high * scale);
    const auto quantile = [&](const char* name, const std::optional<double>& us) {
      if (us) json_.Key(name).Double(*us * 1e3);
    };
    quantile("p50_ns", quantiles.half);
    quantile("p99_ns", quantiles.hundredth);
    quantile("p99.9_ns", quantiles.thousandth);
    json_.EndObject();
  }

  void Captures(const char* key, const std::vector<std::optional<double>>& values, double scale) {
    json_.Key(key).BeginArray();
    for (const auto& value : values) {
      if (value) {
        json_.Double(*value * scale);
      } else {
        json_.Null();
      }
    }
    json_.EndArray();
  }

  void Attribution(const Row& row) {
    json_.Key("because").BeginArray();
    const auto words = CauseWords(report_, row);
    for (size_t i = 0; i < row.because.size(); ++i) {
      const Cause& cause = row.because[i];
      constexpr const char* kKinds[] = {"woken_by", "cpu_held_by", "inversion", "interrupt",
                                        "does"};
      json_.BeginObject().Key("kind").String(kKinds[static_cast<size_t>(cause.kind)]);
      json_.Key("group");
      Group(cause.group);
      json_.Key("metric").String(IdOf(cause.metric));
      json_.Key("ms_per_second").Double(cause.change).Key("text").String(words[i]).EndObject();
    }
    json_.EndArray();
  }

  void OneRow(const Row& row, std::optional<size_t> rank, bool unconfirmed) {
    json_.Line().BeginObject();
    if (rank) json_.Key("rank").Unsigned(*rank);
    json_.Key("group");
    Group(row.group);
    if (row.group) json_.Key("group_number").Unsigned(*row.group);
    json_.Key("metric").String(IdOf(row.metric));
    if (!row.name.empty()) json_.Key("name").String(row.name);
    json_.Key("statistic").String(InfoOf(row.statistic).id).Key("unit").String(UnitOf(row));
    const double scale = Scale(row);
    Estimate("base", row.base, scale, row.base_quantiles);
    Estimate("new", row.next, scale, row.next_quantiles);
    json_.Key("ratio").Double(row.ratio.value).Key("ratio_low").Double(row.ratio.low);
    json_.Key("ratio_high").Double(row.ratio.high);
    json_.Key("change_ms_per_second").Double(row.change).Key("q").Double(row.q);
    // Nothing is certain of what too few captures show.
    const bool told = report_.confirmed || unconfirmed || !IsFinding(row.verdict);
    json_.Key("verdict").String(told ? NameOf(row.verdict)
                                     : NameOf(comparison::Verdict::kCannotTell));
    if (row.folded_under) {
      json_.Key("folded_under").String(IdOf(report_.rows[*row.folded_under].metric));
    }
    if (row.caused_by) {
      const Row& cause = report_.rows[*row.caused_by];
      json_.Key("caused_by").BeginObject().Key("group");
      Group(cause.group);
      json_.Key("metric").String(IdOf(cause.metric)).EndObject();
    }
    Attribution(row);
    json_.Key("examples").BeginArray();
    for (const auto& example : row.examples) {
      json_.BeginObject().Key("file").String(example.file);
      json_.Key("time_ns").Unsigned(example.time_ns);
      json_.Key("duration_ns").Unsigned(example.duration_ns);
      json_.Key("thread").Unsigned(example.thread).EndObject();
    }
    json_.EndArray().Key("captures").BeginObject();
    Captures("base", row.base_captures, scale);
    Captures("new", row.next_captures, scale);
    json_.EndObject();
    if (!row.base_lengths.empty() || !row.next_lengths.empty()) {
      json_.Key("histogram").BeginObject();
      Lengths("base", row.base_lengths);
      Lengths("new", row.next_lengths);
      json_.EndObject();
    }
    // As people are told of it.
    json_.Key("text").BeginObject().Key("group").String(GroupWords(report_, row));
    json_.Key("metric").String(MetricWords(row)).Key("change").String(ChangeWords(report_, row));
    json_.Key("ratio").String(RatioWords(row, row.ratio.value)).EndObject().EndObject();
  }

  text::JsonWriter json_;
  const DiffReport& report_;
};

}  // namespace

std::string DiffJson(const DiffReport& report) {
  fmt::memory_buffer out;
  Writer(out, report).Write();
  return fmt::to_string(out) + "\n";
}

}  // namespace analyze
