// SPDX-License-Identifier: BSD-2-Clause
// VisitSchedulingRecords() yields the records that Next() would have yielded.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "fxt/reader.h"
#include "unit/fxt/support/file_builder.h"

namespace fxt {
namespace {

// The fields of a record: kind, time, CPU, then threads and arguments.
using Fields = std::vector<uint64_t>;

Fields FieldsOf(const Reader& reader) {
  const Record& record = reader.record();
  if (const auto* change = std::get_if<LegacyContextSwitch>(&record)) {
    return {1,
            change->timestamp,
            change->cpu,
            static_cast<uint64_t>(change->outgoing_state),
            change->outgoing.thread,
            change->incoming.thread,
            change->outgoing_priority,
            change->incoming_priority};
  }
  if (const auto* wakeup = std::get_if<ThreadWakeup>(&record)) {
    Fields fields = {2, wakeup->timestamp, wakeup->cpu, wakeup->thread};
    for (const Argument& argument : wakeup->arguments) {
      fields.push_back(argument.name.text.size());
      const auto* koid = std::get_if<KoidValue>(&argument.value);
      fields.push_back(koid == nullptr ? ~uint64_t{0} : koid->koid);
    }
    return fields;
  }
  return {3, record.index()};
}

struct Visitor {
  const Reader& reader;
  std::vector<Fields>& seen;
  std::mt19937_64& random;

  bool Refuses() const { return random() % 10 == 0; }
  bool OnSwitch(const UnresolvedSwitch& record) const {
    const ReaderProvider& provider = reader.provider();
    if (!provider.has_thread(record.outgoing()) || !provider.has_thread(record.incoming()) ||
        Refuses()) {
      return false;
    }
    seen.push_back(
        {1, record.timestamp, record.cpu(), static_cast<uint64_t>(record.outgoing_state()),
         provider.thread(record.outgoing()).thread, provider.thread(record.incoming()).thread,
         record.outgoing_priority(), record.incoming_priority()});
    return true;
  }
  bool OnWakeup(const UnresolvedWakeup& record) const {
    Fields fields = {2, record.timestamp, record.cpu, record.thread};
    if (record.argument_name != 0) {
      const std::string* name = reader.provider().FindString(record.argument_name);
      if (name == nullptr) return false;
      fields.push_back(name->size());
      fields.push_back(record.argument_koid);
    }
    if (record.text_name != 0) {
      const std::string* name = reader.provider().FindString(record.text_name);
      if (name == nullptr || reader.provider().FindString(record.text) == nullptr) return false;
      fields.push_back(name->size());
      fields.push_back(~uint64_t{0});
    }
    if (Refuses()) return false;
    seen.push_back(fields);
    return true;
  }
};

std::vector<Fields> ReadAll(std::span<const std::byte> bytes, bool visit, uint64_t* visited) {
  MemorySource source(bytes);
  Reader reader(source);
  std::mt19937_64 random(7);
  std::vector<Fields> seen;
  for (;;) {
    if (visit)
      *visited += reader.VisitSchedulingRecords(Visitor{reader, seen, random}, 1 + random() % 50);
    if (reader.Next() != ReadStatus::kRecord) break;
    seen.push_back(FieldsOf(reader));
  }
  EXPECT_EQ(reader.position(), bytes.size());
  return seen;
}

void Build(uint64_t seed, testing::FileBuilder& file) {
  std::mt19937_64 random(seed);
  const auto below = [&](uint64_t limit) { return random() % limit; };
  file.Add(ProviderInfo{1, "one"}).Add(ProviderSection{1}).Add(StringRecord{5, "waker"});
  for (uint8_t index = 1; index < 9; ++index) file.Add(ThreadRecord{index, 100, 200u + index});
  for (int i = 0; i < 2000; ++i) {
    const auto ref = [&] {
      return below(30) == 0 ? ThreadRef::Inline(100, 200 + below(9))
                            : ThreadRef::Indexed(static_cast<uint8_t>(1 + below(9)));
    };
    const uint64_t kind = below(40);
    if (kind == 0) {
      file.Add(StringRecord{static_cast<uint16_t>(1 + below(9)), std::string(below(9), 'x')});
    } else if (kind == 1) {
      file.Add(ThreadRecord{static_cast<uint8_t>(1 + below(10)), 100, 200 + below(9)});
    } else if (kind == 2) {
      file.Add(
          ContextSwitch{random(), static_cast<uint16_t>(below(9)), ThreadState::kNew, 1, 2, {}});
    } else if (kind < 20) {
      const Argument arguments[] = {
          {below(9) == 0 ? StringRef::Inline("name")
                         : StringRef::Indexed(static_cast<uint16_t>(4 + below(3)), "waker"),
           below(9) == 0 ? ArgumentValue(random()) : ArgumentValue(KoidValue{random()})},
          below(2) == 0
              ? Argument{StringRef::Inline("weight"), int32_t{3}}
              : Argument{StringRef::Indexed(static_cast<uint16_t>(4 + below(3)), "via"),
                         StringRef::Indexed(static_cast<uint16_t>(4 + below(3)), "net_rx")}};
      file.Add(ThreadWakeup{
          random(), static_cast<uint16_t>(random()), random(), {arguments, below(20) * 3 % 7 % 3}});
    } else {
      file.Add(LegacyContextSwitch{.timestamp = random(),
                                   .cpu = static_cast<uint8_t>(random()),
                                   .outgoing_state = static_cast<ThreadState>(below(6)),
                                   .outgoing = ref(),
                                   .incoming = ref(),
                                   .outgoing_priority = static_cast<uint8_t>(random()),
                                   .incoming_priority = static_cast<uint8_t>(random())});
    }
  }
}

TEST(ReaderFastPathTest, VisitsTheRecordsThatNextYields) {
  for (uint64_t seed = 0; seed < 30; ++seed) {
    testing::FileBuilder file;
    Build(seed, file);
    uint64_t visited = 0;
    const auto ordinary = ReadAll(file.bytes(), false, nullptr);
    ASSERT_EQ(ReadAll(file.bytes(), true, &visited), ordinary) << seed;
    ASSERT_GT(visited, ordinary.size() / 2) << seed;
  }
}

TEST(ReaderFastPathTest, ReadsACutFileToItsLastWholeRecord) {
  testing::FileBuilder file;
  Build(1, file);
  for (size_t cut = 1; cut < 200; ++cut) {
    const auto bytes = file.bytes().first(file.bytes().size() - cut);
    uint64_t visited = 0;
    ASSERT_EQ(ReadAll(bytes, true, &visited), ReadAll(bytes, false, nullptr)) << cut;
  }
}

TEST(ReaderFastPathTest, VisitsNothingBeforeTheFirstRecord) {
  testing::FileBuilder file;
  file.Add(ThreadRecord{1, 7, 7});
  file.Add(ThreadWakeup{5, 0, 7, {}});
  MemorySource source(file.bytes());
  Reader reader(source);
  std::vector<Fields> seen;
  std::mt19937_64 random(3);
  EXPECT_EQ(reader.VisitSchedulingRecords(Visitor{reader, seen, random}, 10), 0u);
  EXPECT_EQ(reader.Next(), ReadStatus::kRecord);
}

TEST(ReaderFastPathTest, DefinitionsCountChangesWithEachDefinition) {
  testing::FileBuilder file;
  file.Add(ProviderInfo{1, "one"}).Add(ThreadWakeup{5, 0, 7, {}}).Add(StringRecord{1, "a"});
  file.Add(ThreadWakeup{6, 0, 7, {}}).Add(ProviderInfo{2, "two"});
  MemorySource source(file.bytes());
  Reader reader(source);
  std::vector<uint64_t> numbers;
  while (reader.Next() == ReadStatus::kRecord) numbers.push_back(reader.provider().definitions());
  ASSERT_EQ(numbers.size(), 6u);
  EXPECT_NE(numbers[0], numbers[1]);
  EXPECT_EQ(numbers[1], numbers[2]);
  EXPECT_NE(numbers[2], numbers[3]);
  EXPECT_EQ(numbers[3], numbers[4]);
  EXPECT_NE(numbers[4], numbers[5]);
}

}  // namespace
}  // namespace fxt
