// SPDX-License-Identifier: BSD-2-Clause
#include "provider/provider_set.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "unit/provider/fake_provider.h"
#include "util/clock.h"

namespace provider {
namespace {

using testing::FakeProvider;

class ProviderSetTest : public ::testing::Test {
 protected:
  // A provider: the states that it was notified of, and its memory.
  struct Client {
    std::vector<ProviderState> states;
    std::shared_ptr<util::UniqueFd> fd;
  };
  // Returns 0 if it is refused.
  uint32_t Add(Client& client, const std::string& name = "app",
               const ProviderProcess& process = {.pid = 100}) {
    const auto id = set_.Add(name, process, [&client](uint32_t, ProviderState state, auto buffer) {
      client.states.push_back(state);
      if (buffer) client.fd = buffer;
    });
    Run();
    return id.value_or(0);
  }
  void Run() {
    for (const auto& work : std::exchange(work_, {})) work();
  }
  void Begin(fxt_buffer_mode mode) {
    ProviderSessionOptions options;
    options.mode = mode;
    set_.Begin(options);
    set_.Start(0, 0, false);
  }
  // The current time in ticks of the memory's clock.
  static uint64_t Ticks(FakeProvider& fake) {
#if defined(__x86_64__)
    if (fake.header().clock == FXT_CLOCK_COUNTER) return __builtin_ia32_rdtsc();
#endif
    return util::MonotonicNow();
  }
  static FakeProvider FakeOf(const Client& client) {
    return FakeProvider(client.fd->get(), ProviderSet::kDefaultBytes / FXT_BLOCK_BYTES);
  }
  static size_t CountRecords(const ProviderRecords& records) {
    size_t count = 0;
    for (const auto& batch : records.batches) count += batch->entries.size();
    return count;
  }

  std::vector<std::function<void()>> work_;
  ProviderSet set_{[this](std::function<void()> work) { work_.push_back(std::move(work)); }};
};

TEST_F(ProviderSetTest, NotifiesProvidersOfTheSession) {
  Client client;
  EXPECT_EQ(Add(client), 2u);
  EXPECT_EQ(client.states, std::vector{ProviderState::kRegistered});
  set_.Begin({});
  set_.Start(0, 0, false);
  set_.Stop();
  set_.End();
  Run();
  EXPECT_EQ(client.states,
            (std::vector{ProviderState::kRegistered, ProviderState::kInitialized,
                         ProviderState::kStarted, ProviderState::kStopped, ProviderState::kEnded}));
  EXPECT_NE(client.fd, nullptr);
}

TEST_F(ProviderSetTest, LateProvidersJoinAStartedSession) {
  Begin(FXT_MODE_STREAMING);
  Client client;
  Add(client);
  EXPECT_EQ(client.states, std::vector{ProviderState::kStarted});
  EXPECT_NE(client.fd, nullptr);
}

TEST_F(ProviderSetTest, RefusesAndCountsProvidersBeyondTheLimit) {
  std::vector<Client> clients(ProviderSet::kMaxProviders);
  for (Client& client : clients) EXPECT_NE(Add(client), 0u);
  Client last;
  EXPECT_EQ(Add(last), 0u);
  EXPECT_EQ(set_.refused(), 1u);
  set_.Remove(2);
  EXPECT_NE(Add(last), 0u);
}

TEST_F(ProviderSetTest, LimitsProvidersPerUserAndReservesPlacesForRoot) {
  Begin(FXT_MODE_STREAMING);
  Client client;
  size_t places = 0;
  for (uid_t user = 1000; user < 1004; ++user) {
    size_t of_user = 0;
    while (Add(client, "app", {.pid = 100, .user = user}) != 0) ++of_user;
    EXPECT_LE(of_user, ProviderSet::kMaxProvidersOfUser);
    places += of_user;
  }
  EXPECT_EQ(places, ProviderSet::kMaxProvidersOfUsers);
  EXPECT_NE(Add(client, "root's", {.pid = 100}), 0u);
  EXPECT_EQ(set_.refused(), 4u);
  const ProviderRecords records = set_.Collect();
  ASSERT_EQ(records.refusals.size(), 4u);
  EXPECT_EQ(records.refusals[0].user, 1000u);
  EXPECT_EQ(records.refusals[0].count, 1u);
  EXPECT_EQ(records.refusals[0].name, "app");
  EXPECT_TRUE(set_.Collect().refusals.empty());
}

TEST_F(ProviderSetTest, NoProviderHasTheRecordersName) {
  Client client;
  Add(client, "fxt-record");
  EXPECT_EQ(set_.List()[0].name, "fxt-record (program)");
}

// Many programs register and exit between two calls of Collect().
TEST_F(ProviderSetTest, ManyShortProvidersKeepTheirRecords) {
  for (const fxt_buffer_mode mode : {FXT_MODE_STREAMING, FXT_MODE_CIRCULAR}) {
    Begin(mode);
    constexpr size_t kPrograms = 1500;
    for (size_t i = 0; i < kPrograms; ++i) {
      Client client;
      const uint32_t id = Add(client);
      ASSERT_NE(id, 0u) << i;
      FakeProvider fake = FakeOf(client);
      const uint16_t name = fake.Add("one");
      fake.Take(0, 1, 100);
      fake.Event(0, Ticks(fake), name, name);
      set_.Remove(id);
    }
    EXPECT_EQ(set_.List().size(), 0u);
    const ProviderRecords records = mode == FXT_MODE_STREAMING ? set_.Collect() : set_.Copy();
    EXPECT_EQ(CountRecords(records), kPrograms);
    EXPECT_EQ(set_.records(), kPrograms);
    EXPECT_EQ(set_.lost() + set_.refused(), 0u);
    set_.End();
    Run();
  }
}

// Another process may still have the memory.
TEST_F(ProviderSetTest, AnExitedProcessIsNotReadAgain) {
  const pid_t child = fork();
  if (child == 0) {
    pause();
    _exit(0);
  }
  auto handle = util::ProcessHandle::Open(child);
  ASSERT_TRUE(handle);
  Begin(FXT_MODE_STREAMING);
  Client client;
  Add(client, "app",
      {.pid = static_cast<uint32_t>(child),
       .handle = std::make_shared<const util::ProcessHandle>(std::move(*handle))});
  FakeProvider fake = FakeOf(client);
  const uint16_t name = fake.Add("one");
  fake.Take(0, 1, static_cast<uint32_t>(child));
  fake.Event(0, Ticks(fake), name, name);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_EQ(CountRecords(set_.Collect()), 1u);
  fake.Event(0, Ticks(fake), name, name);
  EXPECT_EQ(CountRecords(set_.Collect()), 0u);
  EXPECT_TRUE(set_.List().empty());
}

TEST_F(ProviderSetTest, MarksStayUntilTheyAreOlderThanTheWindow) {
  for (const fxt_buffer_mode mode : {FXT_MODE_STREAMING, FXT_MODE_CIRCULAR}) {
    Begin(mode);
    EXPECT_TRUE(set_.AddMark({.pid = 7,
                              .time = util::MonotonicNow(),
                              .kind = fxt::EventType::kCounter,
                              .category = "mark",
                              .name = "n",
                              .value = 3}));
    if (mode == FXT_MODE_STREAMING) {
      const ProviderRecords records = set_.Collect();
      ASSERT_EQ(records.batches.size(), 1u);
      EXPECT_EQ(records.batches[0]->identity->name, "fxt-mark");
      EXPECT_TRUE(set_.Collect().batches.empty());
    } else {
      set_.Scan(0);
      EXPECT_EQ(CountRecords(set_.Copy()), 1u);
      EXPECT_EQ(CountRecords(set_.Copy()), 1u);
      set_.Scan(UINT64_MAX);
      EXPECT_EQ(CountRecords(set_.Copy()), 0u);
    }
    EXPECT_EQ(set_.records(), 1u);
    set_.End();
    Run();
  }
}

TEST_F(ProviderSetTest, WithoutASessionNothingIsRecorded) {
  EXPECT_FALSE(set_.AddMark({.pid = 7, .time = util::MonotonicNow(), .category = "", .name = "n"}));
  EXPECT_TRUE(set_.Collect().batches.empty());
  EXPECT_TRUE(set_.Copy().batches.empty());
}

TEST_F(ProviderSetTest, BufferSizesOfNamesHaveALimitInSum) {
  ProviderSessionOptions options;
  options.bytes_of["large"] = ProviderSet::kMaxSpecialBytes / 2;
  set_.Begin(options);
  std::vector<Client> clients(4);
  for (Client& client : clients) Add(client, "large");
  Add(clients[3], "other");
  const auto size_of = [](const Client& client) {
    struct stat size = {};
    fstat(client.fd->get(), &size);
    return static_cast<uint64_t>(size.st_size);
  };
  EXPECT_EQ(size_of(clients[0]), fxt_buffer_bytes(32768));
  EXPECT_EQ(size_of(clients[1]), fxt_buffer_bytes(32768));
  EXPECT_EQ(size_of(clients[2]), fxt_buffer_bytes(256));
  EXPECT_EQ(size_of(clients[3]), fxt_buffer_bytes(256));
}

// Every provider's buffer is full of the shortest records.
TEST_F(ProviderSetTest, ASnapshotCopiesALimitedAmount) {
  Begin(FXT_MODE_CIRCULAR);
  std::vector<Client> clients(20);
  uint64_t written = 0;
  for (Client& client : clients) {
    Add(client);
    FakeProvider fake = FakeOf(client);
    const uint16_t name = fake.Add("n");
    for (uint32_t block = 0; block < ProviderSet::kDefaultBytes / FXT_BLOCK_BYTES; ++block) {
      fake.Take(block, block + 1, 100);
      const uint64_t ticks = Ticks(fake);
      for (uint32_t i = 0; i < FXT_BLOCK_BYTES / 16; ++i, ++written) {
        fake.Event(block, ticks, name, name);
      }
    }
  }
  const ProviderRecords records = set_.Copy();
  size_t bytes = 0;
  uint64_t lost = 0;
  for (const auto& batch : records.batches) {
    bytes += batch->words.size() * sizeof(uint64_t) + batch->entries.size() * sizeof(RecordEntry);
    lost += batch->lost;
    EXPECT_GT(batch->entries.size(), 0u);
  }
  EXPECT_LE(bytes, ProviderSet::kCopyBytes);
  EXPECT_EQ(CountRecords(records) + lost, written);
}

}  // namespace
}  // namespace provider
