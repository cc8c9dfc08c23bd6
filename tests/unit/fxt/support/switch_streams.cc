// SPDX-License-Identifier: BSD-2-Clause
#include "unit/fxt/support/switch_streams.h"

#include <algorithm>
#include <random>

namespace fxt::testing {
namespace {

// Interleaves the switches of several CPUs, a few per CPU at a time.
class Machine {
 public:
  Machine(uint32_t cpus, uint32_t seed) : random_(seed), running_(cpus) {
    for (uint32_t cpu = 0; cpu < cpus; ++cpu) running_[cpu] = cpu;
  }

  uint32_t cpus() const { return static_cast<uint32_t>(running_.size()); }
  uint32_t Below(uint32_t bound) { return static_cast<uint32_t>(random_() % bound); }
  bool Chance(double probability) {
    return std::uniform_real_distribution<double>()(random_) < probability;
  }
  uint32_t NextCpu() {
    if (Chance(0.25)) cpu_ = Below(cpus());
    return cpu_;
  }

  void Switch(uint32_t cpu, uint32_t incoming) {
    if (running_[cpu] == incoming) return;
    steps_.push_back({Step::Kind::kSwitch, static_cast<uint8_t>(cpu), running_[cpu], incoming});
    running_[cpu] = incoming;
  }
  void Die(uint32_t thread) { steps_.push_back({Step::Kind::kDeath, 0, 0, thread}); }

  const std::vector<Step>& steps() const { return steps_; }

 private:
  std::mt19937 random_;
  std::vector<uint32_t> running_;  // by CPU
  uint32_t cpu_ = 0;
  std::vector<Step> steps_;
};

// A group of threads, and the next one to run.
struct Group {
  std::vector<uint32_t> members;
  uint32_t turn = 0;
};

}  // namespace

std::vector<Step> Messaging(uint32_t threads, uint32_t cpus, size_t switches, uint32_t seed) {
  constexpr uint32_t kGroupSize = 40;
  constexpr uint32_t kOthers = 15;  // kernel threads and the like, rarely
  constexpr uint32_t kActiveGroups = 3;
  Machine machine(cpus, seed);
  const uint32_t first_other = cpus;
  const uint32_t first_member = cpus + kOthers;
  std::vector<Group> groups((threads - first_member + kGroupSize - 1) / kGroupSize);
  for (uint32_t n = 0; n < threads - first_member; ++n) {
    groups[n / kGroupSize].members.push_back(first_member + n);
  }
  const auto any_group = [&] { return machine.Below(static_cast<uint32_t>(groups.size())); };
  std::vector<std::vector<uint32_t>> active(cpus, std::vector<uint32_t>(kActiveGroups));
  for (auto& of_cpu : active) std::generate(of_cpu.begin(), of_cpu.end(), any_group);
  std::vector<uint32_t> at(cpus);

  while (machine.steps().size() < switches) {
    const uint32_t cpu = machine.NextCpu();
    if (machine.Chance(0.01)) {
      machine.Switch(cpu, machine.Chance(0.5) ? cpu : first_other + machine.Below(kOthers));
      continue;
    }
    if (machine.Chance(0.02)) active[cpu][machine.Below(kActiveGroups)] = any_group();
    if (machine.Chance(0.25)) at[cpu] = machine.Below(kActiveGroups);
    Group& group = groups[active[cpu][at[cpu]]];
    const auto size = static_cast<uint32_t>(group.members.size());
    // Mostly in order, sometimes one that was just woken.
    group.turn = (group.turn + 1 + (machine.Chance(0.3) ? machine.Below(size) : 0)) % size;
    machine.Switch(cpu, group.members[group.turn]);
  }
  return machine.steps();
}

std::vector<Step> ForkStorm(uint32_t children, uint32_t cpus, uint32_t seed) {
  constexpr uint32_t kOthers = 10;
  constexpr uint32_t kHandles = 64;
  Machine machine(cpus, seed);
  const uint32_t first_child = cpus + kOthers;
  for (uint32_t n = 0; n < children; ++n) {
    const uint32_t cpu = n % cpus;
    const uint32_t child = first_child + n % kHandles;
    const auto between = [&] { return machine.Chance(0.5) ? cpu : cpus + machine.Below(kOthers); };
    machine.Switch(cpu, child);
    machine.Switch(cpu, between());
    machine.Switch(cpu, child);
    machine.Switch(cpu, between());
    machine.Die(child);
  }
  return machine.steps();
}

std::vector<Step> Uniform(uint32_t threads, uint32_t cpus, size_t switches, uint32_t seed) {
  Machine machine(cpus, seed);
  while (machine.steps().size() < switches) {
    machine.Switch(machine.NextCpu(), machine.Below(threads));
  }
  return machine.steps();
}

}  // namespace fxt::testing
