// SPDX-License-Identifier: BSD-2-Clause
#include "perf/live/pmu.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <string_view>

#include "util/cpu_list.h"

namespace perf {

namespace {

constexpr const char* kDevices = "/sys/bus/event_source/devices/";

std::optional<std::string> ReadLine(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  if (!file || !std::getline(file, line)) return std::nullopt;
  return line;
}

template <typename T>
std::optional<T> ReadNumber(const std::string& path) {
  const std::optional<std::string> line = ReadLine(path);
  T value;
  if (!line) return std::nullopt;
  const auto parsed = std::from_chars(line->data(), line->data() + line->size(), value);
  if (parsed.ec != std::errc()) return std::nullopt;
  return value;
}

std::optional<Pmu> ReadPmu(const std::string& root, const std::string& name) {
  const std::string folder = root + kDevices + name;
  const std::optional<uint32_t> type = ReadNumber<uint32_t>(folder + "/type");
  if (!type) return std::nullopt;
  Pmu pmu;
  pmu.name = name;
  pmu.type = *type;
  pmu.branch_depth = ReadNumber<unsigned>(folder + "/caps/branches");
  pmu.needs_brs_event = ReadLine(folder + "/events/branch-brs").has_value();
  if (const auto list = ReadLine(folder + "/cpus")) {
    if (auto cpus = util::ParseCpuList(*list)) pmu.cpus = std::move(*cpus);
  }
  return pmu;
}

bool IsVirtualMachine(const std::string& root) {
  std::ifstream file(root + "/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("flags")) continue;
    return (line + " ").find(" hypervisor ") != std::string::npos;
  }
  return false;
}

}  // namespace

std::vector<unsigned> PmuSurvey::OnlineCpusOf(const Pmu& pmu) const {
  if (pmu.cpus.empty()) return online_cpus;
  std::vector<unsigned> cpus;
  std::set_intersection(pmu.cpus.begin(), pmu.cpus.end(), online_cpus.begin(), online_cpus.end(),
                        std::back_inserter(cpus));
  return cpus;
}

PmuSurvey SurveyPmus(const std::string& root) {
  PmuSurvey survey;
  for (const char* name : {"cpu_core", "cpu_atom", "cpu_lowpower"}) {
    if (std::optional<Pmu> pmu = ReadPmu(root, name)) {
      pmu->hybrid = true;
      survey.pmus.push_back(std::move(*pmu));
    }
  }
  if (survey.pmus.empty()) {
    if (std::optional<Pmu> pmu = ReadPmu(root, "cpu")) survey.pmus.push_back(std::move(*pmu));
  }
  if (const auto list = ReadLine(root + "/sys/devices/system/cpu/online")) {
    if (auto online = util::ParseCpuList(*list)) survey.online_cpus = std::move(*online);
  }
  survey.virtual_machine = IsVirtualMachine(root);
  survey.paranoid = ReadNumber<int>(root + "/proc/sys/kernel/perf_event_paranoid");
  return survey;
}

}  // namespace perf
