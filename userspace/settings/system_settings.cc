// SPDX-License-Identifier: BSD-2-Clause
#include "settings/system_settings.h"

#include <fmt/format.h>
#include <sys/utsname.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include "settings/queueing_disciplines.h"

namespace settings {
namespace {

using schema::Settings;
using schema::SettingScope;

constexpr size_t kMaxDevices = 128;
constexpr size_t kMaxMounts = 128;
constexpr size_t kMaxOptionBytes = 1000;

// Files below /proc/sys. Their names in the file have dots, as for sysctl(8).
constexpr const char* kSysctls[] = {
    "kernel/numa_balancing",
    "kernel/randomize_va_space",
    "kernel/sched_autogroup_enabled",
    "kernel/sched_base_slice_ns",
    "kernel/sched_cfs_bandwidth_slice_us",
    "kernel/sched_deadline_period_max_us",
    "kernel/sched_energy_aware",
    "kernel/sched_latency_ns",
    "kernel/sched_migration_cost_ns",
    "kernel/sched_min_granularity_ns",
    "kernel/sched_rr_timeslice_ms",
    "kernel/sched_rt_period_us",
    "kernel/sched_rt_runtime_us",
    "kernel/sched_schedstats",
    "kernel/sched_wakeup_granularity_ns",
    "kernel/timer_migration",
    "net/core/busy_poll",
    "net/core/busy_read",
    "net/core/default_qdisc",
    "net/core/netdev_budget",
    "net/core/netdev_budget_usecs",
    "net/core/rmem_max",
    "net/core/somaxconn",
    "net/core/wmem_max",
    "net/ipv4/tcp_autocorking",
    "net/ipv4/tcp_congestion_control",
    "net/ipv4/tcp_rmem",
    "net/ipv4/tcp_wmem",
    "vm/compaction_proactiveness",
    "vm/dirty_background_bytes",
    "vm/dirty_background_ratio",
    "vm/dirty_bytes",
    "vm/dirty_expire_centisecs",
    "vm/dirty_ratio",
    "vm/dirty_writeback_centisecs",
    "vm/min_free_kbytes",
    "vm/nr_hugepages",
    "vm/overcommit_memory",
    "vm/page-cluster",
    "vm/swappiness",
    "vm/vfs_cache_pressure",
    "vm/watermark_boost_factor",
    "vm/watermark_scale_factor",
    "vm/zone_reclaim_mode",
};

// Files below /sys: name in the file, path, and whether the text is a list with a choice.
struct SysFile {
  const char* name;
  const char* path;
  bool is_choice = false;
};
constexpr SysFile kSysFiles[] = {
    {"cpu.online", "devices/system/cpu/online"},
    {"cpu.isolated", "devices/system/cpu/isolated"},
    {"cpu.nohz_full", "devices/system/cpu/nohz_full"},
    {"cpu.smt", "devices/system/cpu/smt/control"},
    {"cpu.boost", "devices/system/cpu/cpufreq/boost"},
    {"cpu.intel_pstate", "devices/system/cpu/intel_pstate/status"},
    {"cpu.no_turbo", "devices/system/cpu/intel_pstate/no_turbo"},
    {"cpu.idle_driver", "devices/system/cpu/cpuidle/current_driver"},
    {"cpu.idle_governor", "devices/system/cpu/cpuidle/current_governor_ro"},
    {"clocksource", "devices/system/clocksource/clocksource0/current_clocksource"},
    {"thp.enabled", "kernel/mm/transparent_hugepage/enabled", true},
    {"thp.defrag", "kernel/mm/transparent_hugepage/defrag", true},
    {"thp.shmem_enabled", "kernel/mm/transparent_hugepage/shmem_enabled", true},
    {"ksm.run", "kernel/mm/ksm/run"},
    {"lru_gen.enabled", "kernel/mm/lru_gen/enabled"},
    {"zswap.enabled", "module/zswap/parameters/enabled"},
    {"sched.features", "kernel/debug/sched/features"},
    {"sched.base_slice_ns", "kernel/debug/sched/base_slice_ns"},
    {"sched.latency_ns", "kernel/debug/sched/latency_ns"},
    {"sched.min_granularity_ns", "kernel/debug/sched/min_granularity_ns"},
    {"sched.wakeup_granularity_ns", "kernel/debug/sched/wakeup_granularity_ns"},
    {"sched.migration_cost_ns", "kernel/debug/sched/migration_cost_ns"},
    {"sched.nr_migrate", "kernel/debug/sched/nr_migrate"},
    {"sched.tunable_scaling", "kernel/debug/sched/tunable_scaling"},
    {"sched.ext", "kernel/sched_ext/root/ops"},
};

// Lines "CONFIG_NAME=value" of the kernel's configuration, of the names that count.
class KernelConfig {
 public:
  KernelConfig(const Roots& roots, const std::string& release) {
    for (const std::string& path : {roots.proc + "/config.gz", roots.boot + "/config-" + release,
                                    fmt::format("/lib/modules/{}/config", release)}) {
      if (Read(path)) return;
    }
  }
  // "y", "250"; empty if it is not set.
  std::string Get(const std::string& name) const {
    const auto found = values_.find(name);
    return found == values_.end() ? "" : found->second;
  }

 private:
  // gzread() reads files that are not compressed too.
  bool Read(const std::string& path) {
    struct Close {
      void operator()(gzFile_s* file) const { gzclose(file); }
    };
    const std::unique_ptr<gzFile_s, Close> file(gzopen(path.c_str(), "rbe"));
    if (!file) return false;
    constexpr int kMostLines = 100'000;
    bool found = false;
    std::array<char, 1024> line;
    for (int lines = 0; lines < kMostLines; ++lines) {
      if (gzgets(file.get(), line.data(), static_cast<int>(line.size())) == nullptr) break;
      found = true;
      std::string_view text(line.data());
      if (!text.starts_with("CONFIG_HZ") && !text.starts_with("CONFIG_PREEMPT") &&
          !text.starts_with("CONFIG_NO_HZ")) {
        continue;
      }
      while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) {
        text.remove_suffix(1);
      }
      const size_t sign = text.find('=');
      if (sign == std::string_view::npos) continue;
      values_[std::string(text.substr(7, sign - 7))] = std::string(text.substr(sign + 1));
    }
    return found;
  }

  std::map<std::string, std::string> values_;
};

// The value of "NAME=value" on the kernel's command line, the last one; empty without one.
std::string BootParameter(const std::string& command_line, std::string_view name) {
  std::istringstream words(command_line);
  std::string value;
  for (std::string word; words >> word;) {
    if (word.size() > name.size() && word.starts_with(name) && word[name.size()] == '=') {
      value = word.substr(name.size() + 1);
    }
  }
  return value;
}

void AddText(Settings& to, std::string_view name, std::string text) {
  if (!text.empty()) to.values.emplace_back(name, ValueOf(std::move(text)));
}

// One value if all policies agree, else "0-3: performance; 4-7: powersave".
void AddFrequencies(const Roots& roots, Settings& system) {
  const std::string folder = roots.sys + "/devices/system/cpu/cpufreq";
  const std::vector<std::string> names = ListFolder(folder, 4096);
  for (const auto& [name, file] : {std::pair("cpu.governor", "scaling_governor"),
                                   {"cpu.frequency_driver", "scaling_driver"},
                                   {"cpu.min_frequency_khz", "scaling_min_freq"},
                                   {"cpu.max_frequency_khz", "scaling_max_freq"},
                                   {"cpu.energy_preference", "energy_performance_preference"}}) {
    std::map<std::string, std::vector<std::string>> cpus_by_value;
    for (const std::string& policy : names) {
      if (!policy.starts_with("policy")) continue;
      const auto value = ReadFile(folder + "/" + policy + "/" + file);
      if (!value || value->empty()) continue;
      cpus_by_value[*value].push_back(
          ReadFile(folder + "/" + policy + "/affected_cpus").value_or(policy));
    }
    if (cpus_by_value.size() == 1) {
      AddText(system, name, cpus_by_value.begin()->first);
    } else if (!cpus_by_value.empty()) {
      std::string text;
      for (const auto& [value, cpus] : cpus_by_value) {
        if (text.size() > kMaxOptionBytes) break;
        if (!text.empty()) text += "; ";
        for (const std::string& each : cpus) text += each + " ";
        text.back() = ':';
        text += " " + value;
      }
      AddText(system, name, std::move(text));
    }
  }
}

void AddFiles(const Roots& roots, Settings& system) {
  for (const char* path : kSysctls) {
    std::string name(path);
    std::replace(name.begin(), name.end(), '/', '.');
    AddFile(system, name, roots.proc + "/sys/" + path);
  }
  for (const SysFile& file : kSysFiles) {
    auto text = ReadFile(fmt::format("{}/{}", roots.sys, file.path));
    if (text) AddText(system, file.name, file.is_choice ? ChoiceIn(*text) : std::move(*text));
  }
  AddFrequencies(roots, system);
  const std::string vulnerabilities = roots.sys + "/devices/system/cpu/vulnerabilities";
  for (const std::string& each : ListFolder(vulnerabilities, 100)) {
    AddFile(system, "mitigation." + each, vulnerabilities + "/" + each);
  }
  // "Filename Type Size Used Priority"; "Used" is not a setting.
  std::istringstream swaps(ReadFile(roots.proc + "/swaps", 65536).value_or(""));
  std::string line;
  std::getline(swaps, line);
  std::string areas;
  while (std::getline(swaps, line) && areas.size() < kMaxOptionBytes) {
    std::istringstream fields(line);
    std::string file, type, size, used, priority;
    if (fields >> file >> type >> size >> used >> priority) {
      areas +=
          fmt::format("{}{} {} KiB priority {}", areas.empty() ? "" : "; ", file, size, priority);
    }
  }
  AddText(system, "vm.swap", areas.empty() ? "none" : areas);
}

bool StartsWithAny(std::string_view text, std::initializer_list<std::string_view> heads) {
  return std::any_of(heads.begin(), heads.end(),
                     [&](std::string_view head) { return text.starts_with(head); });
}

void AddBlockDevices(const Roots& roots, std::vector<Settings>& all) {
  size_t count = 0;
  for (const std::string& disk : ListFolder(roots.sys + "/block", 4096)) {
    const std::string folder = roots.sys + "/block/" + disk;
    if (disk.starts_with("ram") || ReadFile(folder + "/size").value_or("0") == "0") continue;
    if (++count > kMaxDevices) break;
    Settings device{.scope = SettingScope::kDevice, .subject = disk, .pid = 0, .values = {}};
    const std::string queue = folder + "/queue/";
    if (const auto list = ReadFile(queue + "scheduler")) {
      AddText(device, "scheduler", ChoiceIn(*list));
    }
    for (const char* name :
         {"nr_requests", "read_ahead_kb", "rotational", "write_cache", "wbt_lat_usec", "nomerges",
          "rq_affinity", "max_sectors_kb", "io_poll"}) {
      AddFile(device, name, queue + name);
    }
    if (!device.values.empty()) all.push_back(std::move(device));
  }
}

void AddNetworkDevices(const Roots& roots, std::vector<Settings>& all) {
  size_t count = 0;
  for (const auto& [name, disciplines] : ReadQueueingDisciplines()) {
    if (++count > kMaxDevices) break;
    Settings device{.scope = SettingScope::kDevice, .subject = name, .pid = 0, .values = {}};
    AddText(device, "qdisc", disciplines);
    const std::string folder = roots.sys + "/class/net/" + name + "/";
    for (const char* file : {"mtu", "tx_queue_len", "gro_flush_timeout", "napi_defer_hard_irqs"}) {
      AddFile(device, file, folder + file);
    }
    all.push_back(std::move(device));
  }
}

// "\040" and the like, as mountinfo writes spaces.
std::string Unescape(std::string_view text) {
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto digit = [&](size_t at) { return text[at] >= '0' && text[at] <= '7'; };
    if (text[i] == '\\' && i + 3 < text.size() && digit(i + 1) && digit(i + 2) && digit(i + 3)) {
      plain += static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 +
                                 (text[i + 3] - '0'));
      i += 3;
    } else {
      plain += text[i];
    }
  }
  return plain;
}

// The options of the mount and of the file system, without paths of layers, each once.
std::string Options(const std::string& mount, const std::string& super) {
  std::vector<std::string> seen;
  std::istringstream list(mount + "," + super);
  for (std::string option; std::getline(list, option, ',');) {
    if (option.empty() || StartsWithAny(option, {"lowerdir", "upperdir=", "workdir="})) continue;
    if (std::find(seen.begin(), seen.end(), option) == seen.end()) seen.push_back(option);
  }
  std::string text;
  for (const std::string& option : seen) {
    if (text.size() > kMaxOptionBytes) break;
    text += (text.empty() ? "" : ",") + option;
  }
  return text;
}

void AddMounts(const Roots& roots, std::vector<Settings>& all) {
  std::istringstream mounts(ReadFile(roots.proc + "/self/mountinfo", size_t{1} << 20).value_or(""));
  // The last mount on a point hides those before it.
  std::map<std::string, Settings> by_point;
  for (std::string line; std::getline(mounts, line) && by_point.size() < kMaxMounts;) {
    // "id parent major:minor root point options [tags] - type source super" (proc(5))
    const size_t dash = line.find(" - ");
    if (dash == std::string::npos) continue;
    std::istringstream fields(line.substr(0, dash));
    std::string id, parent, device, root, point, options, type, source, super;
    if (!(fields >> id >> parent >> device >> root >> point >> options)) continue;
    std::istringstream rest(line.substr(dash + 3));
    if (!(rest >> type >> source >> super)) continue;
    // File systems without a block device that programs wait for.
    const bool is_stored =
        !device.starts_with("0:") ||
        StartsWithAny(type, {"nfs", "cifs", "smb3", "9p", "virtiofs", "fuse.", "ceph", "btrfs",
                             "zfs", "overlay", "tmpfs", "glusterfs", "lustre", "bcachefs"});
    const bool is_own = StartsWithAny(point, {"/sys", "/run", "/dev/pts", "/proc", "/snap/"});
    if (!is_stored || is_own || type == "squashfs") continue;
    Settings mount{
        .scope = SettingScope::kMount, .subject = Unescape(point), .pid = 0, .values = {}};
    AddText(mount, "type", type);
    AddText(mount, "device", Unescape(source));
    AddText(mount, "options", Options(options, super));
    by_point.insert_or_assign(mount.subject, std::move(mount));
  }
  for (auto& [point, mount] : by_point) all.push_back(std::move(mount));
}

}  // namespace

void SystemReader::AddKernel(Settings& system) {
  utsname name{};
  if (uname(&name) != 0) return;
  if (!configuration_) {
    const KernelConfig config(roots_, name.release);
    Configuration& known = configuration_.emplace();
    known.hz = config.Get("HZ");
    for (const auto& [option, ticks] :
         {std::pair("NO_HZ_FULL", "full"), {"NO_HZ_IDLE", "idle"}, {"HZ_PERIODIC", "periodic"}}) {
      if (known.tick.empty() && config.Get(option) == "y") known.tick = ticks;
    }
    for (const auto& [option, model] : {std::pair("PREEMPT_RT", "rt"),
                                        {"PREEMPT_LAZY", "lazy"},
                                        {"PREEMPT", "full"},
                                        {"PREEMPT_VOLUNTARY", "voluntary"},
                                        {"PREEMPT_NONE", "none"}}) {
      if (known.preemption.empty() && config.Get(option) == "y") known.preemption = model;
    }
    known.chooses_preemption = config.Get("PREEMPT_DYNAMIC") == "y";
  }
  const std::string command_line = ReadFile(roots_.proc + "/cmdline").value_or("");
  std::string preemption = configuration_->preemption;
  // After boot it can be changed only through debugfs.
  const std::string chosen = BootParameter(command_line, "preempt");
  if (configuration_->chooses_preemption && !chosen.empty()) preemption = chosen;
  if (const auto list = ReadFile(roots_.sys + "/kernel/debug/sched/preempt")) {
    preemption = ChoiceIn(*list);
  }
  AddText(system, "kernel.release", name.release);
  AddText(system, "kernel.version", name.version);
  AddText(system, "kernel.machine", name.machine);
  AddText(system, "kernel.command_line", command_line);
  AddText(system, "kernel.hz", configuration_->hz);
  AddText(system, "kernel.tick", configuration_->tick);
  AddText(system, "kernel.preemption", preemption);
}

std::vector<Settings> SystemReader::Read() {
  std::vector<Settings> all(1);
  AddKernel(all.front());
  AddFiles(roots_, all.front());
  AddBlockDevices(roots_, all);
  AddNetworkDevices(roots_, all);
  AddMounts(roots_, all);
  return all;
}

}  // namespace settings
