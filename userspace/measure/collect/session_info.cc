// SPDX-License-Identifier: BSD-2-Clause
#include "measure/collect/session_info.h"

#include <ctime>

#include <charconv>
#include <string>

#include "facts/scheduling.h"
#include "schema/names.h"

namespace measure {
namespace {

void Take(const fxt::Event& event, std::string_view name, std::string& into) {
  if (const auto text = facts::TextOf(facts::FindArgument(event.arguments, name))) {
    into = std::string(*text);
  }
}

// "+02:00" in seconds.
std::optional<int> ParseZone(std::string_view text) {
  if (text == "Z") return 0;
  if (text.size() != 6 || (text[0] != '+' && text[0] != '-') || text[3] != ':') return std::nullopt;
  int hours = 0;
  int minutes = 0;
  if (std::from_chars(text.data() + 1, text.data() + 3, hours).ec != std::errc()) return {};
  if (std::from_chars(text.data() + 4, text.data() + 6, minutes).ec != std::errc()) return {};
  const int seconds = hours * 3600 + minutes * 60;
  return text[0] == '-' ? -seconds : seconds;
}

}  // namespace

std::optional<double> ParseTime(std::string_view text) {
  const std::string copy(text);
  std::tm parts{};
  const char* rest = strptime(copy.c_str(), "%Y-%m-%dT%H:%M:%S", &parts);
  if (rest == nullptr) return std::nullopt;
  double fraction = 0;
  if (*rest == '.') {
    const auto [end, error] =
        std::from_chars(rest, copy.data() + copy.size(), fraction, std::chars_format::fixed);
    if (error != std::errc()) return std::nullopt;
    rest = end;
  }
  const auto zone = ParseZone(rest);
  if (!zone) return std::nullopt;
  return static_cast<double>(timegm(&parts) - *zone) + fraction;
}

void ReadSession(const fxt::Event& event, Capture& capture) {
  Take(event, "version", capture.recorder);
  Take(event, "host", capture.host);
  Take(event, "kernel", capture.kernel);
  Take(event, "categories", capture.categories);
  Take(event, schema::argument::kFilters, capture.filters);
  Take(event, "trigger", capture.trigger);
  // The recorder's command line, with the recorded command after "--".
  std::string whole;
  Take(event, "command", whole);
  const size_t at = whole.find(" -- ");
  capture.command = at == std::string::npos ? "" : whole.substr(at + 4);
  if (const auto time = facts::TextOf(facts::FindArgument(event.arguments, "start_time"))) {
    capture.start_time = ParseTime(*time);
  }
  const auto cpus = facts::IntegerValue(facts::FindArgument(event.arguments, "cpus"));
  if (cpus && *cpus > 0 && *cpus <= UINT16_MAX + 1) capture.cpus = static_cast<uint32_t>(*cpus);
}

void ReadTrim(const fxt::Event& event, Capture& capture) {
  std::string filters;
  Take(event, schema::argument::kFilters, filters);
  if (!capture.filters.empty()) capture.filters += ", ";
  capture.filters += "trimmed by " + filters;
}

std::optional<fxt::Koid> CommandOf(const fxt::Event& session) {
  const fxt::Argument* argument =
      facts::FindArgument(session.arguments, schema::argument::kCommandPid);
  if (const auto koid = facts::KoidOf(argument)) return koid;
  const auto pid = facts::IntegerValue(argument);
  return pid && *pid > 0 ? std::optional(static_cast<fxt::Koid>(*pid)) : std::nullopt;
}

}  // namespace measure
