// SPDX-License-Identifier: BSD-2-Clause
#include "tools/record/control/session_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "capture/bpf/category.h"
#include "output/name_pattern.h"
#include "session/trigger/trigger_spec.h"
#include "tools/record/options/provider_categories.h"
#include "tools/record/options/task_options.h"
#include "util/quantity.h"

namespace tools {
namespace {

constexpr uint64_t kMebibyte = uint64_t{1} << 20;

// In MiB, at least 1, as in the document.
util::Result<uint32_t> Megabytes(const std::string& size) {
  auto bytes = util::ParseSize(size);
  if (!bytes) return bytes.TakeError();
  const uint64_t megabytes = (*bytes + kMebibyte - 1) / kMebibyte;
  if (megabytes > UINT32_MAX) {
    return util::Error{fmt::format("a buffer of {} is too large", size), ""};
  }
  return static_cast<uint32_t>(megabytes);
}

}  // namespace

void SessionOptions::AddTo(const Command& command) {
  command
      .Add("--circular", circular,
           "Keep the newest events in a buffer of this size, all CPUs together")
      .Type("SIZE");
  command.Add("--oneshot", oneshot, "Stop when a buffer of this size is full")
      .Type("SIZE")
      .Excludes("--circular");
  command.Add("--streaming", streaming, "Write events to the file of -o as they come")
      .Excludes("--circular")
      .Excludes("--oneshot");
  command
      .Add("-o,--output", output,
           "With --streaming: file to write; with --trigger: files, %n is a number, %t the time")
      .Type("FILE");
  command
      .Add(
          "--trigger", triggers,
          "Write a file when this happens, such as 'wakeup_latency > 20ms' or 'alert NAME' (may be "
          "repeated)")
      .Type("CONDITION");
  command
      .Add("--before", before,
           "With --trigger: how much time before the trigger its file has (by default all that is "
           "in memory)")
      .Type("TIME");
  command
      .Add("--after", after,
           "With --trigger: how much time after the trigger its file has (by default nothing)")
      .Type("TIME");
  command
      .Add("-c,--categories", categories,
           "Categories to record (fxt-record --list-categories lists them)")
      .Type("LIST");
  AddTaskOptions(command, tasks);
  sources.Add(command);
}

util::Result<request::TraceConfig> SessionOptions::MakeConfig() const {
  request::TraceConfig config;
  config.buffering_mode = request::BufferingMode::kCircular;
  if (streaming) {
    config.buffering_mode = request::BufferingMode::kStreaming;
    if (output.empty()) {
      return util::Error{"--streaming without a file", "name it with -o FILE"};
    }
  } else if (!output.empty() && triggers.empty()) {
    return util::Error{"-o needs --streaming or --trigger",
                       "fxt-record snapshot and stop write the buffer of the other modes"};
  }
  const std::string& size = !oneshot.empty() ? oneshot : circular;
  if (!oneshot.empty()) config.buffering_mode = request::BufferingMode::kOneshot;
  if (!size.empty()) {
    auto megabytes = Megabytes(size);
    if (!megabytes) return megabytes.TakeError();
    config.buffer_size_megabytes_hint = *megabytes;
  }
  RecordOptions options;
  if (!categories.empty()) {
    // Checked here because this process can print the hint.
    std::vector<std::string> words = SplitAtCommas(categories);
    config.categories = words;
    TakeProviderCategories(words);
    if (!words.empty()) {
      auto parsed = capture::ParseCategories(fmt::format("{}", fmt::join(words, ",")));
      if (!parsed) return parsed.TakeError();
      options.categories = std::move(*parsed);
    }
  }
  if (util::Status status = sources.Take(options); !status) return status.TakeError();
  config.sources = std::move(options.sources);
  if (sources.wants_requests()) {
    if (!config.categories) config.categories.emplace(1, "default");
    config.categories->emplace_back("request");
  }
  if (tasks.any()) config.filter = tasks;
  return config;
}

util::Result<TriggerOptions> SessionOptions::MakeTriggers() const {
  TriggerOptions options;
  if (triggers.empty()) {
    if (before.empty() && after.empty()) return options;
    return util::Error{"--before and --after need --trigger", ""};
  }
  if (streaming)
    return util::Error{"--trigger needs --circular", "a streaming session writes all events"};
  if (output.empty()) {
    return util::Error{"--trigger without a file", "name it with -o, as in -o 'spike-%n.fxt'"};
  }
  for (const std::string& text : triggers) {
    auto trigger = session::ParseTrigger(text);
    if (!trigger) return trigger.TakeError();
    if (trigger->kind == session::TriggerKind::kExit) {
      return util::Error{
          fmt::format("the trigger '{}' needs a command, and a session has none", text),
          "fxt-record --circular 64M --trigger exit -- COMMAND"};
    }
    options.triggers.push_back(std::move(*trigger));
  }
  for (const auto& [given, value] :
       {std::pair(&before, &options.before), {&after, &options.after}}) {
    if (given->empty()) continue;
    auto duration = util::ParseDuration(*given);
    if (!duration) return duration.TakeError();
    *value = *duration;
  }
  auto names = output::NamePattern::Parse(output);
  if (!names) return names.TakeError();
  options.output = output;
  return options;
}

std::vector<std::string> SessionOptions::TriggerArguments() const {
  std::vector<std::string> arguments;
  if (triggers.empty()) return arguments;
  const auto add = [&arguments](const char* option, const std::string& value) {
    if (value.empty()) return;
    arguments.emplace_back(option);
    arguments.push_back(value);
  };
  for (const std::string& trigger : triggers) add("--trigger", trigger);
  add("--before", before);
  add("--after", after);
  add("-o", output);
  return arguments;
}

}  // namespace tools
