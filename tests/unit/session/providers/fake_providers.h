// SPDX-License-Identifier: BSD-2-Clause
// A ProviderSet with one provider, for tests of sessions.
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

// The provider is process 100. Everything runs on the thread of the test.
class FakeProviders {
 public:
  FakeProviders() {
    set.Add("app", {.pid = 100}, [this](uint32_t, provider::ProviderState state, auto buffer) {
      states.push_back(state);
      if (!buffer) return;
      fd = std::move(buffer);
      fake.emplace(fd->get(), provider::ProviderSet::kDefaultBytes / FXT_BLOCK_BYTES);
    });
  }

  // Delivers notifications.
  void RunPosted() {
    for (const auto& work : std::exchange(work_, {})) work();
  }

  // Adds a mark of process 200.
  void Mark(const std::string& name, uint64_t time) {
    set.AddMark({.pid = 200,
                 .time = time,
                 .kind = fxt::EventType::kInstant,
                 .category = "mark",
                 .name = name});
  }

  // Writes an alert of the provider, now.
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
  std::vector<provider::ProviderState> states;
  std::shared_ptr<util::UniqueFd> fd;
  std::optional<provider::testing::FakeProvider> fake;
};

}  // namespace session::testing
