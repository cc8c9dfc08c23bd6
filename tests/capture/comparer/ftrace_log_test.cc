// SPDX-License-Identifier: BSD-2-Clause
// The reference: the binary buffers of ftrace match the text that the kernel prints from them.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "capture/ftrace/tracefs/event_format.h"
#include "capture/ftrace/tracefs/ftrace_session.h"
#include "capture/ftrace/tracefs/ring_page.h"
#include "capture/ftrace/tracefs/text_trace.h"
#include "util/unique_fd.h"

namespace truth {
namespace {

constexpr char kOldFormat[] = R"(name: sched_switch
ID: 316
format:
	field:unsigned short common_type;	offset:0;	size:2;	signed:0;
	field:int common_pid;	offset:4;	size:4;	signed:1;

	field:char prev_comm[16];	offset:8;	size:16;	signed:1;
	field:pid_t prev_pid;	offset:24;	size:4;	signed:1;
	field:long prev_state;	offset:32;	size:8;	signed:1;

print fmt: "x", (REC->prev_state & 0xff) ? __print_flags(REC->prev_state & 0xff, "|", { 0x0001, "S" }, { 0x0002, "D" }, { 0x0004, "T" }, { 0x0008, "t" }, { 0x0010, "X" }, { 0x0020, "Z" }, { 0x0040, "P" }, { 0x0080, "I" }) : "R", REC->prev_state & 0x100 ? "+" : ""
)";

TEST(EventFormat, FindsFieldsWhereverTheKernelPutsThem) {
  const auto format = ParseEventFormat(kOldFormat);
  ASSERT_TRUE(format.ok()) << format.error().message;
  EXPECT_EQ(format->name, "sched_switch");
  EXPECT_EQ(format->id, 316);
  ASSERT_NE(format->Find("prev_comm"), nullptr);
  EXPECT_EQ(format->Find("prev_comm")->offset, 8u);
  EXPECT_EQ(format->Find("next_pid"), nullptr);
  std::array<std::byte, 32> payload{};
  const int32_t tid = -2;
  std::memcpy(payload.data() + 24, &tid, sizeof(tid));
  std::memcpy(payload.data() + 8, "sh\0junk", 7);
  EXPECT_EQ(ReadInteger(*format->Find("prev_pid"), payload), -2);
  EXPECT_EQ(ReadCharArray(*format->Find("prev_comm"), payload), "sh");
  // prev_state lies beyond these bytes.
  EXPECT_FALSE(ReadInteger(*format->Find("prev_state"), payload).has_value());
  EXPECT_FALSE(ParseEventFormat("nothing of the kind").ok());
}

TEST(EventFormat, FollowsTextToWhereItIs) {
  const auto format = ParseEventFormat(
      "name: x\nID: 1\nformat:\n"
      "\tfield:__data_loc char[] comm;\toffset:8;\tsize:4;\tsigned:0;\n");
  ASSERT_TRUE(format.ok());
  ASSERT_NE(format->Find("comm"), nullptr);
  std::array<std::byte, 24> payload{};
  uint32_t location = 6u << 16 | 16;
  std::memcpy(payload.data() + 8, &location, sizeof(location));
  std::memcpy(payload.data() + 16, "shell", 6);
  EXPECT_EQ(ReadCharArray(*format->Find("comm"), payload), "shell");
  location = 60u << 16 | 16;
  std::memcpy(payload.data() + 8, &location, sizeof(location));
  EXPECT_EQ(ReadCharArray(*format->Find("comm"), payload), "");
}

TEST(EventFormat, ReadsStateLettersFromThePrintFormat) {
  const auto format = ParseEventFormat(kOldFormat);
  ASSERT_TRUE(format.ok());
  const auto letters = StateLetters::Parse(format->print_format);
  ASSERT_TRUE(letters.ok());
  EXPECT_EQ(letters->Letter(0), 'R');
  EXPECT_EQ(letters->Letter(0x1), 'S');
  EXPECT_EQ(letters->Letter(0x80), 'I');
  EXPECT_EQ(letters->Letter(0x100), StateLetters::kPreempted);
  EXPECT_EQ(letters->Letter(0x1000), '?');
  EXPECT_EQ(StateText(letters->Letter(0x100)), "R+");
  EXPECT_EQ(StateLetter("R+"), StateLetters::kPreempted);
}

// A page as kernel/trace/ring_buffer.c lays it out.
class PageBuilder {
 public:
  explicit PageBuilder(uint64_t time_ns) { Put(time_ns), Put(uint64_t{0}); }
  void Event(uint32_t delta, std::initializer_list<uint32_t> words) {
    Put(static_cast<uint32_t>(words.size()) | delta << 5);
    for (const uint32_t word : words) Put(word);
  }
  void Sized(uint32_t delta, uint32_t bytes) {
    Put(delta << 5), Put(bytes + 4);
    bytes_.resize(bytes_.size() + (bytes + 3) / 4 * 4);
  }
  void Special(uint32_t type, uint32_t delta, uint32_t word) { Put(type | delta << 5), Put(word); }
  std::span<const std::byte> Finish(uint64_t flags = 0) {
    const uint64_t commit = (bytes_.size() - 16) | flags;
    std::memcpy(bytes_.data() + 8, &commit, sizeof(commit));
    bytes_.resize(4096);
    return bytes_;
  }

 private:
  template <typename T>
  void Put(T value) {
    bytes_.resize(bytes_.size() + sizeof(T));
    std::memcpy(bytes_.data() + bytes_.size() - sizeof(T), &value, sizeof(T));
  }
  std::vector<std::byte> bytes_;
};

const PageLayout kLayout = {
    {"timestamp", 0, 8, false}, {"commit", 8, 8, true}, {"data", 16, 4080, false}};

TEST(RingPage, GivesEachEventItsTime) {
  PageBuilder builder(1'000'000);
  builder.Event(5, {1, 2});
  builder.Special(30, 3, 2);  // time extend: 2 * 2^27 + 3
  builder.Event(0, {7});
  builder.Special(29, 9, 4);  // a discarded event of four bytes
  builder.Sized(10, 200);
  builder.Special(31, 11, 4);  // absolute: 4 * 2^27 + 11
  builder.Event(1, {8});
  std::vector<std::pair<uint64_t, size_t>> seen;
  const auto visited = VisitPage(kLayout, builder.Finish(), [&](uint64_t time, auto payload) {
    seen.emplace_back(time, payload.size());
  });
  ASSERT_TRUE(visited.ok()) << visited.error().message;
  EXPECT_FALSE(visited->missed);
  const uint64_t extended = 1'000'005 + (2ull << 27) + 3;
  const std::vector<std::pair<uint64_t, size_t>> expected = {
      {1'000'005, 8}, {extended, 4}, {extended + 19, 200}, {(4ull << 27) + 12, 4}};
  EXPECT_EQ(seen, expected);
}

TEST(RingPage, SaysThatEventsWereMissed) {
  PageBuilder builder(1);
  builder.Event(1, {1});
  const auto visited = VisitPage(kLayout, builder.Finish(1u << 31), [](uint64_t, auto) {});
  ASSERT_TRUE(visited.ok());
  EXPECT_TRUE(visited->missed);
}

TEST(RingPage, RefusesAnEventBeyondItsEnd) {
  PageBuilder builder(1);
  builder.Sized(1, 8);
  std::vector<std::byte> page(builder.Finish().begin(), builder.Finish().end());
  const uint32_t huge = 0xfffffff0;
  std::memcpy(page.data() + 20, &huge, sizeof(huge));
  EXPECT_FALSE(VisitPage(kLayout, page, [](uint64_t, auto) {}).ok());
}

TEST(SwitchLog, SurvivesTheDisk) {
  SwitchLog log;
  log.cpus.resize(2);
  Switch s;
  s.prev_name = log.names.Intern("a");
  log.names.Intern("b");
  s.next_priority = -1;
  log.cpus[1].push_back(s);
  log.renames.push_back({1, 0, 2, 3, 0, 1});
  log.births.push_back({1, 2, 3});
  log.init_tids = {1, 9};
  char path[] = "/tmp/switch_log_XXXXXX";
  util::UniqueFd fd(mkstemp(path));
  ASSERT_TRUE(fd.valid());
  ASSERT_TRUE(SaveSwitchLog(log, path).ok());
  const auto loaded = LoadSwitchLog(path);
  ASSERT_TRUE(loaded.ok()) << loaded.error().message;
  ASSERT_EQ(loaded->switch_count(), 1u);
  EXPECT_EQ(loaded->cpus[1][0].next_priority, -1);
  EXPECT_EQ(loaded->names.Name(loaded->cpus[1][0].prev_name), "a");
  EXPECT_EQ(loaded->init_tids, log.init_tids);
  EXPECT_EQ(loaded->renames.size(), 1u);
  ASSERT_EQ(truncate(path, 60), 0);
  EXPECT_FALSE(LoadSwitchLog(path).ok());
  unlink(path);
}

TEST(FtraceSession, BinaryPagesMatchTheTextOfTheKernel) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root";
  auto session = FtraceSession::Create({.buffer_kib = 32768});
  if (!session.ok()) GTEST_SKIP() << session.error().message;
  ASSERT_TRUE(session->Start().ok());
  // Two threads alternate, with pauses long enough for time extensions.
  int ping[2], pong[2];
  ASSERT_EQ(pipe(ping), 0);
  ASSERT_EQ(pipe(pong), 0);
  std::thread other([&] {
    char byte;
    while (read(ping[0], &byte, 1) == 1 && write(pong[1], &byte, 1) == 1) {
    }
  });
  for (int i = 0; i < 3000; ++i) {
    char byte = 0;
    ASSERT_EQ(write(ping[1], &byte, 1), 1);
    ASSERT_EQ(read(pong[0], &byte, 1), 1);
    if (i % 1000 == 0) usleep(200'000);
  }
  close(ping[1]);
  other.join();
  for (const int fd : {ping[0], pong[0], pong[1]}) close(fd);
  ASSERT_TRUE(session->Stop().ok());

  const auto text = session->ReadText();
  ASSERT_TRUE(text.ok()) << text.error().message;
  const auto binary = session->Collect();
  ASSERT_TRUE(binary.ok()) << binary.error().message;
  EXPECT_EQ(binary->lost(), 0u);

  size_t unreadable = 0;
  const std::vector<TextSwitch> printed = ParseTextTrace(*text, &unreadable);
  EXPECT_EQ(unreadable, 0u);
  ASSERT_GT(printed.size(), 6000u);
  ASSERT_EQ(printed.size(), binary->log.switch_count());
  std::vector<size_t> next(binary->log.cpus.size());
  const NameTable& names = binary->log.names;
  for (const TextSwitch& p : printed) {
    ASSERT_LT(p.cpu, next.size());
    ASSERT_LT(next[p.cpu], binary->log.cpus[p.cpu].size());
    const Switch& b = binary->log.cpus[p.cpu][next[p.cpu]++];
    ASSERT_EQ((b.time_ns + 500) / 1000, p.time_us);
    ASSERT_EQ(names.Name(b.prev_name), p.prev_comm);
    ASSERT_EQ(names.Name(b.next_name), p.next_comm);
    ASSERT_EQ(b.prev_tid, p.prev_tid);
    ASSERT_EQ(b.next_tid, p.next_tid);
    ASSERT_EQ(b.prev_priority, p.prev_priority);
    ASSERT_EQ(b.next_priority, p.next_priority);
    ASSERT_EQ(StateText(b.prev_state), p.prev_state);
  }
}

}  // namespace
}  // namespace truth
