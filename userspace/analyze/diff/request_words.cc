// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/diff/request_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "analyze/diff/row_words.h"
#include "measure/group_name.h"
#include "text/clean_text.h"

namespace analyze {
namespace {

using comparison::ComparisonRow;
using comparison::PartChange;
using comparison::RequestChange;
using comparison::Statistic;
using path::PartKind;

// Parts that are listed, and the least part of the change that each of them is.
constexpr size_t kPartsShown = 3;
constexpr double kLeastPartShown = 0.1;
// A cause is "of it" from the first part of the change on, and "all of it" up to the second: it is
// a mean, and the change may be one of a quantile.
constexpr double kMostOfIt = 0.5;
constexpr double kAllOfIt = 1.2;

// Times that are shown together have one unit.
struct TimeUnit {
  const char* name;
  double per_ms;
};
TimeUnit UnitFor(double largest_ms) {
  if (largest_ms >= 10'000) return {"s", 1e-3};
  return largest_ms >= 0.1 ? TimeUnit{"ms", 1} : TimeUnit{"us", 1e3};
}

std::string Time(double ms) {
  const TimeUnit unit = UnitFor(std::abs(ms));
  return fmt::format("{} {}", NumberWords(ms * unit.per_ms), unit.name);
}

// "4.10 → 16.4 ms".
std::string FromTo(double base_ms, double next_ms) {
  const TimeUnit unit = UnitFor(std::max(base_ms, next_ms));
  return fmt::format("{} → {} {}", NumberWords(base_ms * unit.per_ms),
                     NumberWords(next_ms * unit.per_ms), unit.name);
}

const char* StatisticWords(Statistic statistic) {
  switch (statistic) {
    case Statistic::kRequestP50:
      return "at p50";
    case Statistic::kRequestP90:
      return "at p90";
    case Statistic::kRequestP99:
      return "at p99";
    default:
      return "on average";
  }
}

// " in fsync (wal.log)"; empty if neither is known.
std::string InWords(const measure::PathPart& part) {
  const std::string what = text::CleanText(part.waited_for);
  const std::string object = text::CleanText(part.object);
  if (what.empty()) return object.empty() ? "" : " on " + object;
  return object.empty() ? " in " + what : fmt::format(" in {} ({})", what, object);
}

// The activity of a thread on the path.
std::string DoesWords(const measure::PathPart& part) {
  const std::string what = text::CleanText(part.waited_for);
  switch (part.kind) {
    case PartKind::kRunning:
      return "runs";
    case PartKind::kRunnable:
      if (what.empty()) return "waits for a CPU";
      return what == "idle CPU" ? "waits for a CPU that is idle"
                                : fmt::format("waits for a CPU that {} has", what);
    case PartKind::kThrottled:
      return "is throttled by the quota of its cgroup";
    case PartKind::kSleep:
      return "sleeps" + InWords(part);
    case PartKind::kBlocked:
      return "is blocked" + InWords(part);
    case PartKind::kDevice:
      return "waits for a device" + InWords(part);
    case PartKind::kTimer:
      return "sleeps until a timer" + InWords(part);
    case PartKind::kPeer:
      return "waits for another host" + InWords(part);
    case PartKind::kUnknown:
      break;
  }
  return "is in a state that is not known";
}

}  // namespace

std::string PartWords(const measure::PathPart& part) {
  if (part.is_own) return DoesWords(part);
  if (part.thread == measure::kOthers) {
    return fmt::format("is in other parts ({})", path::NameOf(part.kind));
  }
  std::string on;
  // For a running thread the part has the call in which the other thread waits.
  if (part.kind == PartKind::kRunning && !part.waited_for.empty()) {
    on = fmt::format(" ({}{}{})", text::CleanText(part.waited_for), part.object.empty() ? "" : " ",
                     text::CleanText(part.object));
  }
  return fmt::format("waits for {}{}, which {}", text::CleanText(part.thread), on, DoesWords(part));
}

std::string RequestClause(const comparison::DiffReport& report, const ComparisonRow& row) {
  const RequestChange& request = report.requests[*row.request];
  const double base = row.base.value / 1e3;
  const double next = row.next.value / 1e3;
  const bool longer = next > base;
  std::string words =
      fmt::format("takes {} {} ({} {})", Time(std::abs(next - base)), longer ? "longer" : "less",
                  FromTo(base, next), StatisticWords(row.statistic));
  const auto cause =
      request.CauseOf(longer ? 1 : -1, row.statistic == Statistic::kRequestMean ? 0 : next - base);
  if (!cause) return words;
  const double share = cause->change / (next - base);
  const std::string amount = Time(std::abs(cause->change)) + (longer ? "" : " less");
  std::string of = fmt::format("on average {}{} of a request", amount, longer ? " more" : "");
  if (share >= kMostOfIt && share <= 1) {
    of = amount + " of it";
  } else if (share > 1 && share <= kAllOfIt) {
    of = "all of it";
  }
  return fmt::format("{}: {} {}", words, of, PartWords(request.parts[cause->part].part));
}

std::vector<std::string> PartChangeWords(const RequestChange& request, const ComparisonRow& row) {
  std::vector<std::string> words;
  const double change = request.change();
  for (const PartChange& part : request.parts) {
    if (words.size() == kPartsShown) break;
    const double share = change == 0 ? 0 : part.change() / change;
    if (part.change() * row.change <= 0 || share < kLeastPartShown) continue;
    words.push_back(
        fmt::format("{}: {} a request", PartWords(part.part), FromTo(part.base, part.next)));
  }
  return words;
}

std::string SpanPatternOf(const std::string& name) {
  std::string pattern;
  for (const char c : name) {
    if (c == '#') {
      pattern += '*';
      continue;
    }
    if (std::string_view("*?[\\").find(c) != std::string_view::npos) pattern += '\\';
    pattern += c;
  }
  return pattern;
}

}  // namespace analyze
