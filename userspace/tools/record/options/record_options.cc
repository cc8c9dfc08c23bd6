// SPDX-License-Identifier: BSD-2-Clause
#include "tools/record/options/record_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <string_view>

#include "capture/bpf/bpf_programs.h"
#include "control/server/control_socket.h"
#include "output/name_pattern.h"
#include "tools/common/command_line.h"
#include "tools/common/message.h"
#include "tools/record/options/provider_categories.h"
#include "tools/record/options/source_words.h"
#include "tools/record/options/task_options.h"
#include "util/quantity.h"

namespace tools {
namespace {

// Names of options in perf and trace-cmd.
constexpr const char* kOtherNames[][2] = {
    {"-F", "--stack-frequency N samples stacks N times a second, with -c default,stack"},
    {"--freq", "--stack-frequency N samples stacks N times a second, with -c default,stack"},
    {"-g", "-c default,stack records call stacks"},
    {"--call-graph", "-c default,stack records call stacks"},
    {"-a", "all CPUs are recorded in any case; a command limits the time"},
    {"--all-cpus", "all CPUs are recorded in any case; a command limits the time"},
    {"-m", "-b SIZE sets the size of each CPU's ring"},
    {"--mmap-pages", "-b SIZE sets the size of each CPU's ring"},
    {"-M", "all CPUs are recorded; --pid, --tid, --comm and --cgroup choose tasks"},
    {"-C", "all CPUs are recorded; --pid, --tid, --comm and --cgroup choose tasks"},
    {"--cpu", "all CPUs are recorded; --pid, --tid, --comm and --cgroup choose tasks"},
    {"--overwrite", "--circular SIZE keeps the newest events in memory"},
    {"--switch-output", "--rotate 60s,1G begins a new file after a time or size"},
    {"--delay",
     "fxt-record start and stop begin and end a recording in the background; see fxt-record start "
     "--help"},
};

constexpr const char* kDescription =
    "fxt-record records the whole machine into a Fuchsia Trace Format file, which\n"
    "https://ui.perfetto.dev opens. With a command it records until the command ends:\n"
    "fxt-record [options] [-- command [args]]";

constexpr const char* kExamples =
    "Examples:\n"
    "  sudo fxt-record                          until Ctrl-C, into trace.fxt\n"
    "  sudo fxt-record -d 10s -o boot.fxt.gz    ten seconds, compressed\n"
    "  sudo fxt-record -- make -j8              as long as the command runs\n"
    "  sudo fxt-record --as-caller -- make -j8  ... run by you, not by root\n"
    "  sudo fxt-record -c default,irq,softirq   interrupts as well\n"
    "  sudo fxt-record -c sched,syscall:futex,read --comm postgres\n"
    "  sudo fxt-record -d 2s -o - | fxt info -  into a pipe\n"
    "\n"
    "Exit status: that of the command, if there is one; else 0, also after Ctrl-C. 1 when the\n"
    "recording failed, 2 for a wrong command line, 126 or 127 when the command cannot be run.\n"
    "\n"
    "Events that do not fit the buffers are counted as lost; the file has the time of each loss.\n"
    "See fxt-record(1) for everything else.";

// A size has the letter of one, as in 1G; 60s and 2m are times.
util::Status TakeRotation(const Program& program, const std::string& text, RecordOptions& options) {
  if (!program.Has("--rotate")) {
    if (!program.Has("--keep")) return util::Ok();
    return util::Error{"--keep needs --rotate", ""};
  }
  if (program.Has("--stats-json")) {
    return util::Error{"--stats-json does not go with --rotate", ""};
  }
  for (size_t begin = 0; begin <= text.size();) {
    const size_t comma = std::min(text.find(',', begin), text.size());
    const std::string limit = text.substr(begin, comma - begin);
    begin = comma + 1;
    const bool is_size = limit.find_first_of("KMGTB") != std::string::npos;
    const auto value = is_size ? util::ParseSize(limit) : util::ParseDuration(limit);
    if (!value) return value.error();
    (is_size ? options.rotate_bytes : options.rotate_time) = *value;
  }
  constexpr uint64_t kLeastTime = 1'000'000'000;
  constexpr uint64_t kLeastBytes = 64 << 10;
  if ((options.rotate_time != 0 && options.rotate_time < kLeastTime) ||
      (options.rotate_bytes != 0 && options.rotate_bytes < kLeastBytes)) {
    return util::Error{fmt::format("--rotate {}: a file has at least a second or 64K", text), ""};
  }
  const auto names = output::NamePattern::Parse(options.output);
  if (!names) return names.error();
  if (options.output == "-" || !names->is_unique()) {
    return util::Error{"--rotate needs a different name for each file",
                       "-o 'day-%t.fxt': %t is the time, %n a number"};
  }
  return util::Ok();
}

struct Buffering {
  const std::string& circular;
  const std::string& oneshot;
  const std::vector<std::string>& triggers;
  const std::string& before;
  const std::string& after;
  const std::string& socket;
};

util::Status TakeBuffering(const Program& program, const Buffering& given, RecordOptions& options) {
  options.oneshot = program.Has("--oneshot");
  if (options.oneshot || program.Has("--circular")) {
    auto size = util::ParseSize(options.oneshot ? given.oneshot : given.circular);
    if (!size) return size.TakeError();
    options.memory_bytes = *size;
    for (const char* other : {"--buffer-size", "--stats-json"}) {
      if (!program.Has(other)) continue;
      return util::Error{fmt::format("{} does not go with --circular and --oneshot", other), ""};
    }
  }
  for (const std::string& text : given.triggers) {
    if (options.memory_bytes == 0 || options.oneshot) {
      return util::Error{"--trigger needs --circular",
                         "fxt-record --circular 64M --trigger 'wakeup_latency > 20ms'"};
    }
    auto trigger = session::ParseTrigger(text);
    if (!trigger) return trigger.TakeError();
    options.triggers.push_back(std::move(*trigger));
  }
  const auto take = [&](const char* option, const std::string& text, uint64_t* time) {
    if (!program.Has(option)) return util::Ok();
    if (options.triggers.empty()) {
      return util::Status(util::Error{fmt::format("{} needs --trigger", option), ""});
    }
    auto value = util::ParseDuration(text);
    if (!value) return util::Status(value.TakeError());
    *time = *value;
    return util::Ok();
  };
  if (auto status = take("--before", given.before, &options.before); !status) return status;
  if (auto status = take("--after", given.after, &options.after); !status) return status;
  const bool waits_for_alerts = std::ranges::any_of(options.triggers, [](const auto& trigger) {
    return trigger.kind == session::TriggerKind::kAlert;
  });
  if (waits_for_alerts || options.providers) {
    options.socket = given.socket;
  } else if (program.Has("--socket")) {
    return util::Error{"--socket needs --trigger 'alert NAME', or --providers",
                       "the socket receives alerts; fxt-record start begins a session"};
  }
  return util::Ok();
}

util::Status CheckSymbols(const RecordOptions& options) {
  if (options.symbols && !options.categories.wanted.test(FXR_CATEGORY_STACK)) {
    return util::Error{"--symbols needs category stack: it names the functions of stacks",
                       "fxt-record -c default,stack --symbols"};
  }
  if (options.jvm && !options.symbols) {
    return util::Error{"--jvm needs --symbols", "fxt-record -c default,stack --symbols --jvm"};
  }
  if (options.symbols && (options.memory_bytes != 0 || options.rotates())) {
    return util::Error{"--symbols does not go with --circular, --oneshot and --rotate", ""};
  }
  return util::Ok();
}

}  // namespace

ParsedOptions ParseRecordOptions(int argc, char** argv) {
  ParsedOptions parsed;
  RecordOptions& options = parsed.options;
  std::string duration;
  std::string categories;
  std::string buffer_size;
  uint64_t lbr_frequency = 0;
  uint64_t lbr_period = 0;
  std::string lbr_filter;
  std::string rotate;
  std::string circular;
  std::string oneshot;
  std::vector<std::string> triggers;
  std::string before;
  std::string after;
  std::string socket = control::SocketPath();
  std::string stack_min;
  SourceWords sources;

  Program program("fxt-record", kDescription, "fxt-record " FXT_RECORD_VERSION);
  program.Footer(kExamples);
  program.OptionsFirst();
  program.Add("-o,--output", options.output, "File to write; - is standard output")
      .Type("FILE")
      .ShowDefault();
  program.Add("-d,--duration", duration, "How long to record: 10s, 500ms, 2m").Type("TIME");
  program
      .Add("-c,--categories", categories,
           "What to record: a list of categories, default, all, or syscall:NAME,NAME "
           "(--list-categories shows them)")
      .Type("LIST");
  program
      .Add("-b,--buffer-size", buffer_size,
           "Size of each CPU's ring: 4K to 1G, rounded up to a power of two (by default 8M, "
           "less with more than 16 CPUs)")
      .Type("SIZE");
  program.Add("-z,--gzip", options.gzip, "Compress the file (also by a name that ends in .gz)");
  program
      .Add("--circular", circular,
           "Keep the newest events in this much memory; --trigger and SIGUSR1 write a file, and so "
           "does the end of a recording without a trigger")
      .Type("SIZE");
  program
      .Add("--oneshot", oneshot, "The same, but stop when the memory is full (excludes --circular)")
      .Type("SIZE")
      .Excludes("--circular");
  program
      .Add("--trigger", triggers,
           "With --circular: write a file when this happens, as in 'wakeup_latency > 20ms', "
           "'off_cpu > 1s comm=db', 'exit != 0', 'psi cpu some 20% 1s' (may be repeated; "
           "fxt-record(1) lists them)")
      .Type("WHEN");
  program
      .Add("--before", before,
           "With --trigger: how much time before the trigger its file has (by default all that is "
           "in memory)")
      .Type("TIME");
  program
      .Add("--after", after,
           "With --trigger: how much time after the trigger its file has (by default nothing)")
      .Type("TIME");
  program
      .Add("--socket", socket,
           "With --trigger 'alert NAME' and --providers: the socket that fxt-record alert and "
           "providers connect to")
      .Type("PATH")
      .ShowDefault();
  program.Add("--providers", options.providers,
              "Also record providers: programs that link libfxt-provider, and fxt-mark");
  program
      .Add("--rotate", rotate,
           "Begin a new file after this time or size, or the first of both: 60s,1G; the name in -o "
           "has %t (the time) or %n (a number)")
      .Type("LIMITS")
      .Excludes("--circular")
      .Excludes("--oneshot");
  program.Add("--keep", options.keep, "With --rotate: remove all but the newest N files")
      .Type("N")
      .Range(1u, 1'000'000u);
  AddTaskOptions(program, options.tasks);
  program.Add("--only-command", options.only_command,
              "Record only events that involve the command and its descendants");
  program
      .Add("--lbr-frequency", lbr_frequency,
           "Category lbr: branch stacks per second and CPU (by default 1000)")
      .Type("N")
      .Range(1u, 1000000u);
  program
      .Add("--lbr-period", lbr_period,
           "Category lbr: a branch stack every N CPU cycles (excludes --lbr-frequency)")
      .Type("N")
      .Range(uint64_t{1000}, uint64_t{1} << 48)
      .Excludes("--lbr-frequency");
  program
      .Add("--lbr-filter", lbr_filter,
           "Category lbr: which branches the CPU keeps: user, kernel, any, call, return, cond, "
           "ind_call, ind_jump, ...")
      .Type("LIST");
  program
      .Add("--stack-min", stack_min,
           "Category stack: the shortest sleep whose stacks are recorded (by default 100us)")
      .Type("TIME");
  program
      .Add("--stack-frequency", options.stack.frequency,
           "Category stack: samples of running threads, per second and CPU (by default 99)")
      .Type("N")
      .Range(uint64_t{1}, capture::StackOptions::kMaxFrequency);
  program.Add("--symbols", options.symbols,
              "Category stack: at the end, write the names of the functions into the file, for "
              "reading on other machines");
  program.Add(
      "--jvm", options.jvm,
      "With --symbols: have Java virtual machines write the names of compiled code, by jcmd; "
      "those of the command when they exit");
  sources.Add(program);
  program
      .Add("-u,--user", options.user,
           "Run the command as this user, as sudo -u would; the recorder stays root")
      .Type("NAME");
  program
      .Add("--as-caller", options.as_caller,
           "Run the command as the user who called sudo (excludes --user)")
      .Excludes("--user");
  program
      .Add("--stats-json", options.stats_json,
           "Write the summary's numbers to this file; - is standard output")
      .Type("FILE");
  program.Add("-q,--quiet", options.quiet, "No progress, no summary; losses are still reported");
  program.Add("-v,--verbose", options.verbose, "Show messages of the BPF loader and the verifier");
  program.AddFlag(
      "--list-categories", options.list_categories,
      "List the categories, their costs, and whether this kernel has them. For scripts: =names "
      "prints a name, a tab and a description per line; =prices prints the name of a category or "
      "option, ns and bytes per event, and the event");

  program.AddFlag("--list-events", options.list_events,
                  "List tracepoints and their fields; --list-events 'sched:*' lists some of them");

  for (const auto& [word, hint] : kOtherNames) program.AddHint(word, hint);

  auto fail = [&](const util::Error& error) {
    PrintError("fxt-record", error);
    parsed.exit_code = kExitUsage;
    return parsed;
  };
  const auto wanted = program.Parse(argc, argv);
  if (!wanted) return fail(wanted.error());
  if (!*wanted) {
    parsed.exit_code = 0;
    return parsed;
  }
  if (program.Has("--list-categories") && options.list_categories != "true" &&
      options.list_categories != "names" && options.list_categories != "prices") {
    return fail(
        {fmt::format("--list-categories={}: there is no such list", options.list_categories),
         "write --list-categories, --list-categories=names or --list-categories=prices"});
  }
  options.command = program.Rest();
  if (program.Has("--list-events")) {
    // A word behind it is what it is to list.
    if (options.list_events == "true") {
      options.list_events = options.command.empty() ? "*" : options.command.front();
    }
    return parsed;
  }
  if (program.HasDashes() && options.command.empty()) {
    return fail({"there is no command after --", "without a command, leave out the --"});
  }
  if (!program.HasDashes() && !options.command.empty() &&
      options.command.front().starts_with("-")) {
    return fail(program.NoSuchOption(options.command.front()));
  }
  if (!program.HasDashes() && !options.command.empty() && options.command.front() == "record") {
    return fail(
        {"fxt-record has no subcommand 'record'",
         "fxt-record [options] [-- command]; to run a program of that name, put it after --"});
  }
  if (options.only_command && options.command.empty()) {
    return fail(
        {"--only-command without a command", "fxt-record --only-command -- COMMAND [ARGS]"});
  }
  if (program.Has("--duration")) {
    auto value = util::ParseDuration(duration);
    if (!value) return fail(value.error());
    options.duration = *value;
  }
  if (program.Has("--categories")) {
    std::vector<std::string> words = SplitAtCommas(categories);
    options.provider_categories = TakeProviderCategories(words);
    if (!options.provider_categories.empty() && !options.providers) {
      return fail({"category provider:NAME needs --providers",
                   "fxt-record --providers -c sched,provider:NAME"});
    }
    // One of programs' categories alone leaves the kernel's as they are.
    if (!words.empty() || options.provider_categories.empty()) {
      auto value = capture::ParseCategories(fmt::format("{}", fmt::join(words, ",")));
      if (!value) return fail(value.error());
      options.categories = *value;
    }
  }
  if (util::Status status = sources.Take(options); !status) return fail(status.error());
  if (lbr_frequency != 0) options.lbr.frequency = lbr_frequency;
  if (lbr_period != 0) options.lbr.period = lbr_period;
  if (!lbr_filter.empty()) {
    auto value = perf::ParseLbrFilter(lbr_filter);
    if (!value) return fail(value.error());
    options.lbr.filter = *value;
  }
  if (program.Has("--stack-min")) {
    auto value = util::ParseDuration(stack_min);
    if (!value) return fail(value.error());
    options.stack.min_sleep = *value;
  }
  if (program.Has("--buffer-size")) {
    auto value = util::ParseSize(buffer_size);
    if (!value) return fail(value.error());
    if (*value < capture::kMinRingBytes || *value > capture::kMaxRingBytes) {
      return fail({fmt::format("a buffer of {} is out of range", buffer_size),
                   "each CPU's ring has 4K to 1G"});
    }
    options.buffer_bytes = *value;
  }
  if (util::Status status =
          TakeBuffering(program, {circular, oneshot, triggers, before, after, socket}, options);
      !status) {
    return fail(status.error());
  }
  if (util::Status status = TakeRotation(program, rotate, options); !status) {
    return fail(status.error());
  }
  if (util::Status status = CheckSymbols(options); !status) return fail(status.error());
  if (program.Has("--user") && options.user.empty())
    return fail({"the name of the user is empty", ""});
  if (options.command.empty() && (options.as_caller || !options.user.empty())) {
    return fail({fmt::format("{} without a command", options.as_caller ? "--as-caller" : "--user"),
                 "fxt-record [options] -- command"});
  }
  if (options.output.empty()) return fail({"the name of the output is empty", ""});
  for (int i = 0; i < argc; ++i) {
    if (i > 0) options.command_line += ' ';
    options.command_line += argv[i];
  }
  if (options.output.ends_with(".gz")) options.gzip = true;
  return parsed;
}

}  // namespace tools
