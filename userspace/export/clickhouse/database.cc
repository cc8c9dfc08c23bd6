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
#include "util/percent_encoding.h"

namespace exporting {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr seconds kTimeout{120};
constexpr unsigned kAttempts = 6;
constexpr size_t kMostOfMessage = 400;

// Temporary errors of the server (src/Common/ErrorCodes.cpp): timeouts, too many queries or parts,
// broken connections, memory limits.
constexpr std::array kTemporary = {159, 202, 203, 209, 210, 241, 252, 279};

// Returns 60 for "Code: 60, e.displayText() = ...", and 0 without a code.
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

util::Result<std::string> ClickHouse::Post(std::string_view target, std::string_view body,
                                           Failure& failure) {
  auto reply = http_.Post(target, body, kTimeout);
  if (!reply) {
    failure = {.error = reply.TakeError(), .is_temporary = true, .unanswered = true};
    return failure.error;
  }
  if (reply->status == 200) return std::move(reply->body);
  const int code = CodeOf(reply->body);
  failure.is_temporary =
      std::find(kTemporary.begin(), kTemporary.end(), code) != kTemporary.end() ||
      (code == 0 && reply->status >= 502 && reply->status <= 504);
  failure.unanswered = failure.is_temporary;
  const std::string message = FirstLine(reply->body);
  failure.error = {fmt::format("{}: status {}{}{}", Shown(), reply->status,
                               message.empty() ? "" : ": ", message),
                   ""};
  return failure.error;
}

util::Result<std::string> ClickHouse::Run(std::string_view statement) {
  for (Attempts attempts;;) {
    Failure failure;
    // Makes the server buffer the answer. Otherwise an error in its middle has status 200.
    auto answer = Post("/?wait_end_of_query=1", statement, failure);
    if (answer || !failure.is_temporary || !attempts.WaitForNext()) return answer;
  }
}

util::Status ClickHouse::Insert(std::string_view table, std::string_view columns,
                                std::string_view rows, bool& uncertain) {
  // The server answers after the shard of a Distributed table has the rows.
  const std::string statement =
      fmt::format("INSERT INTO {}.{} ({}) FORMAT RowBinary", database_, table, columns);
  const std::string target = "/?insert_distributed_sync=1&query=" + util::PercentEncoded(statement);
  Failure failure;
  auto answer = Post(target, rows, failure);
  uncertain = !answer.ok() && failure.unanswered;
  if (!answer) return answer.TakeError();
  return util::Ok();
}

}  // namespace exporting
