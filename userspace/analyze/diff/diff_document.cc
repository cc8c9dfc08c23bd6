// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/diff/diff_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "analyze/diff/request_section.h"
#include "analyze/diff/row_words.h"
#include "analyze/diff/sentences.h"
#include "analyze/diff/settings_section.h"
#include "analyze/document/render.h"
#include "compare/explaining_settings.h"
#include "util/quantity.h"

namespace analyze {
namespace {

using comparison::CauseLink;
using comparison::ComparisonRow;
using comparison::DiffReport;
using comparison::DiffSide;
using document::Document;
using document::Field;
using document::Line;
using document::Notes;
using document::OnOwnLine;
using document::Ranking;
using document::Section;
using document::Value;

// Groups out of scope whose changes are shown.
constexpr size_t kOthersShown = 3;

class DiffBuilder {
 public:
  DiffBuilder(const DiffReport& report, size_t top, const StackChanges& stacks)
      : report_(report), stacks_(stacks), top_(top) {}

  Document Build() {
    document_.title = "fxt diff";
    AddSettingsSection(document_, report_.settings);
    AddSides();
    AddFindings();
    AddRequestSection(document_, report_, top_);
    AddOthers();
    AddSilence();
    AddGroups();
    return std::move(document_);
  }

 private:
  static void Data(Section& section, const char* key, Value value) {
    section.Add(Field{.label = "", .key = key, .value = std::move(value)});
  }

  void AddSides() {
    Section& head = document_.AddSection();
    Data(head, "schema", uint64_t{1});
    Data(head, "base", OnOwnLine(SideData(report_.base)));
    Data(head, "new", OnOwnLine(SideData(report_.next)));
    Value notes(Value::List{});
    for (const std::string& note : report_.notes) notes.Append(note);
    Value comparable(Value::Object{{"ok", report_.comparable}});
    comparable.Set("notes", std::move(notes));
    Data(head, "comparable", OnOwnLine(std::move(comparable)));
    Data(head, "paired", OnOwnLine(report_.paired));
    Data(head, "per_run", report_.per_run);
    Data(head, "seconds_per_run", report_.seconds_per_run);
    Data(head, "could_not_be_told", uint64_t{report_.undecided});
    Data(head, "conclusion", ConclusionOf(report_));
    Data(head, "disturbed", OnOwnLine(DisturbedData()));
    head.Add(Line{.text = ConclusionOf(report_), .strong = true});
    head.Add(Line{.text = SidesWords(report_)});
    head.Add(Notes{report_.notes});
    for (const std::string& line : DisturbedWords(report_)) head.Add(Line{.text = line});
    // A group may be delayed in several ways: the largest comes first.
    std::set<std::optional<size_t>> delayed;
    for (const ComparisonRow& row : report_.slower_by_others) {
      if (delayed.size() == kOthersShown) break;
      if (!delayed.insert(row.group).second) continue;
      head.Add(
          Line{.text = SentenceOf(report_, row), .lead = NameOf(comparison::Verdict::kOthers)});
    }
    if (!Ranked(report_).empty() && !report_.confirmed) {
      head.Add(
          Line{.text = "a significant change needs three captures a side", .lead = "unconfirmed"});
    }
  }

  Value DisturbedData() const {
    Value list(Value::List{});
    for (const comparison::DisturbedCapture& one : report_.disturbed) {
      list.Append(Value::Object{{"file", one.file},
                                {"side", one.is_new ? "new" : "base"},
                                {"others_share", one.share},
                                {"usual_share", one.usual},
                                {"by", one.by},
                                {"left_out", one.left_out}});
    }
    return list;
  }

  static Value SideData(const DiffSide& side) {
    Value files(Value::List{});
    for (const std::string& file : side.files) files.Append(file);
    Value data(Value::Object{{"captures", uint64_t{side.files.size()}}});
    data.Set("files", std::move(files));
    data.Set("seconds", side.seconds);
    data.Set("kernel", side.kernel);
    data.Set("recorder", side.recorder);
    data.Set("host", side.host);
    data.Set("categories", side.categories);
    data.Set("filters", side.filters);
    data.Set("command", side.command);
    data.Set("cpus", side.cpus);
    data.Set("lost_events", side.lost_events);
    data.Set("unseen_switches", side.unseen_switches);
    return data;
  }

  void AddFindings() {
    Section& section = document_.AddSection();
    Data(section, "findings", RankedData(report_.findings));
    Data(section, "unconfirmed", RankedData(report_.unconfirmed));
    Data(section, "rows", RowsData(report_.rows));
    Data(section, "slower_because_of_others", RowsData(report_.slower_by_others));
    const auto& ranked = Ranked(report_);
    const size_t shown = top_ == 0 ? ranked.size() : std::min(top_, ranked.size());
    Ranking ranking{.columns = {{.head = ""},
                                {.head = "verdict", .left = true},
                                {.head = "group", .left = true},
                                {.head = "metric", .left = true},
                                {.head = "base"},
                                {.head = "new"},
                                {.head = "change"},
                                {.head = ""},
                                {.head = "q"}},
                    .items = {}};
    for (size_t i = 0; i < shown; ++i) {
      ranking.items.push_back(ItemOf(i + 1, report_.rows[ranked[i]]));
    }
    ranking.omitted = ranked.size() - shown;
    section.Add(std::move(ranking));
  }

  Ranking::Item ItemOf(size_t rank, const ComparisonRow& row) const {
    const std::string group = GroupWords(report_, row);
    const std::string metric = MetricWords(report_, row);
    const auto value = [&](double of) { return ValueWords(report_, row, of); };
    const auto range = [&](const comparison::Estimate& of) {
      return fmt::format("{} [{} .. {}]", value(of.value), value(of.low), value(of.high));
    };
    Ranking::Item item;
    item.heading = fmt::format("{:6} {}: {}", NameOf(row.verdict), group, metric);
    item.cells = {uint64_t{rank},
                  NameOf(row.verdict),
                  group,
                  metric,
                  value(row.base.value),
                  value(row.next.value),
                  RatioWords(row, row.ratio.value),
                  ChangeWords(report_, row),
                  fmt::format("{:.2g}", row.q)};
    item.causes = CauseWords(report_, row);
    auto& lines = item.lines;
    lines.push_back(SentenceOf(report_, row));
    lines.push_back(
        fmt::format("{} → {}, {}", range(row.base), range(row.next), RatioIntervalWords(row)));
    lines.push_back(fmt::format("{}, q = {:.2g}, n = {} and {}", ChangeWords(report_, row), row.q,
                                report_.base.files.size(), report_.next.files.size()));
    if (row.caused_by) {
      const ComparisonRow& cause = report_.rows[*row.caused_by];
      lines.push_back(fmt::format("a symptom of: {}, {}", GroupWords(report_, cause),
                                  MetricWords(report_, cause)));
    }
    for (size_t i = 0; i < item.causes.size(); ++i) {
      const char* because = row.request ? "because a request " : "because it ";
      lines.push_back((i == 0 ? because : "      and ") + item.causes[i]);
    }
    if (const auto stack = stacks_.find(&row); stack != stacks_.end()) {
      lines.push_back("stack: " + StackWords(report_, stack->second));
    }
    std::vector<std::string> symptoms;
    for (const ComparisonRow& other : report_.rows) {
      if (!other.suppressed_by || &report_.rows[*other.suppressed_by] != &row) continue;
      if (other.metric == comparison::Metric::kSlice) continue;
      symptoms.push_back(MetricWords(report_, other) + " " + RatioWords(other, other.ratio.value));
    }
    if (!symptoms.empty()) {
      lines.push_back(fmt::format("symptoms: {}", fmt::join(symptoms, "; ")));
    }
    for (const size_t setting : comparison::ExplainingSettings(report_, row)) {
      lines.push_back("set differently: " + SettingWords(report_.settings[setting]));
    }
    if (!row.examples.empty()) {
      const comparison::Example& longest = row.examples.front();
      lines.push_back(fmt::format(
          "longest: {} in {} at {}, thread {}", util::FormatDuration(longest.duration_ns),
          longest.file, document::SecondsSince(0, longest.since_begin_ns), longest.thread));
      const std::string next = NextCommand(row);
      if (!next.empty()) lines.push_back("look at it: " + next);
    }
    return item;
  }

  void AddOthers() {
    const bool shown = !report_.others.empty();
    Section& section = document_.AddSection(shown ? "Other work of the machine, not judged:" : "");
    section.in_markdown = false;
    Data(section, "others", RowsData(report_.others));
    for (size_t i = 0; i < std::min(kOthersShown, report_.others.size()); ++i) {
      const ComparisonRow& row = report_.others[i];
      const std::string object = ObjectWords(row);
      section.Add(Line{fmt::format("  {}: {}{}, {} → {}", GroupWords(report_, row),
                                   MetricWords(report_, row), object.empty() ? "" : " " + object,
                                   ValueWords(report_, row, row.base.value),
                                   ValueWords(report_, row, row.next.value))});
    }
  }

  void AddSilence() {
    Section& section = document_.AddSection();
    section.in_markdown = false;
    Data(section, "judged_groups", uint64_t{report_.judged});
    Value partners(Value::List{});
    for (const comparison::UnjudgedPartner& partner : report_.partners) {
      partners.Append(Value::Object{{"group", GroupName(partner.group)},
                                    {"wakeups_per_second", partner.wakeups}});
    }
    Data(section, "not_judged_partners", OnOwnLine(std::move(partners)));
    Value noisy(Value::List{});
    for (const comparison::UndecidedRow& undecided : report_.too_noisy) {
      const ComparisonRow& row = report_.rows[undecided.row];
      noisy.Append(Value::Object{{"group", GroupName(row.group)},
                                 {"metric", IdOf(row.metric)},
                                 {"captures", uint64_t{undecided.captures}}});
    }
    Data(section, "too_noisy", OnOwnLine(std::move(noisy)));
    for (const std::string& line : SilenceWords(report_)) section.Add(Line{.text = line});
  }

  // --- JSON of rows

  Value RankedData(const std::vector<size_t>& numbers) const {
    Value list(Value::List{});
    for (size_t i = 0; i < numbers.size(); ++i) {
      list.Append(RowData(report_.rows[numbers[i]], i + 1));
    }
    return OnOwnLine(std::move(list));
  }

  Value RowsData(const std::vector<ComparisonRow>& rows) const {
    Value list(Value::List{});
    for (const ComparisonRow& row : rows) list.Append(RowData(row, std::nullopt));
    return OnOwnLine(std::move(list));
  }

  Value RowData(const ComparisonRow& row, std::optional<size_t> rank) const {
    const RowScale scale = ScaleOf(row);
    Value data(Value::Object{});
    if (rank) data.Set("rank", uint64_t{*rank});
    data.Set("group", GroupName(row.group));
    if (row.group) data.Set("group_number", uint64_t{*row.group});
    if (row.request) data.Set("request_number", uint64_t{*row.request});
    data.Set("metric", IdOf(row.metric));
    if (!row.name.empty()) data.Set("name", row.name);
    data.Set("statistic", InfoOf(row.statistic).id);
    data.Set("unit", scale.unit);
    data.Set("base", EstimateData(row.base, scale.factor, row.base_quantiles));
    data.Set("new", EstimateData(row.next, scale.factor, row.next_quantiles));
    data.Set("ratio", row.ratio.value);
    data.Set("ratio_low", row.ratio.low);
    data.Set("ratio_high", row.ratio.high);
    data.Set("change_ms_per_second", row.change);
    data.Set("q", row.q);
    // Too few captures confirm nothing but in the list of what is not confirmed.
    const bool decided = report_.confirmed || rank.has_value() || !IsFinding(row.verdict);
    data.Set("verdict", NameOf(decided ? row.verdict : comparison::Verdict::kCannotTell));
    if (row.suppressed_by) {
      data.Set("folded_under", IdOf(report_.rows[*row.suppressed_by].metric));
    }
    if (row.caused_by) {
      const ComparisonRow& cause = report_.rows[*row.caused_by];
      Value by(Value::Object{});
      by.Set("group", GroupName(cause.group));
      by.Set("metric", IdOf(cause.metric));
      data.Set("caused_by", std::move(by));
    }
    data.Set("because", CauseData(row));
    if (row.request) data.Set("parts", PartsData(report_.requests[*row.request]));
    if (row.object) {
      const measure::WaitedObject& object = row.object->object;
      data.Set("waited_for", Value::Object{{"syscall", object.syscall},
                                           {"object_kind", object.kind},
                                           {"object", object.object},
                                           {"change_ms_per_second", row.object->change}});
    }
    if (const auto stack = stacks_.find(&row); stack != stacks_.end()) {
      data.Set("stack", StackData(stack->second));
    }
    if (IsFinding(row.verdict) && !row.suppressed_by) {
      Value settings(Value::List{});
      for (const size_t setting : comparison::ExplainingSettings(report_, row)) {
        settings.Append(Value::Object{{"subject", report_.settings[setting].shown},
                                      {"name", report_.settings[setting].name}});
      }
      data.Set("set_differently", std::move(settings));
    }
    Value examples(Value::List{});
    for (const comparison::Example& example : row.examples) {
      examples.Append(Value::Object{{"file", example.file},
                                    {"time_ns", example.time_ns},
                                    {"duration_ns", example.duration_ns},
                                    {"thread", example.thread}});
    }
    data.Set("examples", std::move(examples));
    data.Set("captures", Value::Object{{"base", CapturesData(row.base_captures, scale.factor)},
                                       {"new", CapturesData(row.next_captures, scale.factor)}});
    if (!row.base_lengths.empty() || !row.next_lengths.empty()) {
      data.Set("histogram", HistogramPair(row.base_lengths, row.next_lengths));
    }
    data.Set("text", Value::Object{{"group", GroupWords(report_, row)},
                                   {"metric", MetricWords(report_, row)},
                                   {"change", ChangeWords(report_, row)},
                                   {"ratio", RatioWords(row, row.ratio.value)},
                                   {"sentence", SentenceOf(report_, row)},
                                   {"next", NextCommand(row)}});
    return OnOwnLine(std::move(data));
  }

  Value StackData(const StackChange& stack) const {
    Value frames(Value::List{});
    for (const std::string& frame : stack.frames) frames.Append(frame);
    const double scale = report_.per_run ? report_.seconds_per_run : 1;
    const std::string unit = stack.of_cpu ? "samples" : "ms";
    return Value::Object{{"of", stack.of_cpu ? "on" : "off"},
                         {"unit", unit + (report_.per_run ? "/run" : "/s")},
                         {"base", stack.base * scale},
                         {"new", stack.next * scale},
                         {"frames", std::move(frames)}};
  }

  // The unit of a row in JSON, and the factor from that of the statistic: times are in ns, and
  // rates are per run of the command where the report has them so.
  struct RowScale {
    double factor = 1;
    const char* unit = "ns";
  };
  RowScale ScaleOf(const ComparisonRow& row) const {
    const bool per_run = report_.per_run && row.metric != comparison::Metric::kMachine;
    const double run = per_run ? report_.seconds_per_run : 1;
    switch (InfoOf(row.statistic).unit) {
      case comparison::StatisticUnit::kMsPerSecond:
        return {run, per_run ? "ms/run" : "ms/s"};
      case comparison::StatisticUnit::kPerSecond:
        return {run, per_run ? "1/run" : "1/s"};
      case comparison::StatisticUnit::kMicroseconds:
        return {1e3, "ns"};
      case comparison::StatisticUnit::kMilliseconds:
        return {1e6, "ns"};
    }
    return {};
  }

  static Value EstimateData(const comparison::Estimate& estimate, double factor,
                            const comparison::Quantiles& quantiles) {
    Value data(Value::Object{{"value", estimate.value * factor},
                             {"low", estimate.low * factor},
                             {"high", estimate.high * factor}});
    const auto quantile = [&](const char* key, const std::optional<double>& us) {
      if (us) data.Set(key, *us * 1e3);
    };
    quantile("p50_ns", quantiles.p50);
    quantile("p99_ns", quantiles.p99);
    quantile("p99.9_ns", quantiles.p999);
    return data;
  }

  static Value CapturesData(const std::vector<std::optional<double>>& values, double factor) {
    Value list(Value::List{});
    for (const auto& value : values) list.Append(value ? Value(*value * factor) : Value());
    return list;
  }

  Value CauseData(const ComparisonRow& row) const {
    constexpr const char* kKinds[] = {"woken_by", "cpu_held_by", "inversion",  "interrupt",
                                      "does",     "let_go_by",   "answered_by"};
    const bool by_others = row.verdict == comparison::Verdict::kOthers;
    const auto& links = by_others ? row.others : row.causes;
    Value list(Value::List{});
    const auto words = CauseWords(report_, row);
    if (row.request) {
      for (const std::string& part : words) {
        list.Append(Value::Object{{"kind", "path"},
                                  {"group", Value::Object{}},
                                  {"metric", IdOf(row.metric)},
                                  {"ms_per_second", row.change},
                                  {"text", part}});
      }
      return list;
    }
    for (size_t i = 0; i < links.size(); ++i) {
      const CauseLink& cause = links[i];
      Value link(Value::Object{{"kind", kKinds[static_cast<size_t>(cause.kind)]}});
      link.Set("group", GroupName(cause.group));
      link.Set("metric", IdOf(cause.metric));
      link.Set("ms_per_second", cause.change);
      link.Set("text", words[i]);
      list.Append(std::move(link));
    }
    return list;
  }

  // --- JSON of groups

  Value GroupName(const std::optional<size_t>& group) const {
    Value name(Value::Object{});
    if (group) SetNames(name, report_.groups[*group]);
    return name;
  }
  static void SetNames(Value& to, const comparison::DiffGroup& group) {
    to.Set("process", group.name.process);
    to.Set("thread", group.name.thread);
    if (!group.former_name) return;
    to.Set("former", Value::Object{{"process", group.former_name->process},
                                   {"thread", group.former_name->thread}});
  }

  void AddGroups() {
    Value groups(Value::List{});
    for (const comparison::DiffGroup& group : report_.groups) groups.Append(GroupData(group));
    Data(document_.AddSection(), "groups", OnOwnLine(std::move(groups)));
  }

  static Value GroupData(const comparison::DiffGroup& group) {
    Value data(Value::Object{});
    SetNames(data, group);
    data.Set("of_command", group.name.of_command);
    data.Set("judged", group.in_scope);
    data.Set("of_recorder", group.of_recorder);
    data.Set("ms_per_second", Value::Object{{"base", SharesData(group.base_shares)},
                                            {"new", SharesData(group.next_shares)}});
    Value histograms(Value::Object{});
    for (size_t i = 0; i < measure::kDurations; ++i) {
      if (group.base_times[i].empty() && group.next_times[i].empty()) continue;
      histograms.Set(measure::kDurationNames[i],
                     HistogramPair(group.base_times[i], group.next_times[i]));
    }
    data.Set("histograms", std::move(histograms));
    return OnOwnLine(std::move(data));
  }

  static Value SharesData(const std::array<double, facts::kShares>& shares) {
    Value data(Value::Object{});
    for (size_t i = 0; i < shares.size(); ++i) data.Set(facts::kShareNames[i], shares[i]);
    return data;
  }

  static Value HistogramPair(const measure::Histogram& base, const measure::Histogram& next) {
    const auto buckets = [](const measure::Histogram& lengths) {
      Value::Buckets list;
      for (const measure::Histogram::Bar& bar : lengths.Bars()) {
        list.push_back({bar.least, bar.most, bar.count});
      }
      return list;
    };
    return Value::Object{{"base", buckets(base)}, {"new", buckets(next)}};
  }

  const DiffReport& report_;
  const StackChanges& stacks_;
  size_t top_;
  Document document_;
};

}  // namespace

Document DiffDocument(const DiffReport& report, size_t top, const StackChanges& stacks) {
  return DiffBuilder(report, top, stacks).Build();
}

}  // namespace analyze
