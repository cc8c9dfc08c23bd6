// SPDX-License-Identifier: BSD-2-Clause
#include "query/scan_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace query {
namespace {

// "columns/conditions/groups/varying/key/operands/operations/windows", numbers with commas behind
// each.
template <typename Each>
std::string_view EachNumber(std::string_view text, Each&& each) {
  while (!text.empty() && text.front() != '/') {
    uint64_t number = 0;
    const auto end = std::from_chars(text.data(), text.data() + text.size(), number).ptr;
    const auto used = static_cast<size_t>(end - text.data()) + 1;
    if (used > text.size()) return {};
    each(number);
    text.remove_prefix(used);
  }
  return text.empty() ? text : text.substr(1);
}

}  // namespace

std::string ScanPlan::Encode() const {
  std::string text = fmt::format("{},/", columns);
  for (const Condition condition : conditions) {
    text += fmt::format("{},", static_cast<unsigned>(condition));
  }
  text += '/';
  for (const uint8_t column : grouped_by) text += fmt::format("{},", column);
  text += fmt::format("/{},/", varying);
  if (key) text += fmt::format("{},", *key);
  if (key_condition) text += fmt::format("{},", *key_condition);
  text += '/';
  for (const uint8_t operand : operands) text += fmt::format("{},", operand);
  text += '/';
  for (const uint8_t operation : operations) text += fmt::format("{},", operation);
  text += fmt::format("/{},", windows);
  return text;
}

ScanPlan ScanPlan::Decode(std::string_view text) {
  ScanPlan plan;
  text = EachNumber(text, [&](uint64_t number) { plan.columns = number; });
  text = EachNumber(
      text, [&](uint64_t number) { plan.conditions.push_back(static_cast<Condition>(number)); });
  text = EachNumber(
      text, [&](uint64_t number) { plan.grouped_by.push_back(static_cast<uint8_t>(number)); });
  text = EachNumber(text, [&](uint64_t number) { plan.varying = number; });
  text = EachNumber(text, [&](uint64_t number) {
    (plan.key ? plan.key_condition : plan.key) = static_cast<uint8_t>(number);
  });
  text = EachNumber(
      text, [&](uint64_t number) { plan.operands.push_back(static_cast<uint8_t>(number)); });
  text = EachNumber(
      text, [&](uint64_t number) { plan.operations.push_back(static_cast<uint8_t>(number)); });
  EachNumber(text, [&](uint64_t number) { plan.windows = number; });
  return plan;
}

void Narrow(tables::RowFilter& filter, Condition condition, int64_t value) {
  switch (condition) {
    case Condition::kAfter:
    case Condition::kFrom:
      filter.from = std::max(filter.from, value);
      break;
    case Condition::kBefore:
    case Condition::kUpTo:
      filter.to = std::min(filter.to, value);
      break;
    case Condition::kAt:
      filter.from = std::max(filter.from, value);
      filter.to = std::min(filter.to, value);
      break;
    case Condition::kCpu:
      filter.cpu = value;
      break;
    case Condition::kTid:
      filter.tid = value;
      break;
    case Condition::kEqual:
      break;
  }
}

void Narrow(tables::RowFilter& filter, Condition condition, double value) {
  constexpr double kMost = 9.2e18;  // below 2^63
  if (!(value > -kMost && value < kMost)) return;
  const bool is_whole = std::floor(value) == value;
  switch (condition) {
    case Condition::kAfter:
    case Condition::kFrom:
      return Narrow(filter, condition, static_cast<int64_t>(std::floor(value)));
    case Condition::kBefore:
    case Condition::kUpTo:
      return Narrow(filter, condition, static_cast<int64_t>(std::ceil(value)));
    default:
      if (is_whole) Narrow(filter, condition, static_cast<int64_t>(value));
  }
}

}  // namespace query
