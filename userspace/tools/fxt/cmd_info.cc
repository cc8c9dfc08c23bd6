// SPDX-License-Identifier: BSD-2-Clause
#include <fmt/format.h>

#include <memory>
#include <vector>

#include "analyze/show/overview.h"
#include "analyze/show/overview_report.h"
#include "source/input.h"
#include "text/text_writer.h"
#include "tools/fxt/commands.h"
#include "tools/fxt/support/read_loop.h"

namespace tools {
namespace {

struct InfoOptions {
  std::vector<std::string> files;
  bool json = false;
  bool settings = false;
  size_t top = 10;
};

int InfoOf(const std::string& file, const InfoOptions& options, text::TextWriter& out) {
  auto source = source::OpenInput(file);
  if (!source) return Fail(source.error());
  fxt::ReaderOptions reader_options;
  reader_options.max_diagnostics = 1;
  fxt::Reader reader(**source, reader_options);
  Progress progress("fxt info: " + file, **source);
  analyze::OverviewBuilder builder(options.settings);
  ReadAll(reader, progress, builder);
  progress.Clear();
  const analyze::Overview overview = builder.Finish(reader);
  // An error at the first bytes means no trace; after a later error the part before it is shown.
  if (overview.records == 0 && !overview.error.empty()) {
    return Fail({fmt::format("{}: {}", file, overview.error), ""});
  }
  out.Append(options.json       ? analyze::OverviewJson(file, overview)
             : options.settings ? analyze::SettingsText(file, overview)
                                : analyze::OverviewText(file, overview, options.top));
  if (!overview.error.empty()) return Fail({fmt::format("{}: {}", file, overview.error), ""});
  return kExitOk;
}

int RunInfo(const InfoOptions& options) {
  text::TextWriter out(STDOUT_FILENO, "standard output");
  int exit_code = kExitOk;
  const bool list = options.json && options.files.size() > 1;
  if (list) out.Append("[\n");
  for (size_t i = 0; i < options.files.size() && !out.failed(); ++i) {
    if (i != 0) out.Append(list ? ",\n" : "\n");
    const int code = InfoOf(options.files[i], options, out);
    if (code != kExitOk && list) out.Append("null");
    exit_code = std::max(exit_code, code);
  }
  if (options.json) out.Append(list ? "\n]\n" : "\n");
  const auto status = out.Finish();
  return status ? exit_code : Fail(status.error());
}

}  // namespace

void AddInfo(const Command& program, int& exit_code) {
  auto options = std::make_shared<InfoOptions>();
  const Command command =
      program.AddSubcommand("info",
                            "Show the contents of a trace: duration, records by kind, CPUs, "
                            "threads, categories, blobs, losses, how "
                            "it was recorded");
  command.Add("FILE", options->files, "Traces; - is standard input").Required();
  command.Add("--json", options->json, "One JSON object (a list of them for several files)");
  command.Add(
      "--settings", options->settings,
      "Show the settings of the kernel, cgroups, processes and the command; with --json as a "
      "further member");
  command.Add("--top", options->top, "How many threads and processes to list")
      .Type("N")
      .ShowDefault();
  command.Footer(
      "Examples:\n"
      "  fxt info trace.fxt\n"
      "  fxt info --settings trace.fxt\n"
      "  fxt info --json trace.fxt.gz | jq .lost_events\n"
      "  ssh host cat trace.fxt | fxt info -");
  command.OnRun([options, &exit_code] { exit_code = RunInfo(*options); });
}

}  // namespace tools
