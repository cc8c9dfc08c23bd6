// SPDX-License-Identifier: BSD-2-Clause
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "analyze/document/render.h"
#include "analyze/flame/named_stacks.h"
#include "analyze/page/path_page.h"
#include "analyze/path/path_document.h"
#include "analyze/path/path_set.h"
#include "analyze/path/path_text.h"
#include "analyze/path/path_tracks.h"
#include "facts/scheduling.h"
#include "path/path_reader.h"
#include "path/request_choice.h"
#include "sink/open_sink.h"
#include "text/text_writer.h"
#include "tools/common/message.h"
#include "tools/fxt/commands.h"
#include "tools/fxt/support/filter_options.h"
#include "tools/fxt/support/output_file.h"
#include "tools/fxt/support/read_loop.h"
#include "tools/fxt/support/span_patterns.h"
#include "tools/fxt/support/symbol_options.h"
#include "tools/fxt/support/trace_input.h"

namespace tools {
namespace {

struct PathCommandOptions {
  std::string file;
  std::vector<std::string> spans;
  FilterOptions filter;
  uint64_t id = 0;
  std::string slow;
  bool json = false;
  bool folded = false;
  bool all_parts = false;
  std::string html;
  std::string output;
  uint64_t top = 10;
  bool lines = false;
  bool no_symbols = false;
  SymbolOptions symbol_files;

  analyze::LbrSymbolOptions Symbols() const {
    analyze::LbrSymbolOptions symbols = symbol_files.Make(!no_symbols);
    symbols.lines = lines;
    return symbols;
  }
};

// "p99" is 0.99.
util::Result<std::optional<double>> ParseSlow(const std::string& text) {
  if (text.empty()) return std::optional<double>();
  double percent = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data() + (text[0] == 'p' ? 1 : 0), end, percent);
  if (text[0] != 'p' || error != std::errc() || stop != end || !(percent >= 50 && percent < 100)) {
    return util::Error{fmt::format("--slow {} is not a quantile", text), "write p50 to p99.999"};
  }
  return std::optional(percent / 100);
}

// The first time in the trace.
util::Result<uint64_t> BeginOf(const TraceInput& input) {
  auto source = input.Open();
  if (!source) return source.TakeError();
  fxt::Reader reader(**source);
  while (facts::NextRecord(reader) == fxt::ReadStatus::kRecord) {
    if (const auto time = facts::TimeOf(reader.record(), reader.provider())) return *time;
  }
  if (reader.error() != fxt::ReadError::kNone) {
    return util::Error{fmt::format("{}: {}", input.path(), reader.error_message()), ""};
  }
  return util::Error{fmt::format("{}: nothing in it has a time", input.path()), ""};
}

// Copies the first `bytes` of the input, which are whole records.
util::Status CopyRecords(const TraceInput& input, uint64_t bytes, fxt::ByteSink& sink) {
  auto source = input.Open();
  if (!source) return source.TakeError();
  std::vector<std::byte> buffer(size_t{256} << 10);
  size_t filled = 0;
  while (bytes > 0) {
    const size_t room = std::min<uint64_t>(buffer.size() - filled, bytes);
    const auto read = (*source)->Read(std::span(buffer).subspan(filled, room));
    if (read.kind == fxt::ReadResult::Kind::kAgain) continue;
    if (read.kind != fxt::ReadResult::Kind::kBytes) {
      return util::Error{fmt::format("cannot read {} again", input.path()), ""};
    }
    filled += read.bytes;
    bytes -= read.bytes;
    // A sink takes whole words.
    const size_t whole = filled / fxt::kWordBytes * fxt::kWordBytes;
    if (!sink.Write(std::span(buffer).first(whole))) return util::Ok();  // its Close() says why
    std::copy(buffer.begin() + static_cast<ptrdiff_t>(whole),
              buffer.begin() + static_cast<ptrdiff_t>(filled), buffer.begin());
    filled -= whole;
  }
  return util::Ok();
}

class PathCommand {
 public:
  explicit PathCommand(const PathCommandOptions& options)
      : options_(options), stacks_(options.Symbols()) {}

  int Run() {
    for (const std::string* output : {&options_.output, &options_.html}) {
      if (auto differ = RefuseSameFile(options_.file, *output); !differ)
        return Fail(differ.error());
    }
    if (auto status = Prepare(); !status) return Fail(status.error());
    path::PathReader reader(choice_,
                            [&](const path::Request& request, std::span<const path::Part> parts) {
                              set_.Add(request, parts);
                              if (set_.is_full()) reader.LeaveOutParts();
                            });
    set_.SetBuilder(reader.builder());
    auto source = input_->Open();
    if (!source) return Fail(source.error());
    fxt::Reader records(**source);
    Progress progress("fxt path: " + options_.file, **source);
    Records all{*this, reader};
    ReadAll(records, progress, all);
    reader.Finish();
    progress.Clear();
    WarnAboutDamage(options_.file, records);
    const bool is_broken = records.error() != fxt::ReadError::kNone;
    if (set_.entries().empty()) {
      if (is_broken) return Fail({Message(records.error_message()), ""});
      return Fail(NothingFound(reader.builder()));
    }
    AddNotes(reader.builder());
    const int code = Write(records.position());
    if (code != kExitOk || !is_broken) return code;
    return Fail({Message(records.error_message()), ""});
  }

 private:
  // The consumer of the read loop. Takes note of providers.
  struct Records {
    PathCommand& command;
    path::PathReader& reader;

    void Add(const fxt::Reader& records) {
      if (const auto* provider = std::get_if<fxt::ProviderInfo>(&records.record())) {
        command.providers_.insert(provider->id);
      }
      if (!command.options_.no_symbols) command.stacks_.Note(records.record());
      reader.Add(records);
    }
    uint64_t AddFastPath(fxt::Reader& records, uint64_t most) {
      return reader.AddFastPath(records, most);
    }
  };

  std::string Message(const std::string& what) const {
    return fmt::format("{}: {}", options_.file, what);
  }

  util::Status Prepare() {
    const bool of_thread = !options_.filter.threads.empty();
    if (options_.spans.empty() == !of_thread) {
      return util::Error{"requests are selected by either --span or --thread",
                         "--span '*' selects all spans"};
    }
    if (options_.json && options_.folded) return util::Error{"--json and --folded at once", ""};
    auto slow = ParseSlow(options_.slow);
    if (!slow) return slow.TakeError();
    slow_ = *slow;
    auto filter = options_.filter.Make();
    if (!filter) return filter.TakeError();
    auto input = TraceInput::Prepare(options_.file);
    if (!input) return input.TakeError();
    input_.emplace(std::move(*input));
    const auto first = BeginOf(*input_);
    if (!first) return first.error();
    first_ = *first;
    filter->time.SetStart(first_);
    choice_.from = std::max(filter->time.from(), first_);
    choice_.to = filter->time.to();
    if (choice_.from >= choice_.to) {
      return util::Error{"there is nothing between --from and --to",
                         "times count from the first record"};
    }
    choice_.id = options_.id;
    choice_.arguments = path::KeptArguments::kTraceId;
    if (!options_.no_symbols) {
      choice_.name_stack = [this](fxt::Koid process, uint64_t stack) {
        return stacks_.InnermostOf(process, stack, kShownFrames);
      };
    }
    if (of_thread) {
      choice_.wants_thread = [threads = filter->threads](fxt::Koid koid, std::string_view name) {
        return threads.Matches(koid, name);
      };
    } else {
      // `--span request` takes what --requests recorded, whose names are those of services.
      const bool all_recorded =
          std::ranges::find(options_.spans, path::kRequestCategory) != options_.spans.end();
      choice_.wants_span = [this, all_recorded](std::string_view category, std::string_view name,
                                                bool of_kernel) {
        return MatchesSpan(options_.spans, category, name) ||
               (all_recorded && of_kernel && category == path::kRequestCategory);
      };
    }
    return util::Ok();
  }

  util::Error NothingFound(const path::PathBuilder& reader) const {
    if (!options_.filter.threads.empty()) {
      return {"none of those threads is in the trace in that time", "`fxt report` names threads"};
    }
    if (options_.id != 0) return {fmt::format("no request has the id {}", options_.id), ""};
    if (reader.without_end() != 0) {
      return {fmt::format("{} spans match, and none of them ends in the trace in that time",
                          reader.without_end()),
              ""};
    }
    return {"no span matches",
            "`fxt query FILE 'SELECT DISTINCT category, name FROM spans'` lists "
            "them; a pattern is for NAME or CATEGORY/NAME"};
  }

  void AddNotes(const path::PathBuilder& reader) {
    const uint64_t left_out = set_.left_out() + reader.left_out();
    if (left_out != 0) {
      auto note = fmt::format(
          "{} requests are left out, because their paths have too many parts: select fewer by "
          "--span, --from and --to",
          left_out);
      if (WritesText()) {
        notes_.push_back(std::move(note));
      } else {
        PrintNote(kProgram, "note: " + note);
      }
    }
    if (reader.without_end() != 0) {
      notes_.push_back(
          fmt::format("{} spans without an end in the trace are left out", reader.without_end()));
    }
    uint64_t unknown = 0;
    uint64_t all = 0;
    for (const auto& entry : set_.entries()) {
      all += entry.request.duration();
      for (const path::Part& part : entry.parts()) {
        if (part.kind == path::PartKind::kUnknown) unknown += part.length;
      }
    }
    if (unknown != 0) {
      notes_.push_back(
          fmt::format("{:.1f}% of the requests' time is unknown: losses, edges of the "
                      "trace, wakeups that are not in it",
                      100 * static_cast<double>(unknown) / static_cast<double>(all)));
    }
  }

  // For people; otherwise JSON, folded stacks or a trace.
  bool WritesText() const { return !options_.json && !options_.folded && options_.output.empty(); }

  int Write(uint64_t bytes) {
    const analyze::PathDocumentOptions document{.file = options_.file,
                                                .first = first_,
                                                .slow_from = slow_,
                                                .top = options_.top,
                                                .all_parts = options_.all_parts,
                                                .notes = notes_};
    if (!options_.html.empty()) {
      const auto written = WriteText(options_.html, [&](text::TextWriter& out) {
        out.Append(analyze::PathPage(set_, document));
      });
      if (!written) return FailOutput(options_.html, written.error());
    }
    if (!options_.output.empty() && !options_.json && !options_.folded) return WriteTrace(bytes);
    const std::string output = options_.output.empty() ? "-" : options_.output;
    const auto written = WriteText(output, [&](text::TextWriter& out) {
      if (options_.json) {
        analyze::WritePathJson(out, set_);
      } else if (options_.folded) {
        analyze::WritePathFolded(out, set_);
      } else {
        out.Append(analyze::document::RenderText(analyze::PathDocument(set_, document)));
      }
    });
    return written ? kExitOk : FailOutput(output, written.error());
  }

  template <typename Put>
  util::Status WriteText(const std::string& path, Put&& put) {
    auto out = text::TextWriter::Open(path, OutputLike(options_.file));
    if (!out) return out.TakeError();
    put(*out);
    return out->Finish();
  }

  int WriteTrace(uint64_t bytes) {
    uint32_t provider = 1;
    while (providers_.contains(provider) || providers_.contains(provider + 1)) ++provider;
    sink::SinkOptions sink_options;
    sink_options.path = options_.output;
    sink_options.file = OutputLike(options_.file);
    auto out = sink::OpenSink(sink_options);
    if (!out) return Fail(out.error());
    if (auto copied = CopyRecords(*input_, bytes, **out); !copied) return Fail(copied.error());
    analyze::WritePathTracks(**out, set_, provider);
    const auto status = (*out)->Close();
    return status ? kExitOk : FailOutput(options_.output, status.error());
  }

  // Frames of a stack that a part has.
  static constexpr size_t kShownFrames = 3;

  const PathCommandOptions& options_;
  analyze::NamedStacks stacks_;
  std::optional<TraceInput> input_;
  std::optional<double> slow_;
  path::PathOptions choice_;
  uint64_t first_ = 0;
  std::set<uint32_t> providers_;
  std::vector<std::string> notes_;
  analyze::PathSet set_;
};

}  // namespace

void AddPath(const Command& program, int& exit_code) {
  auto options = std::make_shared<PathCommandOptions>();
  const Command command = program.AddSubcommand(
      "path",
      "Show where the time of requests went: their critical paths over threads, CPUs and devices");
  command
      .Add("FILE", options->file, "A trace, or JSON of the Trace Event Format; - is standard input")
      .Required();
  command
      .Add("--span", options->spans,
           "Take spans of that NAME or CATEGORY/NAME as requests; * and ? match (may be repeated)")
      .Type("GLOB");
  command
      .Add("-t,--thread", options->filter.threads,
           "Take the time from --from to --to of this thread, by id or name, as a request")
      .Type("ID|NAME")
      .Commas();
  options->filter.AddTimesTo(command);
  command.Add("--id", options->id, "Only the request of that id").Type("N");
  command
      .Add("--slow", options->slow,
           "Compare the requests above a quantile, such as p99, with the median ones")
      .Type("pN");
  command.Add("--top", options->top, "Rows of each table; 0 is all").Type("N").ShowDefault();
  command.Add("--lines", options->lines,
              "Show frames as function (file.c:123), as `fxt flame --lines` does");
  command.Add("--no-symbols", options->no_symbols,
              "Read no executables; a stack is shown as its kernel function");
  options->symbol_files.AddTo(command);
  command.Add("--all-parts", options->all_parts,
              "Show each part of a long path, also short ones, which are summed up otherwise");
  command.Add("--json", options->json, "All requests with their parts as one JSON object");
  command.Add("--folded", options->folded, "Folded stacks of threads and parts, in ns");
  command.Add("--html", options->html, "Write a page with the slowest requests").Type("FILE");
  command
      .Add(
          "-o,--output", options->output,
          "File to write: the output of --json or --folded, otherwise a copy of the trace with the "
          "paths as tracks")
      .Type("FILE");
  command.Footer(
      "A path is followed backwards from the end of a request. From a sleep it goes on at the\n"
      "waker. Time that the trace does not explain is unknown. Categories syscall, block and\n"
      "stack:off say what a sleep waits for.\n"
      "\n"
      "Examples:\n"
      "  fxt path --span request trace.fxt\n"
      "  fxt path --span 'http/GET*' --slow p99 trace.fxt\n"
      "  fxt path --thread postgres --from 1.2s --to 1.9s trace.fxt\n"
      "  fxt path --span request --folded trace.fxt -o - | flamegraph.pl > path.svg\n"
      "  fxt path --span request trace.fxt -o path.fxt");
  command.OnRun([options, &exit_code] { exit_code = PathCommand(*options).Run(); });
}

}  // namespace tools
