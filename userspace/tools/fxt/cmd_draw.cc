// SPDX-License-Identifier: BSD-2-Clause
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <queue>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "analyze/draw/drawing_reader.h"
#include "analyze/draw/drawing_svg.h"
#include "analyze/page/palette.h"
#include "facts/scheduling.h"
#include "path/part_text.h"
#include "path/path_reader.h"
#include "text/clean_text.h"
#include "text/text_writer.h"
#include "tools/fxt/commands.h"
#include "tools/fxt/support/filter_options.h"
#include "tools/fxt/support/output_file.h"
#include "tools/fxt/support/png.h"
#include "tools/fxt/support/read_loop.h"
#include "tools/fxt/support/span_patterns.h"
#include "tools/fxt/support/trace_input.h"

namespace tools {
namespace {

struct DrawCommandOptions {
  std::string file;
  std::string output;
  FilterOptions filter;
  uint64_t rows = 16;
  uint64_t width = 1200;
  bool dark = false;
  uint64_t path = 0;  // the id of a request; 0: none
  std::vector<std::string> spans;
  uint64_t slowest = 1;
  std::string around;
  std::string margin = "5ms";
};

struct Extent {
  uint64_t first = 0;
  uint64_t last = 0;
};

// Reads up to the first record with a time, or to the end if the end is needed.
util::Result<Extent> ExtentOf(const TraceInput& input, bool with_end) {
  auto source = input.Open();
  if (!source) return source.TakeError();
  fxt::Reader reader(**source);
  Progress progress("fxt draw: " + input.path(), **source);
  std::optional<Extent> extent;
  ReadAll(reader, progress, [&] {
    const auto time = facts::TimeOf(reader.record(), reader.provider());
    if (!time) return true;
    if (!extent) extent = Extent{*time, *time};
    extent->last = std::max(extent->last, *time);
    return with_end;
  });
  progress.Clear();
  if (reader.error() != fxt::ReadError::kNone && !extent) {
    return util::Error{fmt::format("{}: {}", input.path(), reader.error_message()), ""};
  }
  if (!extent) return util::Error{fmt::format("{}: nothing in it has a time", input.path()), ""};
  return *extent;
}

// The id of the span that matches and is the slowest, or the second slowest...
util::Result<uint64_t> SlowestSpan(const TraceInput& input, const DrawCommandOptions& options) {
  auto source = input.Open();
  if (!source) return source.TakeError();
  fxt::Reader records(**source);
  Progress progress("fxt draw: " + input.path(), **source);
  path::PathOptions choice;
  choice.wants_span = [&](std::string_view category, std::string_view name, bool) {
    return MatchesSpan(options.spans, category, name);
  };
  choice.with_parts = false;
  // Duration and id of the slowest ones, the fastest of them first.
  using Found = std::pair<uint64_t, uint64_t>;
  std::priority_queue<Found, std::vector<Found>, std::greater<>> slowest;
  uint64_t all = 0;
  path::PathReader reader(choice, [&](const path::Request& request, std::span<const path::Part>) {
    ++all;
    slowest.emplace(request.duration(), request.id);
    if (slowest.size() > options.slowest) slowest.pop();
  });
  ReadAll(records, progress, reader);
  reader.Finish();
  progress.Clear();
  if (all == 0) {
    return util::Error{"no span with an end matches --span",
                       "`fxt query FILE 'SELECT DISTINCT category, name FROM spans'` lists them"};
  }
  if (slowest.size() < options.slowest) {
    return util::Error{fmt::format("--slowest {}: {} spans match", options.slowest, all), ""};
  }
  return slowest.top().second;
}

// Draws the time of a request, the threads of its critical path, and the path.
util::Status ChoosePath(const TraceInput& input, uint64_t id, analyze::DrawOptions& draw) {
  auto source = input.Open();
  if (!source) return source.TakeError();
  fxt::Reader records(**source);
  Progress progress("fxt draw: " + input.path(), **source);
  path::PathOptions options;
  options.wants_span = [](std::string_view, std::string_view, bool) { return true; };
  options.id = id;
  std::optional<path::Request> request;
  std::vector<path::Part> parts;
  path::PathReader reader(options,
                          [&](const path::Request& found, std::span<const path::Part> its_parts) {
                            request = found;
                            parts.assign(its_parts.begin(), its_parts.end());
                          });
  ReadAll(records, progress, reader);
  reader.Finish();
  progress.Clear();
  if (!request) {
    return util::Error{fmt::format("no request has the id {}", id), "`fxt path` prints ids"};
  }
  const path::PartText text(reader.builder());
  std::set<fxt::Koid> threads = {request->thread};
  for (const path::Part& part : parts) {
    if (part.thread == facts::kNoThread) continue;
    const fxt::Koid thread = reader.builder().KoidOf(part.thread);
    threads.insert(thread);
    draw.path.push_back({part.begin, part.begin + part.length, thread,
                         text.Describe(part, path::PartText::Names::kWithId)});
  }
  if (!draw.wants_thread) {
    draw.wants_thread = [threads](fxt::Koid koid, std::string_view) {
      return threads.contains(koid);
    };
  }
  draw.from = request->begin;
  draw.to = std::max(request->end, request->begin + 1);
  return util::Ok();
}

// --around and --margin as --from and --to.
util::Status ChooseMoment(const DrawCommandOptions& options, uint64_t first,
                          analyze::DrawOptions& draw) {
  const auto around = analyze::ParseMoment(options.around);
  if (!around) return around.error();
  const auto margin = analyze::ParseMoment(options.margin);
  if (!margin) return margin.error();
  if (margin->absolute || margin->ns == 0) {
    return util::Error{fmt::format("--margin {} is not a duration", options.margin), "write 5ms"};
  }
  const uint64_t base = around->absolute ? 0 : first;
  const uint64_t time = base + std::min(around->ns, UINT64_MAX - base);
  const uint64_t begin = time - std::min(time, margin->ns);
  if (time < first || begin >= draw.to) {
    return util::Error{fmt::format("--around {} is not in the trace", options.around),
                       "`fxt info` prints its duration"};
  }
  draw.from = std::max(begin, first);
  draw.to = std::min(draw.to, time + std::min(margin->ns, UINT64_MAX - time));
  return util::Ok();
}

util::Result<std::string> Draw(const DrawCommandOptions& options) {
  auto filter = options.filter.Make();
  if (!filter) return filter.TakeError();
  auto input = TraceInput::Prepare(options.file);
  if (!input) return input.TakeError();
  const auto extent = ExtentOf(*input, options.filter.to.empty());
  if (!extent) return extent.error();
  filter->time.SetStart(extent->first);
  analyze::DrawOptions draw;
  draw.first = extent->first;
  draw.from = std::max(filter->time.from(), extent->first);
  draw.to = options.filter.to.empty() ? extent->last : filter->time.to();
  if (draw.from >= draw.to) {
    return util::Error{"there is nothing between --from and --to",
                       "times count from the first record"};
  }
  draw.cpus = filter->cpus;
  draw.max_threads = options.rows;
  draw.slots = options.width - analyze::kDrawingMargins;
  if (!filter->threads.empty()) {
    draw.wants_thread = [&](fxt::Koid koid, std::string_view name) {
      return filter->threads.Matches(koid, name);
    };
  }
  if (!options.around.empty()) {
    if (auto status = ChooseMoment(options, extent->first, draw); !status) {
      return status.TakeError();
    }
  }
  uint64_t path = options.path;
  if (!options.spans.empty()) {
    const auto id = SlowestSpan(*input, options);
    if (!id) return id.error();
    path = *id;
  }
  if (path != 0) {
    if (auto status = ChoosePath(*input, path, draw); !status) return status.TakeError();
  }
  analyze::DrawingReader reader(draw);
  for (const auto pass : {&analyze::DrawingReader::Choose, &analyze::DrawingReader::Read}) {
    auto source = input->Open();
    if (!source) return source.TakeError();
    if (auto status = (reader.*pass)(**source); !status) {
      return util::Error{fmt::format("{}: {}", options.file, status.error().message),
                         status.error().hint};
    }
  }
  if (reader.drawing().cpus.empty()) {
    return util::Error{"no CPU was active in that time", "`fxt info` prints its duration"};
  }
  if (draw.wants_thread && reader.drawing().threads.empty() && options.rows > 0) {
    return util::Error{"none of those threads ran or waited in that time",
                       "`fxt report` names threads"};
  }
  const std::string name = options.file.substr(options.file.rfind('/') + 1);
  return analyze::DrawingSvg(reader.drawing(), text::CleanText(name), [&](std::string_view colour) {
    return analyze::PageColour(
        options.dark ? analyze::PageStyle::kDark : analyze::PageStyle::kLight, colour);
  });
}

int RunDraw(const DrawCommandOptions& options) {
  if (auto differ = RefuseSameFile(options.file, options.output); !differ) {
    return Fail(differ.error());
  }
  const bool png = options.output.ends_with(".png");
  if (!png && !options.output.ends_with(".svg") && options.output != "-") {
    return Fail({fmt::format("{} ends neither with .svg nor with .png", options.output), ""});
  }
  auto picture = Draw(options);
  if (picture && png) picture = PngOf(*picture);
  if (!picture) return Fail(picture.error());
  auto out = text::TextWriter::Open(options.output, OutputLike(options.file));
  if (!out) return Fail(out.error());
  out->Append(*picture);
  const auto status = out->Finish();
  return status ? kExitOk : FailOutput(options.output, status.error());
}

}  // namespace

void AddDraw(const Command& program, int& exit_code) {
  auto options = std::make_shared<DrawCommandOptions>();
  const Command command = program.AddSubcommand(
      "draw", "Draw CPUs and threads over time: states, wakeups, spans, losses");
  command.Add("FILE", options->file, "A trace; - is standard input").Required();
  command
      .Add("-o,--output", options->output,
           "File to write, .svg, or .png (by rsvg-convert); - is standard output, SVG")
      .Type("FILE")
      .Required();
  options->filter.AddTimesTo(command);
  command
      .Add("-t,--thread", options->filter.threads,
           "Threads, by id or name; * and ? match. By default the busiest ones")
      .Type("ID|NAME")
      .Commas();
  command.Add("--cpu", options->filter.cpus, "CPUs").Type("N").Commas();
  command.Add("--width", options->width, "Pixels").Type("N").Range(400, 8000).ShowDefault();
  command.Add("--dark", options->dark, "Draw light on dark");
  command.Add("--rows", options->rows, "Most threads to draw")
      .Type("N")
      .Range(0, 200)
      .ShowDefault();
  command
      .Add("--path", options->path,
           "Draw the request of that id (fxt path) with its threads and its critical path")
      .Type("ID")
      .Excludes("--from")
      .Excludes("--to");
  command
      .Add("--span", options->spans,
           "Draw the slowest span of that NAME or CATEGORY/NAME in the same way; * and ? match")
      .Type("GLOB")
      .Excludes("--path")
      .Excludes("--from")
      .Excludes("--to");
  command.Add("--slowest", options->slowest, "With --span: 2 is the second slowest, and so on")
      .Type("N")
      .Range(1, 100'000)
      .Needs("--span");
  command.Add("--around", options->around, "Draw the time around this one, written as --from")
      .Type("TIME")
      .Excludes("--path")
      .Excludes("--span")
      .Excludes("--from")
      .Excludes("--to");
  command.Add("--margin", options->margin, "With --around: how much before and after it")
      .Type("TIME")
      .Needs("--around")
      .ShowDefault();
  command.Footer(
      "Without --from and --to the whole trace is drawn; some milliseconds show more.\n"
      "\n"
      "Examples:\n"
      "  fxt draw --from 1s --to 1.02s trace.fxt -o strip.svg\n"
      "  fxt draw --from 1s --to 1.02s --thread 'nginx*' trace.fxt -o strip.png\n"
      "  fxt draw --span request --slowest 1 trace.fxt -o slowest.svg\n"
      "  fxt draw --around 2.7031s --margin 5ms --dark --width 1800 trace.fxt -o strip.svg");
  command.OnRun([options, &exit_code] { exit_code = RunDraw(*options); });
}

}  // namespace tools
