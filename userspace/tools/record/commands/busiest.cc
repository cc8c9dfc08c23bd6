// SPDX-License-Identifier: BSD-2-Clause
#include "tools/record/commands/busiest.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <functional>
#include <vector>

#include "facts/timeline/share.h"
#include "measure/store/load.h"
#include "text/clean_text.h"
#include "util/quantity.h"

namespace tools {
namespace {

using measure::Group;

constexpr size_t kRows = 5;
constexpr size_t kNameBytes = 40;

std::string NameOf(const Group& group) {
  std::string name = group.name.process == group.name.thread
                         ? group.name.thread
                         : fmt::format("{}/{}", group.name.process, group.name.thread);
  name = text::CleanText(name);
  if (name.size() > kNameBytes) name.resize(kNameBytes);
  return name;
}

uint64_t OnCpu(const Group& group) { return group.of(facts::Share::kRunning); }

uint64_t Delay(const Group& group) {
  const measure::Histogram& waits = group.of(measure::Duration::kWakeupLatency).whole;
  return waits.count() == 0 ? 0 : waits.Quantile(0.99);
}

// The groups with the highest values, which are above 0.
std::vector<const Group*> Top(const measure::Capture& capture, uint64_t (*value)(const Group&)) {
  std::vector<const Group*> groups;
  for (const Group& group : capture.groups) {
    if (value(group) > 0) groups.push_back(&group);
  }
  std::stable_sort(groups.begin(), groups.end(),
                   [&](const Group* a, const Group* b) { return value(*a) > value(*b); });
  if (groups.size() > kRows) groups.resize(kRows);
  return groups;
}

}  // namespace

util::Result<measure::Capture> MeasureNow(control::Client& client, uint64_t span) {
  const util::UniqueFd memory(memfd_create("fxt-record-watch", MFD_CLOEXEC));
  if (!memory) {
    return util::Error{fmt::format("no memory for a snapshot: {}", strerror(errno)), ""};
  }
  auto written = client.TakeSnapshot({memory.get(), false}, span);
  if (!written) return written.TakeError();
  return measure::Load(fmt::format("/proc/self/fd/{}", memory.get()));
}

std::string BusiestLines(const measure::Capture& capture) {
  const double seconds = static_cast<double>(capture.length()) / 1e9;
  if (seconds <= 0) return "";
  uint64_t switches = 0;
  uint64_t wakeups = 0;
  uint64_t migrations = 0;
  for (const Group& group : capture.groups) {
    switches += group.switches_voluntary + group.switches_involuntary;
    wakeups += group.wakeups;
    migrations += group.migrations;
  }
  const auto rate = [&](uint64_t count) {
    return util::FormatCount(static_cast<uint64_t>(static_cast<double>(count) / seconds));
  };
  std::string text = fmt::format("{:<10} {} switches, {} wakeups, {} migrations a second\n", "now",
                                 rate(switches), rate(wakeups), rate(migrations));
  text += fmt::format("\n{:<{}} {:>7}\n", "BUSIEST", kNameBytes, "CPU");
  for (const Group* group : Top(capture, OnCpu)) {
    text += fmt::format("{:<{}} {:>6.1f}%\n", NameOf(*group), kNameBytes,
                        static_cast<double>(OnCpu(*group)) / seconds / 1e7);
  }
  text += fmt::format("\n{:<{}} {:>9} {:>9} {:>9}\n", "MOST DELAYED (wakeup latency)", kNameBytes,
                      "WAKEUPS", "p50", "p99");
  for (const Group* group : Top(capture, Delay)) {
    const measure::Histogram& waits = group->of(measure::Duration::kWakeupLatency).whole;
    text += fmt::format("{:<{}} {:>9} {:>9} {:>9}\n", NameOf(*group), kNameBytes,
                        util::FormatCount(waits.count()), util::FormatDuration(waits.Quantile(0.5)),
                        util::FormatDuration(Delay(*group)));
  }
  return text;
}

}  // namespace tools
