// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/check/checker.h"

#include <fmt/format.h>

#include "analyze/check/layout_checker.h"
#include "analyze/check/recorder_checker.h"
#include "analyze/check/rules.h"
#include "facts/kernel_sections.h"
#include "facts/read_loop.h"
#include "facts/span_tracker.h"
#include "fxt/reader.h"
#include "fxt/utf8.h"

namespace analyze {
namespace {

constexpr uint64_t kProgressStep = 65'536;  // records

const Rule& RuleOf(fxt::DiagnosticKind kind) {
  switch (kind) {
    case fxt::DiagnosticKind::kUndefinedString:
      return rules::kUndefinedString;
    case fxt::DiagnosticKind::kUndefinedThread:
      return rules::kUndefinedThread;
    case fxt::DiagnosticKind::kUnknownProvider:
      return rules::kUnknownProvider;
    case fxt::DiagnosticKind::kTableLimit:
      return rules::kTableLimit;
    case fxt::DiagnosticKind::kTruncatedRecord:
    case fxt::DiagnosticKind::kTruncatedSource:
      return rules::kTruncated;
    case fxt::DiagnosticKind::kSizeZero:
      return rules::kFraming;
    default:
      return fxt::ClassOf(kind) == fxt::DiagnosticClass::kUnknown ? rules::kUnknownType
                                                                  : rules::kMalformed;
  }
}

Finding ToFinding(const fxt::Diagnostic& diagnostic) {
  const Rule& rule = RuleOf(diagnostic.kind);
  return {diagnostic.offset, rule.severity, rule.id,
          fmt::format("{} ({})", fxt::Describe(diagnostic.kind), diagnostic.value)};
}

// Open spans at the end of a trace are no finding: recording stopped.
void CheckSpan(facts::SpanTracker& spans, uint64_t owner, const fxt::Event& event, uint64_t offset,
               const FindingHandler& report) {
  const auto lone = [&](const Rule& rule, std::string_view what) {
    report({offset, rule.severity, rule.id,
            fmt::format("{} \"{}\" without a begin", what, fxt::ToValidUtf8(event.name.text))});
  };
  switch (spans.Note(owner, event)) {
    case facts::SpanTracker::Verdict::kFits:
      break;
    case facts::SpanTracker::Verdict::kLoneDurationEnd:
      lone(rules::kUnmatchedEnd, "end of the duration");
      break;
    case facts::SpanTracker::Verdict::kLoneAsync:
      lone(rules::kUnmatchedEnd, "part of the async operation");
      break;
    case facts::SpanTracker::Verdict::kLoneFlow:
      lone(rules::kUnmatchedFlow, "part of the flow");
      break;
  }
}

}  // namespace

CheckResult CheckTrace(fxt::ByteSource& source, const CheckOptions& options,
                       const FindingHandler& on_finding) {
  CheckResult result;
  const FindingHandler report = [&](const Finding& finding) {
    ++(finding.severity == Severity::kError ? result.errors : result.warnings);
    ++result.by_rule[finding.rule];
    on_finding(finding);
  };
  fxt::ReaderOptions reader_options;
  reader_options.max_diagnostics = 0;
  reader_options.max_table_bytes = options.max_table_bytes;
  reader_options.on_diagnostic = [&](const fxt::Diagnostic& d) { report(ToFinding(d)); };
  fxt::Reader reader(source, reader_options);
  LayoutChecker layout(report);
  facts::KernelSections sections;
  facts::SpanTracker spans(options.max_span_bytes);
  RecorderChecker recorder(report);
  while (facts::NextRecord(reader) == fxt::ReadStatus::kRecord) {
    ++result.records;
    layout.Check(reader);
    const uint64_t owner = sections.OwnerOf(reader.provider());
    if (const auto* event = std::get_if<fxt::Event>(&reader.record())) {
      CheckSpan(spans, owner, *event, reader.offset(), report);
    }
    if (options.recorder_rules) recorder.Check(reader);
    if (options.on_progress && result.records % kProgressStep == 0) {
      options.on_progress(reader.position());
    }
  }
  if (spans.left_out() != 0) {
    report({reader.position(), rules::kSpanLimit.severity, rules::kSpanLimit.id,
            fmt::format("{} begins exceed the memory limit; their ends are not checked",
                        spans.left_out())});
  }
  // A record of size 0 is a finding; everything before it was checked.
  if (reader.error() != fxt::ReadError::kNone && reader.error() != fxt::ReadError::kSizeZero) {
    result.unreadable = reader.error_message();
  }
  if (options.recorder_rules) recorder.Finish();
  return result;
}

}  // namespace analyze
