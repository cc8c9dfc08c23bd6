// SPDX-License-Identifier: BSD-2-Clause
// Measures the bytes per context switch for each policy of the thread table.
//
//   thread_slots [file ...]
//
// A file has one context switch per line: CPU, outgoing tid and incoming tid, or CPU, D and the tid
// of an ended thread. Without files the program uses generated streams.
#include <cstdio>
#include <cstring>
#include <deque>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "fxt/provider_writer.h"
#include "unit/fxt/support/switch_streams.h"

namespace {

using fxt::testing::Step;

class NullSink final : public fxt::ByteSink {
 public:
  bool Write(std::span<const std::byte>) override { return true; }
};

struct Stream {
  std::string name;
  std::vector<Step> steps;
};

// The average number of distinct threads among `window` switches.
double WorkingSet(const std::vector<Step>& steps, size_t window) {
  size_t different = 0;
  size_t windows = 0;
  std::set<uint32_t> seen;
  size_t switches = 0;
  for (const Step& step : steps) {
    if (step.kind != Step::Kind::kSwitch) continue;
    seen.insert(step.outgoing);
    seen.insert(step.incoming);
    if (++switches % window != 0) continue;
    different += seen.size();
    ++windows;
    seen.clear();
  }
  return windows == 0 ? 0 : static_cast<double>(different) / static_cast<double>(windows);
}

struct Cost {
  double bytes_per_switch = 0;
  uint64_t tables = 0;
};

Cost Measure(const std::vector<Step>& steps, const fxt::ThreadSlotOptions& options) {
  NullSink sink;
  fxt::ArchiveWriter archive(sink);
  fxt::ProviderWriter writer(archive, "fxt-record", {.threads = options, .strings = {}});
  std::map<uint32_t, uint64_t> lives;  // a reused handle is another thread
  const auto key = [&](uint32_t handle) {
    return fxt::ThreadKey{.handle = handle, .process = 1, .thread = handle + (lives[handle] << 32)};
  };
  uint64_t switches = 0;
  for (const Step& step : steps) {
    if (step.kind == Step::Kind::kDeath) {
      writer.ForgetThread(step.incoming);
      ++lives[step.incoming];
      continue;
    }
    const auto status = writer.WriteContextSwitch(++switches, step.cpu, fxt::ThreadState::kBlocked,
                                                  key(step.outgoing), key(step.incoming), 120, 120);
    if (status != fxt::EncodeStatus::kOk) return {};
  }
  return {static_cast<double>(archive.bytes()) / static_cast<double>(switches),
          writer.thread_stats().tables_opened};
}

std::vector<Step> Load(const char* path) {
  std::ifstream file(path);
  std::vector<Step> steps;
  std::map<long, uint32_t> handles;
  // Idle is tid 0 on every CPU.
  const auto handle = [&](long cpu, long tid) {
    return handles.emplace(tid == 0 ? -1 - cpu : tid, static_cast<uint32_t>(handles.size()))
        .first->second;
  };
  long cpu = 0;
  std::string outgoing;
  long incoming = 0;
  while (file >> cpu >> outgoing >> incoming) {
    const uint32_t in = handle(cpu, incoming);
    const auto number = static_cast<uint8_t>(cpu);
    if (outgoing == "D") {
      steps.push_back({Step::Kind::kDeath, number, 0, in});
    } else {
      steps.push_back({Step::Kind::kSwitch, number, handle(cpu, std::stol(outgoing)), in});
    }
  }
  return steps;
}

std::deque<Stream> MadeUpStreams() {
  constexpr size_t kSwitches = 120'000;
  std::deque<Stream> streams;
  for (const uint32_t cpus : {2u, 16u}) {
    for (const uint32_t threads : {220u, 423u, 838u}) {
      streams.push_back(
          {"messaging, " + std::to_string(threads) + " threads, " + std::to_string(cpus) + " CPUs",
           fxt::testing::Messaging(threads, cpus, kSwitches, 1)});
    }
    streams.push_back({"fork storm, 50000 children, " + std::to_string(cpus) + " CPUs",
                       fxt::testing::ForkStorm(50'000, cpus, 1)});
  }
  for (const uint32_t threads : {423u, 838u, 5000u}) {
    streams.push_back({"uniform, " + std::to_string(threads) + " threads, 2 CPUs",
                       fxt::testing::Uniform(threads, 2, kSwitches, 1)});
  }
  return streams;
}

}  // namespace

int main(int argc, char** argv) {
  std::deque<Stream> streams;
  for (int i = 1; i < argc; ++i) streams.push_back({argv[i], Load(argv[i])});
  if (argc == 1) streams = MadeUpStreams();

  struct Variant {
    const char* name;
    fxt::ThreadSlotOptions options;
  };
  const Variant variants[] = {
      {"default", {}},
      {"8 tables", {.tables = 8}},
      {"4 tables", {.tables = 4}},
      {"1 table, renewed", {.tables = 1}},
      {"1 table for good", {.tables = 1, .opening_weight = 0xffffffff}},
      {"registering at 4", {.registration_weight = 4}},
      {"registering at 12", {.registration_weight = 12}},
      {"opening at 1000", {.opening_weight = 1000}},
      {"per thread 0", {.opening_weight_per_thread = 0}},
      {"per thread 24", {.opening_weight_per_thread = 24}},
  };
  for (const Stream& stream : streams) {
    std::printf("%s: %zu steps; different threads in 200, 1000, 4000 switches: %.0f %.0f %.0f\n",
                stream.name.c_str(), stream.steps.size(), WorkingSet(stream.steps, 200),
                WorkingSet(stream.steps, 1000), WorkingSet(stream.steps, 4000));
    for (const Variant& variant : variants) {
      const Cost cost = Measure(stream.steps, variant.options);
      std::printf("  %-18s %6.2f bytes per switch, %llu tables\n", variant.name,
                  cost.bytes_per_switch, static_cast<unsigned long long>(cost.tables));
    }
  }
}
