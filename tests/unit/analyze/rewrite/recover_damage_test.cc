// SPDX-License-Identifier: BSD-2-Clause
// Cuts and overwrites recordings at random places. The recovered trace has no errors and nearly all
// undamaged records. FXT_DAMAGE_ROUNDS=10000 is the long form; FXT_DAMAGE_TRACE=FILE damages the
// given recording.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "analyze/check/checker.h"
#include "analyze/rewrite/recoverer.h"
#include "facts/record_kind.h"
#include "facts/recorder_facts.h"
#include "facts/scheduling.h"
#include "fxt/archive_writer.h"
#include "fxt/provider_writer.h"
#include "schema/koid.h"
#include "source/input.h"
#include "unit/analyze/recording_parts.h"
#include "unit/fxt/support/collecting_sink.h"

namespace analyze {
namespace {

using fxt::testing::CollectingSink;
using testing::RecordingParts;
using Bytes = std::vector<std::byte>;

int Rounds(int usual) {
  const char* wanted = std::getenv("FXT_DAMAGE_ROUNDS");
  return wanted == nullptr ? usual : std::atoi(wanted);
}

Bytes Copy(std::span<const std::byte> bytes) { return {bytes.begin(), bytes.end()}; }

// One record of each kind, then two threads that wake each other.
Bytes SmallRecording() {
  RecordingParts file = RecordingParts::Sound();
  const auto app = fxt::ThreadRef::Indexed(2);
  const auto worker = fxt::ThreadRef::Indexed(3);
  const auto idle = fxt::ThreadRef::Indexed(1);
  uint64_t time = 1'000'020'000;
  const fxt::Argument state{fxt::StringRef::Inline("state"), fxt::StringRef::Inline("D")};
  const fxt::Argument waker{fxt::StringRef::Inline("waker"), fxt::KoidValue{testing::kApp}};
  for (int i = 0; i < 700; ++i) {
    file.Add("",
             fxt::LegacyContextSwitch{time += 700, 0, fxt::ThreadState::kNew, idle, app, 0, 120});
    file.Add("", fxt::ThreadWakeup{time += 300, 0, testing::kWorker, {&waker, 1}});
    if (i % 20 == 0) {
      file.Add("", fxt::Event{fxt::EventType::kInstant,
                              time += 200,
                              app,
                              fxt::StringRef::Indexed(1),
                              fxt::StringRef::Inline("linux_state"),
                              {&state, 1},
                              0});
      file.Add(
          "", fxt::LegacyContextSwitch{time, 0, fxt::ThreadState::kBlocked, app, worker, 120, 100});
    } else {
      file.Add("", fxt::LegacyContextSwitch{time += 200, 0, fxt::ThreadState::kBlocked, app, worker,
                                            120, 100});
    }
    if (i % 30 == 0) {
      file.Add("", fxt::Log{time += 10, worker, "a message of some length"});
      file.Add("", fxt::Event{fxt::EventType::kInstant,
                              time,
                              worker,
                              fxt::StringRef::Inline("log"),
                              fxt::StringRef::Inline("a message of some length"),
                              {},
                              0});
    }
    file.Add("", fxt::LegacyContextSwitch{time += 900, 0, fxt::ThreadState::kBlocked, worker, idle,
                                          100, 0});
  }
  return Copy(file.Bytes());
}

// More threads than one table holds, on four CPUs.
Bytes ManyThreads() {
  constexpr uint32_t kCpus = 4;
  constexpr uint32_t kThreads = 500;
  CollectingSink sink;
  {
    fxt::ArchiveWriter archive(sink);
    fxt::ProviderWriter writer(archive, "fxt-record");
    const auto object = [&](fxt::KernelObjectType type, fxt::Koid koid, fxt::Koid process) {
      fxt::RecordScope record = writer.Begin();
      const fxt::Argument argument{fxt::StringRef::Inline("process"), fxt::KoidValue{process}};
      static_cast<void>(record.Write(fxt::KernelObject{
          static_cast<uint8_t>(type),
          koid,
          fxt::StringRef::Inline("t" + std::to_string(koid)),
          {&argument, type == fxt::KernelObjectType::kThread ? size_t{1} : size_t{0}}}));
    };
    const auto process = [&](fxt::Koid koid) { object(fxt::KernelObjectType::kProcess, koid, 0); };
    const auto thread = [&](fxt::Koid koid, fxt::Koid of) {
      object(fxt::KernelObjectType::kThread, koid, of);
    };
    process(schema::kRecorderProcessKoid);
    thread(schema::kRecorderProcessKoid, schema::kRecorderProcessKoid);
    uint64_t time = 5'000'000'000'000;
    {
      fxt::RecordScope record = writer.Begin();
      static_cast<void>(record.Write(fxt::Event{
          fxt::EventType::kInstant,
          time,
          fxt::ThreadRef::Inline(schema::kRecorderProcessKoid, schema::kRecorderProcessKoid),
          fxt::StringRef::Inline("fxt-record"),
          fxt::StringRef::Inline("session"),
          {},
          0}));
    }
    process(0);
    for (uint32_t cpu = 0; cpu < kCpus; ++cpu) thread(schema::IdleKoid(cpu), 0);
    process(1000);
    for (uint32_t i = 0; i < kThreads; ++i) thread(1000 + i, 1000);
    const fxt::StringId waker = writer.Declare("waker");
    std::mt19937 random(3);
    std::vector<fxt::Koid> on(kCpus, 0);  // 0: idle
    const auto key = [](fxt::Koid koid, uint32_t cpu) {
      return koid == 0 ? fxt::ThreadKey{kThreads + cpu, 0, schema::IdleKoid(cpu)}
                       : fxt::ThreadKey{static_cast<uint32_t>(koid - 1000), 1000, koid};
    };
    for (int i = 0; i < 2500; ++i) {
      time += 200 + random() % 3000;
      const uint32_t cpu = random() % kCpus;
      // Mostly a few threads, as on real machines.
      fxt::Koid next = 1000 + (random() % 8 != 0 ? random() % 30 : random() % kThreads);
      if (random() % 5 == 0 && on[cpu] != 0) next = 0;
      if (next != 0 && std::find(on.begin(), on.end(), next) != on.end()) continue;
      if (next != 0 && i % 2 == 0) {
        static_cast<void>(writer.WriteWakeup(time, static_cast<uint16_t>(cpu), next, waker, 1000));
      }
      time += 150;
      static_cast<void>(writer.WriteContextSwitch(
          time, static_cast<uint8_t>(cpu), fxt::ThreadState::kBlocked, key(on[cpu], cpu),
          key(next, cpu), on[cpu] == 0 ? 0 : 120, next == 0 ? 0 : 120));
      on[cpu] = next;
    }
    archive.Flush();
  }
  return Copy(std::as_bytes(std::span(sink.words)));
}

// Identifies a record whose thread names may be lost.
struct Key {
  uint64_t time = 0;
  facts::RecordKind kind = facts::RecordKind::kUnknown;
  uint32_t cpu = 0;
  auto operator<=>(const Key&) const = default;
};

struct Placed {
  uint64_t offset = 0;
  uint64_t end = 0;
};

struct Content {
  std::multimap<Key, Placed> records;  // those with a time
  uint64_t first = ~uint64_t{0};
  uint64_t last = 0;
};

Content ContentOf(std::span<const std::byte> bytes) {
  fxt::MemorySource source(bytes);
  fxt::Reader reader(source);
  Content content;
  while (reader.Next() == fxt::ReadStatus::kRecord) {
    const auto time = facts::TimeOf(reader.record(), reader.provider());
    if (!time) continue;
    const auto change = facts::AsSwitch(reader.record(), reader.provider());
    content.records.insert({{*time, facts::KindOf(reader.record()), change ? change->cpu : 0},
                            {reader.offset(), reader.offset() + reader.words().size_bytes()}});
    content.first = std::min(content.first, *time);
    content.last = std::max(content.last, *time);
  }
  return content;
}

// The damaged range of the sound bytes: [from, to).
struct Wound {
  size_t from = 0;
  size_t to = 0;
  const char* what = "";
};

Wound Damage(Bytes& bytes, std::mt19937_64& random, size_t most) {
  size_t length = 1 + random() % std::min(most, bytes.size() / 4);
  size_t at = random() % (bytes.size() - length);
  if (random() % 3 == 0) {  // whole words
    at &= ~size_t{7};
    length = (length + 7) & ~size_t{7};
  }
  const auto from = bytes.begin() + static_cast<long>(at);
  const auto to = from + static_cast<long>(length);
  switch (random() % 7) {
    case 0:
      bytes.erase(from, to);
      return {at, at + length, "cut"};
    case 1: {
      Bytes noise(length);
      for (std::byte& b : noise) b = static_cast<std::byte>(random());
      bytes.insert(from, noise.begin(), noise.end());
      return {at, at + 1, "inserted"};
    }
    case 2:
      std::fill(from, to, std::byte{0});
      return {at, at + length, "zeros"};
    case 3: {
      // A copy of another part of the file.
      const Bytes other(bytes.begin() + static_cast<long>(random() % (bytes.size() - length)),
                        bytes.end());
      std::copy_n(other.begin(), length, from);
      return {at, at + length, "another part"};
    }
    case 4:
      bytes[at] ^= static_cast<std::byte>(1u << random() % 8);
      return {at, at + 1, "a bit"};
    case 5:
      if (random() % 8 == 0) {
        const Wound wound{at, bytes.size(), "no end"};
        bytes.resize(at);
        return wound;
      }
      [[fallthrough]];
    default:
      for (auto b = from; b != to; ++b) *b = static_cast<std::byte>(random());
      return {at, at + length, "noise"};
  }
}

constexpr size_t kSmall = 200;       // bytes
constexpr size_t kSwitchBytes = 16;  // the smallest record with a time

constexpr int kEnoughFailures = 20;

struct Total {
  int rounds = 0;
  int failed = 0;  // rounds with an error or a large loss
  uint64_t undamaged = 0;
  uint64_t saved = 0;
  uint64_t wrong = 0;          // records that the sound recording lacks
  uint64_t least = 1'000'000;  // parts per million recovered in one round
};

std::string RoundName(const std::string& name, int round) {
  return name + ", round " + std::to_string(round);
}

Bytes Save(std::span<const std::byte> bytes) {
  fxt::MemorySource source(bytes);
  CollectingSink sink;
  EXPECT_FALSE(RecoverTrace(source, sink, nullptr).sink_failed);
  return Copy(std::as_bytes(std::span(sink.words)));
}

bool ExpectNoError(const Bytes& bytes, const std::string& round) {
  fxt::MemorySource source(bytes);
  bool sound = true;
  const CheckResult result = CheckTrace(source, {}, [&](const Finding& finding) {
    if (finding.severity != Severity::kError) return;
    sound = false;
    ADD_FAILURE() << round << ": at byte " << finding.offset << ": " << finding.rule << ": "
                  << finding.message;
  });
  EXPECT_EQ(result.unreadable, "") << round;
  return sound && result.unreadable.empty();
}

// Damages up to `most` bytes at one place, or at several if `wounds` is greater.
Total Run(const std::string& name, const Bytes& sound, int rounds, int wounds, size_t most) {
  std::mt19937_64 random(std::hash<std::string>{}(name) + static_cast<uint64_t>(wounds) + most);
  const Content whole = ContentOf(sound);
  Total total;
  for (int round = 0; round < rounds && total.failed < kEnoughFailures; ++round) {
    ++total.rounds;
    Bytes bytes = sound;
    Wound wound;
    const int count = 1 + static_cast<int>(random() % static_cast<uint64_t>(wounds));
    for (int i = 0; i < count; ++i) wound = Damage(bytes, random, most);
    const Bytes saved = Save(bytes);
    if (!ExpectNoError(saved, RoundName(name, round))) ++total.failed;
    const Content content = ContentOf(saved);
    if (!content.records.empty()) {
      EXPECT_LE(content.last - content.first, whole.last - whole.first + 1'000'000'000)
          << RoundName(name, round);
    }
    for (const auto& [key, placed] : content.records) {
      const bool own =
          key.kind == facts::RecordKind::kInstant || key.kind == facts::RecordKind::kCounter;
      if (!own && !whole.records.contains(key)) ++total.wrong;
    }
    if (count == 1) {
      uint64_t undamaged = 0;
      uint64_t found = 0;
      for (const auto& [key, placed] : whole.records) {
        if (placed.offset < wound.to && placed.end > wound.from) continue;
        ++undamaged;
        if (content.records.contains(key)) ++found;
      }
      total.undamaged += undamaged;
      total.saved += found;
      // A few dozen records next to the damage may be lost. If the damage consists of valid records
      // from elsewhere in the file, their number limits the loss.
      const uint64_t there = (wound.to - wound.from) / kSwitchBytes;
      if (undamaged - found > std::max<uint64_t>(undamaged / 100, 40) + there) {
        ++total.failed;
        ADD_FAILURE() << RoundName(name, round) << ": " << wound.what << ", bytes " << wound.from
                      << " to " << wound.to << ": of " << undamaged << " undamaged records "
                      << found << " are saved";
      }
      if (undamaged != 0) total.least = std::min(total.least, found * 1'000'000 / undamaged);
    }
  }
  std::printf(
      "%s: %d rounds, %d failed: %.4f%% of %llu undamaged records saved, %.2f%% in the worst; %llu "
      "false\n",
      name.c_str(), total.rounds, total.failed,
      100.0 * static_cast<double>(total.saved) / static_cast<double>(total.undamaged),
      static_cast<unsigned long long>(total.undamaged), static_cast<double>(total.least) / 10'000,
      static_cast<unsigned long long>(total.wrong));
  return total;
}

void RunAll(const std::string& name, const Bytes& sound, int rounds) {
  ExpectNoError(sound, name);
  const Content whole = ContentOf(sound);
  EXPECT_EQ(ContentOf(Save(sound)).records.size(), whole.records.size()) << name;
  const Total small = Run(name + ", small damage", sound, rounds, 1, kSmall);
  EXPECT_GE(small.saved * 1000, small.undamaged * 995) << name;
  // Rarely, the rest of a record with a plausible time passes as valid.
  EXPECT_LE(small.wrong, static_cast<uint64_t>(rounds) / 20) << name;
  Run(name + ", large damage", sound, rounds, 4, 20'000);
}

TEST(RecoverDamageTest, SmallRecording) { RunAll("small", SmallRecording(), Rounds(150)); }

TEST(RecoverDamageTest, ManyThreads) { RunAll("many threads", ManyThreads(), Rounds(100)); }

TEST(RecoverDamageTest, RecordingFromTheEnvironment) {
  const char* path = std::getenv("FXT_DAMAGE_TRACE");
  if (path == nullptr) GTEST_SKIP() << "FXT_DAMAGE_TRACE names none";
  auto source = source::OpenInput(path);
  ASSERT_TRUE(source.ok()) << source.error().message;
  Bytes bytes;
  if (const auto contents = (*source)->Contents()) {
    bytes = Copy(*contents);
  } else {
    Bytes part(1 << 20);
    for (;;) {
      const auto read = (*source)->Read(part);
      if (read.kind != fxt::ReadResult::Kind::kBytes) break;
      bytes.insert(bytes.end(), part.begin(), part.begin() + static_cast<long>(read.bytes));
    }
  }
  RunAll(path, bytes, Rounds(100));
}

}  // namespace
}  // namespace analyze
