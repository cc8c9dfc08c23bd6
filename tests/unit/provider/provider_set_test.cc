// SPDX-License-Identifier: BSD-2-Clause
#include "provider/provider_set.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "unit/provider/fake_provider.h"
#include "util/clock.h"

namespace provider {
namespace {

class ProviderSetTest : public ::testing::Test {
 protected:
  // As a provider would: its news, and its memory.
  struct Guest {
    std::vector<ProviderState> news;
    std::shared_ptr<util::UniqueFd> fd;
  };
  uint32_t Add(Guest& guest, const std::string& name = "app", uint32_t pid = 100) {
    const auto id = set_.Add(name, pid, [&guest](uint32_t, ProviderState news, auto buffer) {
      guest.news.push_back(news);
      if (buffer) guest.fd = buffer;
    });
    Run();
    return id.value_or(0);
  }
  void Run() {
    for (const auto& work : std::exchange(work_, {})) work();
  }

  std::vector<std::function<void()>> work_;
  ProviderSet set_{[this](std::function<void()> work) { work_.push_back(std::move(work)); }};
};

TEST_F(ProviderSetTest, TellsThoseWhoWereThereOfTheSession) {
  Guest guest;
  EXPECT_EQ(Add(guest), 2u);
  EXPECT_EQ(guest.news, std::vector{ProviderState::kRegistered});
  set_.Begin({});
  set_.Start(0, 0, false);
  set_.Stop();
  set_.End();
  Run();
  EXPECT_EQ(guest.news,
            (std::vector{ProviderState::kRegistered, ProviderState::kInitialized,
                         ProviderState::kStarted, ProviderState::kStopped, ProviderState::kEnded}));
  EXPECT_NE(guest.fd, nullptr);
}

TEST_F(ProviderSetTest, WhoComesLateHasWhatTheOthersHave) {
  set_.Begin({});
  set_.Start(0, 0, false);
  Guest guest;
  Add(guest);
  EXPECT_EQ(guest.news, std::vector{ProviderState::kStarted});
  EXPECT_NE(guest.fd, nullptr);
}

TEST_F(ProviderSetTest, ThereAreSoManyAtMost) {
  std::vector<Guest> guests(ProviderSet::kMaxProviders);
  for (Guest& guest : guests) EXPECT_NE(Add(guest), 0u);
  Guest last;
  EXPECT_EQ(Add(last), 0u);
  set_.Remove(2);
  EXPECT_NE(Add(last), 0u);
}

TEST_F(ProviderSetTest, WhatOneWroteStaysWhenItHasGone) {
  for (const fxt_buffer_mode mode : {FXT_MODE_STREAMING, FXT_MODE_CIRCULAR}) {
    ProviderSessionOptions options;
    options.mode = mode;
    set_.Begin(options);
    set_.Start(0, 0, false);
    EXPECT_TRUE(set_.AddMark({.pid = 7,
                              .time = util::MonotonicNow(),
                              .kind = fxt::EventType::kCounter,
                              .category = "mark",
                              .name = "n",
                              .value = 3}));
    Guest guest;
    const uint32_t id = Add(guest);
    EXPECT_EQ(set_.List().size(), 1u);
    set_.Remove(id);
    EXPECT_EQ(set_.List().size(), 0u);
    if (mode == FXT_MODE_STREAMING) {
      const auto batches = set_.Collect();
      ASSERT_EQ(batches.size(), 1u);
      EXPECT_EQ(batches[0]->identity->name, "fxt-mark");
      EXPECT_EQ(set_.Collect().size(), 0u);
    } else {
      set_.Look(0);
      EXPECT_GE(set_.Copy().size(), 1u);
      EXPECT_GE(set_.Copy().size(), 1u);
      // It is older than the window.
      set_.Look(UINT64_MAX);
      EXPECT_EQ(set_.Copy().size(), 0u);
    }
    EXPECT_EQ(set_.records(), 1u);
    set_.End();
    Run();
  }
}

TEST_F(ProviderSetTest, WithoutASessionNothingIsSaid) {
  EXPECT_FALSE(set_.AddMark({.pid = 7, .time = util::MonotonicNow(), .category = "", .name = "n"}));
  EXPECT_TRUE(set_.Collect().empty());
  EXPECT_TRUE(set_.Copy().empty());
}

TEST_F(ProviderSetTest, SizesGoByName) {
  ProviderSessionOptions options;
  options.bytes_of["large"] = uint64_t{16} << 20;
  set_.Begin(options);
  Guest large;
  Guest other;
  Add(large, "large");
  Add(other, "other");
  struct stat size = {};
  fstat(large.fd->get(), &size);
  EXPECT_EQ(static_cast<uint64_t>(size.st_size), fxt_buffer_bytes(1024));
  fstat(other.fd->get(), &size);
  EXPECT_EQ(static_cast<uint64_t>(size.st_size), fxt_buffer_bytes(256));
}

}  // namespace
}  // namespace provider
