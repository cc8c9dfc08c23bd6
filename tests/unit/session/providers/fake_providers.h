// SPDX-License-Identifier: BSD-2-Clause
// Programs that take part, for tests of what a session does with them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "provider/provider_set.h"
#include "unit/provider/fake_provider.h"
#include "util/clock.h"

namespace session::testing {

// A set in which process 100 takes part, all on the thread of the test.
class FakeProviders {
 public:
  FakeProviders() {
    set.Add("app", 100, [this](uint32_t, provider::ProviderState told, auto buffer) {
      news.push_back(told);
      if (!buffer) return;
      fd = std::move(buffer);
      fake.emplace(fd->get(), provider::ProviderSet::kDefaultBytes / FXT_BLOCK_BYTES);
    });
  }

  // Lets the program hear what it was told.
  void Hear() {
    for (const auto& work : std::exchange(work_, {})) work();
  }

  // Something that process 200 says at `time`.
  void Mark(const std::string& name, uint64_t time) {
    set.AddMark({.pid = 200,
                 .time = time,
                 .kind = fxt::EventType::kInstant,
                 .category = "mark",
                 .name = name});
  }

  // An alert of the program itself, now.
  void Alert(const std::string& name) {
    const uint16_t text = fake->Add(name);
    if (fake->block(0).state != FXT_BLOCK_OWNED) fake->Take(0, 1, 100);
    fake->Event(0, Ticks(), text, text, FXT_EVENT_ALERT);
  }

 private:
  uint64_t Ticks() {
#if defined(__x86_64__)
    if (fake->header().clock == FXT_CLOCK_COUNTER) return __builtin_ia32_rdtsc();
#endif
    return util::MonotonicNow();
  }

  std::vector<std::function<void()>> work_;

 public:
  provider::ProviderSet set{
      [this](std::function<void()> work) { work_.push_back(std::move(work)); }};
  std::vector<provider::ProviderState> news;
  std::shared_ptr<util::UniqueFd> fd;
  std::optional<provider::testing::FakeProvider> fake;
};

}  // namespace session::testing
