// SPDX-License-Identifier: BSD-2-Clause
#include "export/clickhouse/database.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <thread>
#include <utility>

#include "text/clean_text.h"

namespace exporting {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr seconds kTimeoutNs{120};
constexpr unsigned kAttempts = 6;
constexpr size_t kMostOfMessage = 400;

// Codes of the server's errors (dbms/src/Common/ErrorCodes.cpp) that a later attempt may not meet:
// timeouts, too many queries or parts, broken connections, no memory just now.
constexpr std::array kPassing = {159, 202, 203, 209, 210, 241, 252, 279};

// "Code: 60, e.displayText() = ..."; 0 where it says none.
int CodeOf(std::string_view message) {
  constexpr std::string_view kBefore = "Code: ";
  if (!message.starts_with(kBefore)) return 0;
  message.remove_prefix(kBefore.size());
  int code = 0;
  std::from_chars(message.data(), message.data() + message.size(), code);
  return code;
}

std::string FirstLine(std::string_view text) {
  text = text.substr(0, std::min(text.find('\n'), kMostOfMessage));
  return text::CleanText(text);
}

}  // namespace

bool Attempts::WaitForNext() {
  if (made_ == kAttempts) return false;
  std::this_thread::sleep_for(milliseconds(200) * (1U << (made_ - 1)));
  ++made_;
  return true;
}

std::string Quoted(std::string_view text) {
  std::string quoted(1, '\'');
  for (const char c : text) {
    if (c == '\'' || c == '\\') quoted.push_back('\\');
    quoted.push_back(c);
  }
  quoted.push_back('\'');
  return quoted;
}

bool ClickHouse::IsName(std::string_view text) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  return !text.empty() && text.size() <= 64 && !(text[0] >= '0' && text[0] <= '9') &&
         std::all_of(text.begin(), text.end(), fits);
}

util::Result<std::string> ClickHouse::Ask(std::string_view target, std::string_view body,
                                          Failure& failure) {
  auto reply = http_.Post(target, body, kTimeoutNs);
  if (!reply) {
    failure = {.error = reply.TakeError(), .may_pass = true, .unanswered = true};
    return failure.error;
  }
  if (reply->status == 200) return std::move(reply->body);
  const int code = CodeOf(reply->body);
  failure.may_pass = std::find(kPassing.begin(), kPassing.end(), code) != kPassing.end() ||
                     (code == 0 && reply->status >= 502 && reply->status <= 504);
  failure.unanswered = failure.may_pass;
  const std::string said = FirstLine(reply->body);
  failure.error = {
      fmt::format("{}: status {}{}{}", Shown(), reply->status, said.empty() ? "" : ": ", said), ""};
  return failure.error;
}

util::Result<std::string> ClickHouse::Run(std::string_view statement) {
  for (Attempts attempts;;) {
    Failure failure;
    // The whole answer before its first byte: an error in the middle has status 200 otherwise.
    auto answer = Ask("/?wait_end_of_query=1", statement, failure);
    if (answer || !failure.may_pass || !attempts.WaitForNext()) return answer;
  }
}

util::Status ClickHouse::Insert(std::string_view table, std::string_view columns,
                                std::string_view rows, bool& uncertain) {
  // Into a Distributed table: done when the shard has them, and an error when it has not.
  const std::string statement =
      fmt::format("INSERT INTO {}.{} ({}) FORMAT RowBinary", database_, table, columns);
  const std::string target = "/?insert_distributed_sync=1&query=" + PercentEncoded(statement);
  Failure failure;
  auto answer = Ask(target, rows, failure);
  uncertain = !answer.ok() && failure.unanswered;
  if (!answer) return answer.TakeError();
  return util::Ok();
}

}  // namespace exporting
