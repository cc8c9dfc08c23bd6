// SPDX-License-Identifier: BSD-2-Clause
#include "settings/cgroup_settings.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <sstream>
#include <utility>

namespace settings {
namespace {

constexpr size_t kMostGroupsOfProcess = 64;

// Files of a group: of version 2 (controller ""), and by controller of version 1. Constants: the
// thread that reads them may outlive main().
constexpr const char* kVersion2[] = {"cpu.max",
                                     "cpu.max.burst",
                                     "cpu.weight",
                                     "cpu.idle",
                                     "cpu.uclamp.min",
                                     "cpu.uclamp.max",
                                     "cpuset.cpus",
                                     "cpuset.cpus.effective",
                                     "cpuset.cpus.partition",
                                     "cpuset.mems",
                                     "io.max",
                                     "io.weight",
                                     "io.bfq.weight",
                                     "io.latency",
                                     "memory.min",
                                     "memory.low",
                                     "memory.high",
                                     "memory.max",
                                     "memory.swap.max",
                                     "pids.max"};
constexpr const char* kCpu[] = {"cpu.cfs_quota_us", "cpu.cfs_period_us", "cpu.cfs_burst_us",
                                "cpu.shares",       "cpu.idle",          "cpu.rt_runtime_us",
                                "cpu.rt_period_us"};
constexpr const char* kCpuset[] = {"cpuset.cpus", "cpuset.effective_cpus", "cpuset.mems"};
constexpr const char* kMemory[] = {"memory.limit_in_bytes", "memory.soft_limit_in_bytes",
                                   "memory.memsw.limit_in_bytes", "memory.swappiness"};
constexpr const char* kBlkio[] = {"blkio.throttle.read_bps_device",
                                  "blkio.throttle.write_bps_device",
                                  "blkio.throttle.read_iops_device",
                                  "blkio.throttle.write_iops_device",
                                  "blkio.weight",
                                  "blkio.bfq.weight"};
constexpr const char* kPids[] = {"pids.max"};
struct Controller {
  std::string_view name;
  std::span<const char* const> files;
};
constexpr Controller kControllers[] = {{"", kVersion2},     {"cpu", kCpu},     {"cpuset", kCpuset},
                                       {"memory", kMemory}, {"blkio", kBlkio}, {"pids", kPids}};

bool HasSettings(std::string_view controller) {
  return std::any_of(std::begin(kControllers), std::end(kControllers),
                     [&](const Controller& each) { return each.name == controller; });
}

// Calls visit(controller, path) for each line "ID:CONTROLLERS:PATH".
template <typename Visit>
void ForEachLine(std::string_view text, Visit visit) {
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    const size_t first = line.find(':');
    const size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string path = line.substr(second + 1);
    std::string names = line.substr(first + 1, second - first - 1);
    // "/../x": outside of this process's cgroup namespace.
    if (path.find("/..") != std::string::npos) continue;
    if (names.empty()) {
      visit(std::string(), path);
      continue;
    }
    std::istringstream list(names);
    for (std::string name; std::getline(list, name, ',');) visit(name, path);
  }
}

std::string NameOf(const std::string& controller, const std::string& path) {
  return controller.empty() ? path : controller + ":" + path;
}

}  // namespace

CgroupReader::CgroupReader(const Roots& roots) {
  std::istringstream mounts(ReadFile(roots.proc + "/self/mountinfo", size_t{1} << 20).value_or(""));
  for (std::string line; std::getline(mounts, line);) {
    const size_t dash = line.find(" - cgroup");
    if (dash == std::string::npos) continue;
    std::istringstream fields(line.substr(0, dash));
    std::string id, parent, device, root, point, type, source, options;
    if (!(fields >> id >> parent >> device >> root >> point)) continue;
    std::istringstream rest(line.substr(dash + 3));
    if (!(rest >> type >> source >> options)) continue;
    if (type == "cgroup2") {
      mounts_.emplace("", point);
    } else if (type == "cgroup") {
      std::istringstream list(options);
      for (std::string name; std::getline(list, name, ',');) {
        if (HasSettings(name)) mounts_.emplace(name, point);
      }
    }
  }
}

std::vector<std::string> CgroupReader::GroupsOf(std::string_view proc_cgroup) const {
  std::vector<std::string> groups;
  ForEachLine(proc_cgroup, [&](const std::string& controller, std::string path) {
    if (!mounts_.contains(controller)) return;
    while (groups.size() < kMostGroupsOfProcess && path.starts_with('/')) {
      groups.push_back(NameOf(controller, path));
      if (path == "/") return;
      path.resize(path.rfind('/'));
      if (path.empty()) path = "/";
    }
  });
  return groups;
}

std::string CgroupReader::OwnGroupsOf(std::string_view proc_cgroup) const {
  std::vector<std::string> groups;
  ForEachLine(proc_cgroup, [&](const std::string& controller, const std::string& path) {
    if (mounts_.contains(controller)) groups.push_back(NameOf(controller, path));
  });
  std::sort(groups.begin(), groups.end());
  std::string text;
  for (const std::string& group : groups) text += (text.empty() ? "" : ";") + group;
  return text;
}

schema::Settings CgroupReader::Read(const std::string& group) const {
  schema::Settings settings{
      .scope = schema::SettingScope::kCgroup, .subject = group, .pid = 0, .values = {}};
  const size_t colon = group.starts_with('/') ? std::string::npos : group.find(':');
  const std::string controller = colon == std::string::npos ? "" : group.substr(0, colon);
  const std::string path = colon == std::string::npos ? group : group.substr(colon + 1);
  const auto mount = mounts_.find(controller);
  if (mount == mounts_.end()) return settings;
  for (const Controller& each : kControllers) {
    if (each.name != controller) continue;
    for (const char* file : each.files) {
      auto text = ReadFile(mount->second + path + "/" + file);
      if (!text || text->empty()) continue;
      // A line for each device.
      std::replace(text->begin(), text->end(), '\n', ';');
      settings.values.emplace_back(file, ValueOf(std::move(*text)));
    }
  }
  return settings;
}

}  // namespace settings
