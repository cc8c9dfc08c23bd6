// SPDX-License-Identifier: BSD-2-Clause
#include <fmt/format.h>
#include <unistd.h>

#include <map>
#include <memory>
#include <vector>

#include "analyze/check/checker.h"
#include "analyze/check/rules.h"
#include "source/input.h"
#include "text/clean_text.h"
#include "text/json_writer.h"
#include "text/text_writer.h"
#include "tools/fxt/commands.h"
#include "tools/fxt/support/progress.h"

namespace tools {
namespace {

using analyze::Finding;
using analyze::Severity;
using text::CleanText;

struct CheckCommandOptions {
  std::vector<std::string> files;
  bool json = false;
  bool format_only = false;
  bool list_rules = false;
  uint64_t max = 20;
};

std::string_view NameOf(Severity severity) {
  return severity == Severity::kError ? "error" : "warning";
}

void PrintText(text::TextWriter& out, const std::string& file, const Finding& finding) {
  out.Print("{}: byte {}: {}: {}: {}\n", text::CleanText(file), finding.offset,
            NameOf(finding.severity), finding.rule, text::CleanText(finding.message));
}

void PrintJson(text::TextWriter& out, const std::string& file, const Finding& finding) {
  text::JsonWriter json(out.buffer());
  json.BeginObject().Key("file").String(file).Key("offset").Unsigned(finding.offset);
  json.Key("severity").String(NameOf(finding.severity)).Key("rule").String(finding.rule);
  json.Key("message").String(finding.message).EndObject();
  out.Append("\n");
}

int CheckFile(const std::string& file, const CheckCommandOptions& options, text::TextWriter& out) {
  auto source = source::OpenInput(file);
  if (!source) return Fail(source.error());
  Progress progress("fxt check: " + file, **source);
  analyze::CheckOptions check_options;
  check_options.recorder_rules = !options.format_only;
  check_options.on_progress = [&](uint64_t bytes) { progress.Update(bytes); };
  std::map<std::string_view, uint64_t> printed;
  const analyze::CheckResult result =
      analyze::CheckTrace(**source, check_options, [&](const Finding& finding) {
        if (options.max != 0 && printed[finding.rule]++ >= options.max) return;
        if (options.json) {
          PrintJson(out, file, finding);
        } else {
          PrintText(out, file, finding);
        }
      });
  progress.Clear();
  if (!options.json) {
    for (const auto& [rule, count] : result.by_rule) {
      if (options.max != 0 && count > options.max) {
        out.Print("{}: ... {} more of {}\n", CleanText(file), count - options.max, rule);
      }
    }
    out.Print("{}: {} records, {} errors, {} warnings\n", CleanText(file), result.records,
              result.errors, result.warnings);
  }
  if (!result.unreadable.empty()) {
    out.Flush();
    return Fail({fmt::format("{}: {}", file, result.unreadable), ""});
  }
  return result.clean() ? kExitOk : kExitFindings;
}

int ListRules() {
  text::TextWriter out(STDOUT_FILENO, "standard output");
  for (const analyze::Rule& rule : analyze::Rules()) {
    out.Print("{:<23} {:<8} {}\n", rule.id, NameOf(rule.severity), rule.text);
  }
  const auto status = out.Finish();
  return status ? kExitOk : Fail(status.error());
}

int RunCheck(const CheckCommandOptions& options) {
  if (options.list_rules) return ListRules();
  if (options.files.empty()) return Fail({"no file named", "fxt check FILE..."});
  text::TextWriter out(STDOUT_FILENO, "standard output");
  int exit_code = kExitOk;
  for (const std::string& file : options.files) {
    exit_code = std::max(exit_code, CheckFile(file, options, out));
    if (out.failed()) break;
  }
  const auto status = out.Finish();
  return status ? exit_code : Fail(status.error());
}

}  // namespace

void AddCheck(const Command& program, int& exit_code) {
  auto options = std::make_shared<CheckCommandOptions>();
  const Command command = program.AddSubcommand(
      "check",
      "Check a trace against the format and, if fxt-record wrote it, against fxt-record's rules");
  command.Add("FILE", options->files, "Traces; - is standard input");
  command.Add("--json", options->json, "One JSON object per finding and line");
  command.Add("--format-only", options->format_only, "Skip the rules of fxt-record's own files");
  command.Add("--list-rules", options->list_rules, "Print the rules and exit");
  command.Add("--max", options->max, "Findings to print per rule; 0 prints all")
      .Type("N")
      .ShowDefault();
  command.Footer(
      "Each finding has the byte offset of its record in the uncompressed stream, a severity and "
      "a\n"
      "rule. Exit status: 0 no findings, 1 findings, 2 unreadable.\n"
      "\n"
      "Examples:\n"
      "  fxt check trace.fxt && echo sound\n"
      "  fxt check --format-only other-tool.fxt\n"
      "  fxt check --json --max 0 trace.fxt | jq -r .rule | sort | uniq -c");
  command.OnRun([options, &exit_code] { exit_code = RunCheck(*options); });
}

}  // namespace tools
