// SPDX-License-Identifier: BSD-2-Clause
// fxt: tools for files in the Fuchsia Trace Format.

#include <csignal>
#include <exception>

#include "tools/fxt/commands.h"
#include "tools/fxt/support/lost_input.h"

namespace tools {
namespace {

constexpr AddCommand kCommands[] = {
    AddInfo,   AddCheck, AddDump,   AddJson, AddTrim,  AddRecover,   AddImport,
    AddMerge,  AddLbr,   AddReport, AddDiff, AddFlame, AddSummarize, AddQuery,
    AddExport, AddPath,  AddDraw,   AddOpen, AddView,
};

constexpr const char* kDescription =
    "Analyses, checks and converts files in the Fuchsia Trace Format (FXT), those of fxt-record "
    "and\n"
    "of any other program. A FILE may be gzip, and - is standard input.";

constexpr const char* kExamples =
    "Examples:\n"
    "  fxt info trace.fxt                         show its contents\n"
    "  fxt check trace.fxt.gz                     look for errors\n"
    "  fxt dump --type switch --thread bash trace.fxt\n"
    "  fxt json --cpu-slices trace.fxt -o trace.json\n"
    "  fxt trim --from 1s --to 1.2s trace.fxt -o part.fxt\n"
    "  fxt recover damaged.fxt -o saved.fxt\n"
    "  fxt import trace.json -o trace.fxt         convert another tool's file\n"
    "  fxt merge trace.fxt app.json -o all.fxt    add a program's own trace\n"
    "  fxt lbr trace.fxt                          last branches of the CPU\n"
    "  fxt report trace.fxt                       where time went, and the causes of waits\n"
    "  fxt diff base/ new/                        what got slower, and why\n"
    "  fxt summarize trace.fxt -o trace.fxs       its summary, for comparisons\n"
    "  fxt query trace.fxt 'SELECT * FROM waits ORDER BY dur DESC LIMIT 10'\n"
    "  fxt export trace.fxt -o trace.db           its tables for other programs\n"
    "  fxt path --span request trace.fxt          where the time of requests went\n"
    "  fxt draw --from 1s --to 1.02s trace.fxt -o strip.svg\n"
    "  fxt view trace.fxt                         in the browser, without the network\n"
    "  fxt open trace.fxt                         in Perfetto's viewer\n"
    "\n"
    "See `fxt COMMAND --help` and fxt(1).\n"
    "Exit status: 0 success, 1 findings (check), 2 unreadable input, unwritable output or a wrong\n"
    "command line, 3 something got worse (diff --fail).";

// Names of commands in perf, trace-cmd and other tools.
constexpr const char* kOtherNames[][2] = {
    {"annotate", "fxt lbr shows branches by function and line, fxt flame where time is spent"},
    {"compare", "fxt diff compares two sets of captures"},
    {"convert", "fxt export writes tables or a Perfetto trace, fxt json Trace Event JSON"},
    {"hist",
     "fxt report --json has distributions; fxt query has histogram(value) and quantile(value, q)"},
    {"list", "fxt-record --list-categories and --list-events list what can be recorded"},
    {"record", "sudo fxt-record records; fxt works on files"},
    {"sched", "fxt report shows who waited for a CPU and who held it"},
    {"script", "fxt dump prints a line per record"},
    {"show", "fxt info shows the contents of a trace, fxt dump its records"},
    {"sql", "fxt query takes SQL"},
    {"stat", "fxt info counts what is in a trace, fxt report sums where time went"},
    {"timechart", "fxt view shows CPUs and threads over time in the browser, fxt draw draws them"},
    {"timeline", "fxt view shows CPUs and threads over time in the browser, fxt draw draws them"},
    {"top", "fxt report shows the busiest threads, fxt flame the busiest functions"},
    {"trace",
     "fxt dump --type event prints events; sudo fxt-record -c syscall records system calls"},
};

int Run(int argc, char** argv) {
  // A closed pipe becomes an error of write(), which ends the program without a message.
  std::signal(SIGPIPE, SIG_IGN);
  FailOnLostInput();
  int exit_code = kExitOk;
  Program program(kProgram, kDescription, "fxt " FXT_RECORD_VERSION);
  program.Footer(kExamples);
  program.RequireSubcommand();
  for (const auto& [word, hint] : kOtherNames) program.AddHint(word, hint);
  for (const AddCommand add : kCommands) add(program, exit_code);
  const auto parsed = program.Parse(argc, argv);
  return parsed ? exit_code : Fail(parsed.error());
}

}  // namespace
}  // namespace tools

int main(int argc, char** argv) {
  try {
    return tools::Run(argc, argv);
  } catch (const std::exception& error) {
    // The only remaining cause is lack of memory.
    return tools::Fail({error.what(), ""});
  }
}
