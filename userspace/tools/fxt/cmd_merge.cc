// SPDX-License-Identifier: BSD-2-Clause
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analyze/merge/clock_alignment.h"
#include "analyze/merge/koid_space.h"
#include "analyze/merge/span_alignment.h"
#include "analyze/merge/span_moments.h"
#include "analyze/merge/trace_facts.h"
#include "analyze/merge/trace_merger.h"
#include "sink/open_sink.h"
#include "tools/common/message.h"
#include "tools/fxt/commands.h"
#include "tools/fxt/support/output_file.h"
#include "tools/fxt/support/trace_input.h"
#include "util/quantity.h"

namespace tools {
namespace {

struct MergeOptions {
  std::vector<std::string> files;
  std::string output;
  std::vector<std::string> clocks;   // FILE=CLOCK
  std::vector<std::string> offsets;  // FILE=TIME
  std::vector<std::string> apart;    // FILE
  std::vector<std::string> align;    // FILE
  std::string window = "1s";
};

std::string Signed(int64_t ns) {
  const uint64_t size = ns < 0 ? -static_cast<uint64_t>(ns) : static_cast<uint64_t>(ns);
  return fmt::format("{}{}.{:09} s", ns < 0 ? "-" : "+", size / 1'000'000'000,
                     size % 1'000'000'000);
}

util::Result<int64_t> ParseOffset(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  if (text == "0") return int64_t{0};
  const auto size = util::ParseDuration(text);
  if (!size) return size.error();
  const auto ns = static_cast<int64_t>(*size);
  return negative ? -ns : ns;
}

class Merge {
 public:
  explicit Merge(const MergeOptions& options) : options_(options) {}

  int Run();

 private:
  util::Result<size_t> FileNamed(std::string_view name) const;
  util::Status TakeWishes();
  util::Status ReadInputs();
  util::Status MapKoids();
  util::Status Align(size_t file);
  // True if an earlier recording of the same CPUs is among the files.
  bool Follows(size_t file) const;
  void PrintSummary(size_t file) const;

  const MergeOptions& options_;
  std::vector<TraceInput> inputs_;
  std::vector<analyze::TraceFacts> facts_;
  std::vector<analyze::AlignmentOption> alignment_options_;
  std::vector<analyze::Alignment> alignments_;
  std::vector<analyze::KoidMap> koids_;
  std::vector<bool> apart_;
  std::vector<bool> align_;
};

util::Result<size_t> Merge::FileNamed(std::string_view name) const {
  const auto found = std::find(options_.files.begin(), options_.files.end(), name);
  if (found == options_.files.end()) {
    return util::Error{fmt::format("{} is not among the files to merge", name),
                       "name it as on the command line"};
  }
  return static_cast<size_t>(found - options_.files.begin());
}

util::Status Merge::TakeWishes() {
  alignment_options_.resize(options_.files.size());
  apart_.resize(options_.files.size());
  align_.resize(options_.files.size());
  const auto each = [&](const std::vector<std::string>& settings, const char* option,
                        auto&& take) -> util::Status {
    for (const std::string& setting : settings) {
      const size_t sign = setting.rfind('=');
      if (sign == std::string::npos) {
        return util::Error{fmt::format("{} {}: expected FILE=VALUE", option, setting), ""};
      }
      const auto file = FileNamed(std::string_view(setting).substr(0, sign));
      if (!file) return file.error();
      if (auto status = take(*file, std::string_view(setting).substr(sign + 1)); !status) {
        return status;
      }
    }
    return util::Ok();
  };
  auto status = each(options_.clocks, "--clock", [&](size_t file, std::string_view value) {
    alignment_options_[file].clock = analyze::ClockNamed(value);
    return alignment_options_[file].clock
               ? util::Ok()
               : util::Status(util::Error{fmt::format("there is no clock {}", value),
                                          "boottime, monotonic or realtime"});
  });
  if (!status) return status;
  status = each(options_.offsets, "--offset", [&](size_t file, std::string_view value) {
    const auto offset = ParseOffset(value);
    if (!offset) return util::Status(offset.error());
    alignment_options_[file].offset = *offset;
    return util::Ok();
  });
  if (!status) return status;
  const auto mark = [&](const std::vector<std::string>& names,
                        std::vector<bool>& marks) -> util::Status {
    for (const std::string& name : names) {
      const auto file = FileNamed(name);
      if (!file) return file.error();
      marks[*file] = true;
    }
    return util::Ok();
  };
  if (status = mark(options_.apart, apart_); !status) return status;
  return mark(options_.align, align_);
}

util::Status Merge::ReadInputs() {
  for (const std::string& file : options_.files) {
    if (auto status = RefuseSameFile(file, options_.output); !status) return status;
    auto input = TraceInput::Prepare(file);
    if (!input) return input.TakeError();
    auto source = input->Open();
    if (!source) return source.TakeError();
    facts_.push_back(analyze::ReadFacts(**source));
    if (!facts_.back().unreadable.empty()) {
      return util::Error{fmt::format("{}: {}", file, facts_.back().unreadable),
                         "fxt recover saves its valid records"};
    }
    inputs_.push_back(std::move(*input));
  }
  return util::Ok();
}

util::Status Merge::MapKoids() {
  analyze::KoidSpace space;
  uint32_t cpus = 0;
  std::string host;
  for (size_t i = 0; i < facts_.size(); ++i) {
    const analyze::TraceFacts& facts = facts_[i];
    // Tasks and CPUs of another machine are different, whatever their numbers. Also, a CPU runs one
    // thread at a time.
    const bool other_host = !facts.host.empty() && !host.empty() && facts.host != host;
    if (host.empty()) host = facts.host;
    bool overlaps = false;
    for (size_t k = 0; k < i && facts.has_switches && facts.first; ++k) {
      const analyze::TraceFacts& other = facts_[k];
      if (!other.has_switches || !other.first) continue;
      const auto moved = [](uint64_t time, const analyze::Alignment& by) {
        return static_cast<int64_t>(time) + by.offset;
      };
      overlaps |= moved(*facts.first, alignments_[i]) <= moved(other.last, alignments_[k]) &&
                  moved(*other.first, alignments_[k]) <= moved(facts.last, alignments_[i]);
    }
    const uint32_t shift = other_host || overlaps ? cpus : 0;
    if (uint64_t{shift} + facts.cpus > UINT16_MAX + uint64_t{1}) {
      return util::Error{"the files have more CPUs together than the format allows", ""};
    }
    koids_.push_back(space.Add(facts, apart_[i] || other_host, facts.has_switches ? shift : 0));
    cpus = std::max(cpus, facts.has_switches ? facts.cpus + shift : 0);
  }
  return util::Ok();
}

bool Merge::Follows(size_t file) const {
  const auto begin = [&](size_t i) {
    return static_cast<int64_t>(facts_[i].first.value_or(0)) + alignments_[i].offset;
  };
  for (size_t i = 0; i < facts_.size() && facts_[file].has_switches; ++i) {
    const bool same_cpus = facts_[i].has_switches && koids_[i].cpu_shift == koids_[file].cpu_shift;
    if (i != file && same_cpus && begin(i) < begin(file)) return true;
  }
  return false;
}

util::Status Merge::Align(size_t file) {
  const auto window = util::ParseDuration(options_.window);
  if (!window) return window.error();
  analyze::SpanAlignment spans;
  for (size_t i = 0; i < inputs_.size(); ++i) {
    if (i == file || !facts_[i].has_switches) continue;
    auto source = inputs_[i].Open();
    if (!source) return source.TakeError();
    analyze::AddRuns(**source, alignments_[i].offset, koids_[i], spans);
  }
  auto source = inputs_[file].Open();
  if (!source) return source.TakeError();
  analyze::AddMoments(**source, alignments_[file].offset, koids_[file], spans);
  const auto fit = spans.Find(static_cast<int64_t>(*window));
  if (!fit) {
    return util::Error{
        fmt::format("{} cannot be aligned: none of its threads runs in another file within {}",
                    options_.files[file], options_.window),
        "state its clock (--clock) or widen the search (--window)"};
  }
  const auto percent = [&](uint64_t inside) {
    return 100.0 * static_cast<double>(inside) / static_cast<double>(fit->moments);
  };
  const int64_t before = alignments_[file].offset;
  alignments_[file].offset += fit->offset;
  alignments_[file].known = true;
  alignments_[file].how = fmt::format(
      "{} ({}); then {} by what its threads did: {:.1f}% of {} moments lie inside their runs "
      "({:.1f}% "
      "before), the same within +-{}",
      alignments_[file].how, Signed(before), Signed(fit->offset), percent(fit->inside),
      fit->moments, percent(fit->inside_before), Signed(fit->error).substr(1));
  if (fit->ambiguous) alignments_[file].how += "; another offset fits equally well";
  return util::Ok();
}

void Merge::PrintSummary(size_t file) const {
  const auto say = [&](const std::string& text) {
    PrintNote(kProgram, fmt::format("{}: {}", options_.files[file], text));
  };
  for (const std::string& note : inputs_[file].notes()) say(note);
  say(fmt::format("{}: {}", Signed(alignments_[file].offset), alignments_[file].how));
  if (facts_[file].truncated) say("note: cut short; read to its last whole record");
  const analyze::KoidMap& koids = koids_[file];
  if (koids.same_threads != 0) {
    say(fmt::format("{} threads are also in an earlier file",
                    util::FormatCount(koids.same_threads)));
  }
  if (!koids.threads.empty() || !koids.processes.empty()) {
    say(fmt::format("{} threads and {} processes got new ids, because theirs were in use",
                    util::FormatCount(koids.threads.size()),
                    util::FormatCount(koids.processes.size())));
  }
  if (koids.cpu_shift != 0) {
    say(fmt::format("its CPUs are {} to {}", koids.cpu_shift,
                    koids.cpu_shift + facts_[file].cpus - 1));
  }
}

int Merge::Run() {
  if (auto status = TakeWishes(); !status) return Fail(status.error());
  if (auto status = ReadInputs(); !status) return Fail(status.error());
  auto alignments = analyze::AlignClocks(facts_, alignment_options_);
  if (!alignments) return Fail(alignments.error());
  alignments_ = std::move(*alignments);
  if (auto status = MapKoids(); !status) return Fail(status.error());
  for (size_t i = 0; i < inputs_.size(); ++i) {
    if (!align_[i]) continue;
    if (auto status = Align(i); !status) return Fail(status.error());
  }
  analyze::TraceMerger merger;
  for (size_t i = 0; i < inputs_.size(); ++i) {
    auto source = inputs_[i].Open();
    if (!source) return Fail(source.error());
    if (auto status = merger.Add(**source, alignments_[i].offset, koids_[i], Follows(i)); !status) {
      return Fail(status.error());
    }
  }
  sink::SinkOptions sink_options;
  sink_options.path = options_.output;
  sink_options.file = OutputLike(options_.files.front());
  auto out = sink::OpenSink(sink_options);
  if (!out) return Fail(out.error());
  const util::Status written = merger.Write(**out);
  if (!written) return Fail(written.error());
  if (const auto status = (*out)->Close(); !status) {
    return FailOutput(options_.output, status.error());
  }
  for (size_t i = 0; i < inputs_.size(); ++i) PrintSummary(i);
  const auto note = [&](uint64_t count, const char* what) {
    if (count != 0) PrintNote(kProgram, fmt::format("note: {} {}", util::FormatCount(count), what));
  };
  note(merger.refused(), "records became too long for the format and were dropped");
  note(merger.clamped(), "records with a negative time were moved to 0");
  note(merger.unmoved_blobs(), "branch stacks keep the times and CPUs of their file");
  return kExitOk;
}

}  // namespace

void AddMerge(const Command& program, int& exit_code) {
  auto options = std::make_shared<MergeOptions>();
  const Command command = program.AddSubcommand(
      "merge", "Merge traces and Trace Event JSON into one trace on one clock");
  command
      .Add("FILE", options->files,
           "Traces, and JSON of the Trace Event Format; the first one's clock is the output's")
      .Required();
  AddTraceOutput(command, options->output);
  command.Add("--clock", options->clocks, "The clock of a file: boottime, monotonic or realtime")
      .Type("FILE=CLOCK");
  command.Add("--offset", options->offsets, "What to add to the times of a file: 1.5ms, -20us")
      .Type("FILE=TIME");
  command
      .Add("--align", options->align,
           "Move a file so that its threads' events lie inside their runs in the other files")
      .Type("FILE");
  command.Add("--window", options->window, "Largest offset that --align tries, in both directions")
      .Type("TIME")
      .ShowDefault();
  command
      .Add("--apart", options->apart,
           "Tasks of this file are not the tasks with the same ids in the other files: it is from "
           "another machine or a container")
      .Type("FILE");
  command.Footer(
      "Clocks are aligned by --offset, else by clock sync markers that two files have, else by "
      "what\n"
      "their clocks are; a recording of fxt-record notes how realtime and monotonic stand to its "
      "own.\n"
      "It says by how much each file was moved, why, and how well that is known. docs/import.md "
      "has\n"
      "more.\n"
      "\n"
      "Examples:\n"
      "  fxt merge trace.fxt app.json -o all.fxt --clock app.json=monotonic\n"
      "  fxt merge trace.fxt app.json -o all.fxt --align app.json\n"
      "  fxt merge here.fxt there.fxt -o both.fxt --apart there.fxt --offset there.fxt=-3ms");
  command.OnRun([options, &exit_code] { exit_code = Merge(*options).Run(); });
}

}  // namespace tools
