// SPDX-License-Identifier: BSD-2-Clause
#include <fmt/format.h>
#include <unistd.h>

#include <memory>

#include "analyze/show/dump.h"
#include "facts/scheduling.h"
#include "facts/timeline/cpu_tracker.h"
#include "source/input.h"
#include "text/text_writer.h"
#include "tools/fxt/commands.h"
#include "tools/fxt/support/filter_options.h"
#include "tools/fxt/support/read_loop.h"

namespace tools {
namespace {

struct DumpCommandOptions {
  std::string file;
  analyze::DumpOptions dump;
  bool relative = false;
  bool absolute = false;
  FilterOptions filter;
};

int RunDump(const DumpCommandOptions& options) {
  auto filter = options.filter.Make();
  if (!filter) return Fail(filter.error());
  auto source = source::OpenInput(options.file);
  if (!source) return Fail(source.error());
  fxt::Reader reader(**source);
  Progress progress("fxt dump: " + options.file, **source);
  text::TextWriter out(STDOUT_FILENO, "standard output");
  analyze::DumpOptions dump = options.dump;
  dump.relative = dump.json ? options.relative : !options.absolute;
  analyze::Dumper dumper(dump);
  facts::CpuTracker cpus;
  ReadAll(reader, progress, [&] {
    dumper.Note(reader);
    if (!filter->time.started()) {
      const auto time = facts::TimeOf(reader.record(), reader.provider());
      if (time) filter->time.SetStart(*time);
    }
    if (filter->Matches(reader, dumper.names(), cpus.CpuOf(reader))) {
      dumper.Print(reader, out.buffer());
      out.FlushIfFull();
    }
    cpus.Note(reader);
    return !out.failed();
  });
  progress.Clear();
  if (const auto status = out.Finish(); !status) return Fail(status.error());
  if (out.closed_by_reader()) return kExitOk;
  WarnAboutDamage(options.file, reader);
  if (reader.error() != fxt::ReadError::kNone) {
    return Fail({fmt::format("{}: {}", options.file, reader.error_message()), ""});
  }
  return kExitOk;
}

}  // namespace

void AddDump(const Command& program, int& exit_code) {
  auto options = std::make_shared<DumpCommandOptions>();
  const Command command =
      program.AddSubcommand("dump", "Print a line per record, with names instead of references");
  command.Add("FILE", options->file, "A trace; - is standard input").Required();
  options->filter.AddKindsTo(command);
  options->filter.AddTo(command);
  command.Add("--json", options->dump.json, "A JSON object per line");
  command.Add("--raw", options->dump.raw, "Also byte offset and words of each record");
  command.Add("--relative", options->relative,
              "Times since the first record with a time (the default without --json)");
  command
      .Add("--absolute", options->absolute, "Times of the trace's clock (the default with --json)")
      .Excludes("--relative");
  command.Footer(
      "A line has the time in seconds from the start of the trace, the kind of record, and\n"
      "name=value pairs. Threads are name[process/thread]; out_state is the Linux state and, in "
      "brackets, that of the format.\n"
      "\n"
      "Examples:\n"
      "  fxt dump trace.fxt | less\n"
      "  fxt dump --type switch,wakeup --thread 'postgres*' trace.fxt\n"
      "  fxt dump --type log trace.fxt.gz\n"
      "  fxt dump --from 1s --to 1.01s --cpu 3 trace.fxt\n"
      "  fxt dump --json --type counter trace.fxt | jq .args\n"
      "  fxt dump --raw trace.fxt | head");
  command.OnRun([options, &exit_code] { exit_code = RunDump(*options); });
}

}  // namespace tools
