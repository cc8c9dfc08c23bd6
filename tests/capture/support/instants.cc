// SPDX-License-Identifier: BSD-2-Clause
#include "capture/support/instants.h"

#include <sstream>

#include <nlohmann/json.hpp>

#include "capture/support/child_process.h"
#include "capture/support/environment.h"

namespace truth {
namespace {

constexpr uint64_t kTidMask = (1u << 22) - 1;

std::string TextOf(const nlohmann::json& argument) {
  const nlohmann::json& value = argument["value"];
  if (value.is_string()) return value.get<std::string>();
  if (argument.value("type", "") == "koid") return std::to_string(value.get<uint64_t>() & kTidMask);
  return value.dump();
}

}  // namespace

util::Result<std::vector<Instant>> ReadInstants(const std::string& path) {
  const CommandResult dump =
      RunCommand({FxtToolPath(), "dump", "--json", "--type", "instant", path}, kLimit);
  if (dump.exit_code != 0) return util::Error{"fxt dump: " + dump.Describe(), ""};
  std::vector<Instant> instants;
  std::istringstream lines(dump.out);
  for (std::string line; std::getline(lines, line);) {
    const nlohmann::json json = nlohmann::json::parse(line, nullptr, false);
    if (!json.is_object()) return util::Error{"not JSON: " + line, ""};
    Instant& instant = instants.emplace_back();
    instant.time_ns = json.value("time_ns", uint64_t{0});
    instant.category = json.value("category", "");
    instant.name = json.value("name", "");
    instant.tid = static_cast<uint32_t>(json["thread"].value("thread", uint64_t{0}) & kTidMask);
    instant.thread_name = json["thread"].value("thread_name", "");
    for (const nlohmann::json& argument : json["args"]) {
      instant.arguments[argument.value("name", "")] = TextOf(argument);
    }
  }
  return instants;
}

}  // namespace truth
