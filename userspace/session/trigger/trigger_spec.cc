// SPDX-License-Identifier: BSD-2-Clause
#include "session/trigger/trigger_spec.h"

#include <fmt/format.h>
#include <regex.h>

#include <array>
#include <charconv>
#include <utility>
#include <vector>

#include "fxt_record/event.h"
#include "schema/linux_state.h"
#include "util/quantity.h"

namespace session {
namespace {

constexpr const char* kHint = "fxt-record(1) lists the triggers, such as 'wakeup_latency > 20ms'";

util::Error Wrong(std::string_view text, std::string_view why) {
  return {fmt::format("trigger '{}': {}", text, why), kHint};
}

// Splits into words and removes the quotes.
util::Result<std::vector<std::string>> Split(std::string_view text) {
  std::vector<std::string> words;
  bool in_word = false;
  char quote = 0;
  for (const char c : text) {
    if (quote != 0) {
      if (c == quote) {
        quote = 0;
      } else {
        words.back() += c;
      }
      continue;
    }
    if (c == ' ' || c == '\t') {
      in_word = false;
      continue;
    }
    if (!in_word) words.emplace_back();
    in_word = true;
    if (c == '\'' || c == '"') {
      quote = c;
    } else {
      words.back() += c;
    }
  }
  if (quote != 0) return Wrong(text, "a quote is not closed");
  return words;
}

template <typename Number>
bool ToNumber(std::string_view text, Number* number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *number);
  return error == std::errc{} && end == text.data() + text.size();
}

std::optional<uint32_t> StateOf(std::string_view letters) {
  for (uint32_t state = 0; state <= FXR_STATE_THROTTLED; ++state) {
    if (schema::StateLetters(static_cast<fxr_task_state>(state)) == letters) return state;
  }
  return std::nullopt;
}

class Parser {
 public:
  Parser(std::string_view text, std::vector<std::string> words)
      : text_(text), words_(std::move(words)) {
    spec_.text = text;
  }

  util::Result<TriggerSpec> Parse() {
    util::Status parsed = Kind();
    while (parsed && at_ < words_.size()) parsed = Setting(words_[at_++]);
    if (!parsed) return parsed.TakeError();
    return std::move(spec_);
  }

 private:
  std::string Next() { return at_ < words_.size() ? words_[at_++] : ""; }

  util::Status Kind() {
    constexpr std::array<std::pair<std::string_view, TriggerKind>, 9> kKinds = {{
        {"wakeup_latency", TriggerKind::kWakeupLatency},
        {"runnable", TriggerKind::kRunnable},
        {"off_cpu", TriggerKind::kOffCpu},
        {"slice", TriggerKind::kSlice},
        {"exit", TriggerKind::kExit},
        {"signal", TriggerKind::kSignal},
        {"alert", TriggerKind::kAlert},
        {"psi", TriggerKind::kPressure},
        {"log", TriggerKind::kLog},
    }};
    std::string first = Next();
    // Splits "slice>50ms", which is one word.
    if (const size_t sign = first.find_first_of(">!="); sign != std::string::npos) {
      const size_t end = first.find_first_not_of(">!=", sign);
      std::vector<std::string> apart = {first.substr(sign, end - sign)};
      if (end != std::string::npos) apart.push_back(first.substr(end));
      words_.insert(words_.begin() + 1, apart.begin(), apart.end());
      first.erase(sign);
    }
    for (const auto& [name, kind] : kKinds) {
      if (name != first) continue;
      spec_.kind = kind;
      return Condition();
    }
    return Wrong(text_,
                 first.empty() ? "it is empty" : fmt::format("'{}' is not a trigger", first));
  }

  util::Status Condition() {
    switch (spec_.kind) {
      case TriggerKind::kWakeupLatency:
      case TriggerKind::kRunnable:
      case TriggerKind::kOffCpu:
      case TriggerKind::kSlice:
        return Above();
      case TriggerKind::kExit:
        return Exit();
      case TriggerKind::kSignal:
        return util::Ok();
      case TriggerKind::kAlert:
        spec_.name = Next();
        if (spec_.name.empty() || spec_.name.size() > TriggerSpec::kMaxAlertBytes) {
          return Wrong(text_, "an alert needs a name of 1 to 14 bytes");
        }
        return util::Ok();
      case TriggerKind::kPressure:
        return Pressure();
      case TriggerKind::kLog:
        return Log();
    }
    return util::Ok();
  }

  util::Status Above() {
    if (std::string sign = Next(); !sign.starts_with('>')) {
      return Wrong(text_, "it needs a limit, such as '> 20ms'");
    } else if (sign.size() > 1) {
      words_.insert(words_.begin() + static_cast<ptrdiff_t>(at_), sign.substr(1));
    }
    const auto above = util::ParseDuration(Next());
    if (!above) return Wrong(text_, above.error().message);
    spec_.above = *above;
    return util::Ok();
  }

  util::Status Exit() {
    if (at_ == words_.size() || words_[at_].find('=') == std::string::npos ||
        (words_[at_] != "!=" && words_[at_] != "==" && words_[at_] != "=")) {
      return util::Ok();
    }
    spec_.other_status = Next() == "!=";
    int status = 0;
    if (!ToNumber(Next(), &status)) return Wrong(text_, "an exit status must be a number");
    spec_.status = status;
    return util::Ok();
  }

  util::Status Pressure() {
    spec_.resource = Next();
    spec_.share = Next();
    std::string part = Next();
    const auto window = util::ParseDuration(Next());
    unsigned percent = 0;
    if ((spec_.resource != "cpu" && spec_.resource != "memory" && spec_.resource != "io") ||
        (spec_.share != "some" && spec_.share != "full") || !part.ends_with('%') ||
        !ToNumber(std::string_view(part).substr(0, part.size() - 1), &percent) || percent == 0 ||
        percent > 100 || !window) {
      return Wrong(text_, "a pressure trigger looks like 'psi cpu some 20% 1s'");
    }
    // The limits of the kernel (Documentation/accounting/psi.rst).
    constexpr uint64_t kLeast = 500'000'000;
    constexpr uint64_t kMost = 10'000'000'000;
    if (*window < kLeast || *window > kMost) {
      return Wrong(text_, "the kernel supports windows of 500ms to 10s only");
    }
    spec_.window = *window;
    spec_.stall = *window / 100 * percent;
    return util::Ok();
  }

  util::Status Log() {
    spec_.name = Next();
    if (spec_.name.empty()) return Wrong(text_, "a regular expression is missing");
    regex_t regex{};
    const int error = regcomp(&regex, spec_.name.c_str(), REG_EXTENDED | REG_NOSUB);
    if (error != 0) {
      std::array<char, 200> why{};
      regerror(error, &regex, why.data(), why.size());
      return Wrong(text_, why.data());
    }
    regfree(&regex);
    return util::Ok();
  }

  util::Status Setting(const std::string& word) {
    const size_t equals = word.find('=');
    if (equals == std::string::npos || equals + 1 == word.size()) {
      return Wrong(text_, fmt::format("unknown option '{}'", word));
    }
    const std::string key = word.substr(0, equals);
    const std::string value = word.substr(equals + 1);
    if (key == "before" || key == "after") {
      auto time = value == "0" ? util::Result<uint64_t>(0) : util::ParseDuration(value);
      if (!time) return Wrong(text_, time.error().message);
      (key == "before" ? spec_.before : spec_.after) = *time;
      return util::Ok();
    }
    if (key == "per_minute" || key == "count") {
      uint64_t number = 0;
      if (!ToNumber(value, &number) || number == 0) {
        return Wrong(text_, fmt::format("{} must be a number above 0", key));
      }
      (key == "count" ? spec_.count : spec_.per_minute) = number;
      return util::Ok();
    }
    if (!spec_.watches_slots())
      return Wrong(text_, fmt::format("'{}' does not apply to this trigger", key));
    if (key == "comm") {
      spec_.comm = value.substr(0, FXR_COMM_BYTES - 1);
    } else if (key == "pid") {
      if (!ToNumber(value, &spec_.pid) || spec_.pid == 0 || spec_.pid > FXR_TID_MASK) {
        return Wrong(text_, fmt::format("'{}' is not a process id", value));
      }
    } else if (key == "cgroup") {
      spec_.cgroup = value;
      while (spec_.cgroup.size() > 1 && spec_.cgroup.ends_with('/')) spec_.cgroup.pop_back();
      if (!spec_.cgroup.starts_with('/')) spec_.cgroup.insert(0, 1, '/');
    } else if (key == "state" && spec_.kind == TriggerKind::kOffCpu) {
      spec_.state = StateOf(value);
      if (!spec_.state) return Wrong(text_, fmt::format("'{}' is not a thread state", value));
    } else {
      return Wrong(text_, fmt::format("'{}' does not apply to this trigger", key));
    }
    return util::Ok();
  }

  std::string_view text_;
  std::vector<std::string> words_;
  size_t at_ = 0;
  TriggerSpec spec_;
};

}  // namespace

util::Result<TriggerSpec> ParseTrigger(std::string_view text) {
  auto words = Split(text);
  if (!words) return words.TakeError();
  return Parser(text, std::move(*words)).Parse();
}

}  // namespace session
