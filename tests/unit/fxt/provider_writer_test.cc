// SPDX-License-Identifier: BSD-2-Clause
#include "fxt/provider_writer.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "unit/fxt/support/collecting_sink.h"
#include "unit/fxt/support/word_checker.h"

namespace fxt {
namespace {

using testing::CollectingSink;
using testing::SeenEvent;
using testing::SeenSwitch;
using testing::WordChecker;

// Thread n of process n / 4.
ThreadKey Key(uint32_t n) { return {.handle = n, .process = 1000 + n / 4, .thread = 5000 + n}; }

SeenSwitch Seen(Ticks time, const ThreadKey& out, const ThreadKey& in) {
  return {time, {out.process, out.thread}, {in.process, in.thread}};
}

class ProviderWriterTest : public ::testing::Test {
 protected:
  EncodeStatus Switch(ProviderWriter& writer, Ticks time, const ThreadKey& out,
                      const ThreadKey& in) {
    expected_switches_.push_back(Seen(time, out, in));
    return writer.WriteContextSwitch(time, 0, ThreadState::kBlocked, out, in, 120, 120);
  }

  WordChecker Check(ArchiveWriter& archive) {
    EXPECT_TRUE(archive.Flush());
    WordChecker checker(sink_.words);
    EXPECT_EQ(checker.problems, std::vector<std::string>());
    EXPECT_EQ(checker.switches, expected_switches_);
    for (const auto& [id, name] : checker.provider_names) {
      EXPECT_EQ(name, "fxt-record");
      EXPECT_TRUE(checker.providers_with_rate.contains(id)) << id;
    }
    return checker;
  }

  CollectingSink sink_;
  std::vector<SeenSwitch> expected_switches_;
};

TEST_F(ProviderWriterTest, StartsWithMagicProviderAndInitialization) {
  ArchiveWriter archive(sink_);
  ProviderWriter writer(archive, "fxt-record");
  ASSERT_TRUE(archive.Flush());
  // M1, as M2 and M3 with id 1, I2.
  ASSERT_EQ(sink_.words.size(), 7u);
  EXPECT_EQ(sink_.words[0], 0x0016547846040010u);
  EXPECT_EQ(sink_.words[1], 0x00a0000000110030u);
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(&sink_.words[2]), 16),
            std::string("fxt-record\0\0\0\0\0\0", 16));
  EXPECT_EQ(sink_.words[4], 0x0000000000120010u);
  EXPECT_EQ(sink_.words[5], 0x0000000000000021u);
  EXPECT_EQ(sink_.words[6], 0x000000003b9aca00u);
}

TEST_F(ProviderWriterTest, WritesASwitchOfKnownThreadsInSixteenBytes) {
  ArchiveWriter archive(sink_);
  ProviderWriter writer(archive, "fxt-record");
  ASSERT_EQ(Switch(writer, 1, Key(1), Key(2)), EncodeStatus::kOk);
  const uint64_t before = archive.bytes();
  ASSERT_EQ(Switch(writer, 2, Key(2), Key(1)), EncodeStatus::kOk);
  EXPECT_EQ(archive.bytes() - before, 16u);
  EXPECT_EQ(Check(archive).thread_records, 2u);
}

TEST_F(ProviderWriterTest, UsesOneProviderForUpTo255Threads) {
  ArchiveWriter archive(sink_);
  ProviderWriter writer(archive, "fxt-record");
  for (uint32_t n = 0; n < 5000; ++n) {
    ASSERT_EQ(Switch(writer, n, Key(n % 255), Key((n * 7 + 1) % 255)), EncodeStatus::kOk);
  }
  const auto checker = Check(archive);
  EXPECT_EQ(checker.thread_records, 255u);
  EXPECT_EQ(checker.provider_names.size(), 1u);
}

// Random threads, more than all tables hold, with exits and reused handles.
TEST_F(ProviderWriterTest, ResolvesEveryReferenceOfRandomThreads) {
  for (const unsigned tables : {1u, 2u, 16u}) {
    SCOPED_TRACE(tables);
    sink_.words.clear();
    expected_switches_.clear();
    ArchiveWriter archive(sink_, 4096);
    ProviderWriter writer(archive, "fxt-record", {.threads = {.tables = tables}, .strings = {}});
    const StringId category = writer.Declare("sched");
    std::mt19937 random(tables);
    std::vector<Koid> koid(6000);
    for (size_t n = 0; n < koid.size(); ++n) koid[n] = 100 + n;
    const auto key = [&](uint32_t handle) {
      return ThreadKey{.handle = handle, .process = 1 + koid[handle] % 50, .thread = koid[handle]};
    };
    std::vector<SeenEvent> expected_events;
    for (Ticks time = 0; time < 60000; ++time) {
      const uint32_t out = random() % 6000;
      const uint32_t in = random() % 6000;
      ASSERT_EQ(Switch(writer, time, key(out), key(in)), EncodeStatus::kOk);
      if (time % 3 == 0) {
        writer.ForgetThread(out);
        koid[out] += 1'000'000;
      } else if (time % 3 == 1) {
        const std::string name = "name " + std::to_string(random() % 500);
        RecordScope scope = writer.Begin(key(out));
        ASSERT_EQ(scope.Write(Event{.type = EventType::kInstant,
                                    .timestamp = time,
                                    .thread = scope.thread(),
                                    .category = scope.Refer(category),
                                    .name = scope.Intern(name),
                                    .arguments = {}}),
                  EncodeStatus::kOk);
        expected_events.push_back({time, {key(out).process, key(out).thread}, "sched", name});
      }
    }
    const auto checker = Check(archive);
    EXPECT_EQ(checker.events, expected_events);
    EXPECT_GT(checker.provider_names.size(), tables);
    EXPECT_EQ(checker.provider_names.size(), writer.thread_stats().tables_opened);
    EXPECT_EQ(checker.thread_records, writer.thread_stats().registrations);
  }
}

// The handle returns with another koid without ForgetThread().
TEST_F(ProviderWriterTest, SeparatesAReusedHandleFromItsPredecessor) {
  ArchiveWriter archive(sink_);
  ProviderWriter writer(archive, "fxt-record");
  const ThreadKey first{.handle = 3, .process = 10, .thread = 11};
  const ThreadKey second{.handle = 3, .process = 10, .thread = 12};
  const ThreadKey moved{.handle = 3, .process = 20, .thread = 12};
  ASSERT_EQ(Switch(writer, 1, first, Key(1)), EncodeStatus::kOk);
  ASSERT_EQ(Switch(writer, 2, second, Key(1)), EncodeStatus::kOk);
  ASSERT_EQ(Switch(writer, 3, moved, Key(1)), EncodeStatus::kOk);
  Check(archive);
}

TEST_F(ProviderWriterTest, WritesHandlesOutOfBoundsInline) {
  ArchiveWriter archive(sink_);
  ProviderWriter writer(archive, "fxt-record");
  const ThreadKey huge{.handle = 0xfffffff0, .process = 10, .thread = 11};
  for (Ticks time = 0; time < 1000; ++time) {
    ASSERT_EQ(Switch(writer, time, huge, Key(1)), EncodeStatus::kOk);
  }
  const auto checker = Check(archive);
  EXPECT_EQ(checker.thread_records, 1u);
  EXPECT_EQ(checker.provider_names.size(), 1u) << "a fresh table cannot help it";
}

TEST_F(ProviderWriterTest, DefinesStringsOnceAtFirstUse) {
  ArchiveWriter archive(sink_);
  ProviderWriter writer(archive, "fxt-record");
  const StringId category = writer.Declare("irq");
  const StringId unused = writer.Declare("unused");
  static_cast<void>(unused);
  const StringId name = writer.Declare("nvme0q1");
  for (Ticks time = 0; time < 3; ++time) {
    ASSERT_EQ(writer.WriteEvent(EventType::kDurationBegin, time, Key(1), category, name),
              EncodeStatus::kOk);
  }
  ASSERT_EQ(writer.WriteEvent(EventType::kInstant, 3, Key(1), category, StringId()),
            EncodeStatus::kOk);
  const auto checker = Check(archive);
  EXPECT_EQ(checker.string_records, 2u);
  ASSERT_EQ(checker.events.size(), 4u);
  EXPECT_EQ(checker.events[2], (SeenEvent{2, {1000, 5001}, "irq", "nvme0q1"}));
  EXPECT_EQ(checker.events[3], (SeenEvent{3, {1000, 5001}, "irq", ""}));
}

EncodeStatus WriteInstant(ProviderWriter& writer, Ticks time, std::string_view name) {
  RecordScope scope = writer.Begin();
  return scope.Write(Event{.type = EventType::kInstant,
                           .timestamp = time,
                           .thread = ThreadRef::Inline(1, 2),
                           .category = {},
                           .name = scope.Intern(name),
                           .arguments = {}});
}

TEST_F(ProviderWriterTest, WritesStringsBeyondTheTableInline) {
  ArchiveWriter archive(sink_);
  ProviderWriter writer(
      archive, "fxt-record",
      {.threads = {}, .strings = {.strings = 100'000}, .purge_after_bytes = 1'000'000'000});
  std::vector<SeenEvent> expected;
  for (Ticks time = 0; time < 33'000; ++time) {
    const std::string name = "string number " + std::to_string(time);
    ASSERT_EQ(WriteInstant(writer, time, name), EncodeStatus::kOk);
    expected.push_back({time, {1, 2}, "", name});
  }
  const auto checker = Check(archive);
  EXPECT_EQ(checker.string_records, 32767u);
  EXPECT_TRUE(checker.events == expected);
}

TEST_F(ProviderWriterTest, PurgesAFullPool) {
  ArchiveWriter archive(sink_);
  ProviderWriter writer(archive, "fxt-record",
                        {.threads = {}, .strings = {.strings = 10}, .purge_after_bytes = 1000});
  const StringId category = writer.Declare("sched");
  std::vector<SeenEvent> expected;
  for (Ticks time = 0; time < 1000; ++time) {
    const std::string name = "string number " + std::to_string(time);
    RecordScope scope = writer.Begin(Key(1));
    ASSERT_EQ(scope.Write(Event{.type = EventType::kInstant,
                                .timestamp = time,
                                .thread = scope.thread(),
                                .category = scope.Refer(category),
                                .name = scope.Intern(name),
                                .arguments = {}}),
              EncodeStatus::kOk);
    expected.push_back({time, {1000, 5001}, "sched", name});
  }
  const auto checker = Check(archive);
  EXPECT_EQ(checker.events, expected);
  EXPECT_GT(checker.provider_names.size(), 10u);
}

TEST_F(ProviderWriterTest, CutsLongStringsAtACharacter) {
  ArchiveWriter archive(sink_);
  ProviderWriter writer(archive, "fxt-record");
  std::string text(31'999, 'a');
  text += "\xc3\xa9 and more";
  ASSERT_EQ(WriteInstant(writer, 1, text), EncodeStatus::kOk);
  const auto checker = Check(archive);
  EXPECT_EQ(checker.events.at(0).name, text.substr(0, 31'999));
}

TEST_F(ProviderWriterTest, ReplacesInvalidUtf8) {
  ArchiveWriter archive(sink_);
  ProviderWriter writer(archive, "fxt-record", {.threads = {}, .strings = {.strings = 1}});
  ASSERT_EQ(WriteInstant(writer, 1, "he\xfflo"), EncodeStatus::kOk);
  ASSERT_EQ(WriteInstant(writer, 2, "no room\xff."), EncodeStatus::kOk);
  const auto checker = Check(archive);
  EXPECT_EQ(checker.events.at(0).name, "he\xef\xbf\xbdlo");
  EXPECT_EQ(checker.events.at(1).name, "no room");
}

// A scope keeps its table even if another one was opened meanwhile.
TEST_F(ProviderWriterTest, ScopeOutlivesItsTable) {
  ArchiveWriter archive(sink_);
  ProviderWriter writer(archive, "fxt-record", {.threads = {.tables = 2}, .strings = {}});
  const StringId category = writer.Declare("sched");
  RecordScope outer = writer.Begin(Key(0));
  const StringRef outer_category = outer.Refer(category);
  for (uint32_t n = 0; n < 20'000; ++n) {
    ASSERT_EQ(Switch(writer, n, Key(n % 3001), Key(n * 7 % 2999)), EncodeStatus::kOk);
  }
  ASSERT_GT(writer.thread_stats().tables_opened, 4u);
  ASSERT_EQ(outer.Write(Event{.type = EventType::kInstant,
                              .timestamp = 1,
                              .thread = outer.thread(),
                              .category = outer_category,
                              .name = outer.Intern("late"),
                              .arguments = {}}),
            EncodeStatus::kOk);
  ASSERT_EQ(Switch(writer, 20'000, Key(1), Key(2)), EncodeStatus::kOk);
  const auto checker = Check(archive);
  ASSERT_EQ(checker.events.size(), 1u);
  EXPECT_EQ(checker.events[0], (SeenEvent{1, {1000, 5000}, "sched", "late"}));
}

TEST_F(ProviderWriterTest, SeveralProvidersShareAnArchive) {
  ArchiveWriter archive(sink_);
  ProviderWriter writer(archive, "fxt-record");
  ProviderWriter other(archive, "fxt-record");
  EXPECT_NE(writer.provider_id(), other.provider_id());
  for (Ticks time = 0; time < 10; ++time) {
    ASSERT_EQ(Switch(writer, 2 * time, Key(1), Key(2)), EncodeStatus::kOk);
    ASSERT_EQ(Switch(other, 2 * time + 1, Key(3), Key(4)), EncodeStatus::kOk);
  }
  EXPECT_EQ(Check(archive).thread_records, 4u);
}

TEST_F(ProviderWriterTest, WakeupAndBufferFilledUpMatchTheVectors) {
  ArchiveWriter archive(sink_);
  ProviderWriter writer(archive, "fxt-record");
  ASSERT_TRUE(archive.Flush());
  sink_.words.clear();
  const StringId waker = writer.Declare("waker");
  ASSERT_EQ(writer.WriteWakeup(1, 1, 0x1aaa, waker, 0x2ccc), EncodeStatus::kOk);
  ASSERT_EQ(writer.WriteBufferFilledUp(), EncodeStatus::kOk);
  ASSERT_TRUE(archive.Flush());
  // As C7, but with string 1 as the argument's name; M5.
  const std::vector<uint64_t> expected = {0x0000000500010022,
                                          0x00000072656b6177,
                                          0x2000000000110058,
                                          1,
                                          0x1aaa,
                                          0x0000000000010028,
                                          0x2ccc,
                                          0x0000000000130010};
  ASSERT_EQ(sink_.words, expected);
}

TEST_F(ProviderWriterTest, ReportsAFailedSinkAtTheNextRecord) {
  sink_.fail = true;
  ArchiveWriter archive(sink_, 64);
  ProviderWriter writer(archive, "fxt-record");
  EncodeStatus status = EncodeStatus::kOk;
  for (Ticks time = 0; time < 10 && status == EncodeStatus::kOk; ++time) {
    status = Switch(writer, time, Key(1), Key(2));
  }
  EXPECT_EQ(status, EncodeStatus::kSinkFailed);
  EXPECT_EQ(Switch(writer, 99, Key(1), Key(2)), EncodeStatus::kSinkFailed);
  EXPECT_EQ(WriteInstant(writer, 99, "text"), EncodeStatus::kSinkFailed);
  EXPECT_FALSE(archive.Flush());
  EXPECT_EQ(sink_.calls, 1);
}

}  // namespace
}  // namespace fxt
