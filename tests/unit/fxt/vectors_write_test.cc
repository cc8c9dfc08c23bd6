// SPDX-License-Identifier: BSD-2-Clause
// The encoder writes every record of the vectors bit for bit.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "fxt/encoder.h"
#include "unit/fxt/support/collecting_sink.h"
#include "unit/fxt/support/vectors.h"

namespace fxt {
namespace {

using testing::Vector;
using Write = std::function<EncodeStatus(Encoder&)>;

constexpr Ticks kEventTime = 0x1234567890abcdef;
constexpr Ticks kOtherTime = 0xaabbccddeeff0011;
constexpr uint64_t kPayload = 0x1122334455667788;

std::span<const std::byte> VectorBytes(std::string_view text) {
  return std::as_bytes(std::span<const char>(text));
}

Write Of(const Record& record) {
  return [record](Encoder& encoder) { return encoder.Write(record); };
}

Write OfEvent(EventType type, uint64_t payload = 0) {
  return Of(Event{.type = type,
                  .timestamp = kEventTime,
                  .thread = ThreadRef::Indexed(1),
                  .category = StringRef::Indexed(0x7777),
                  .name = StringRef::Indexed(0x1234),
                  .arguments = {},
                  .payload = payload});
}

// A row that is an argument, in an instant event.
Write OfArgument(const StringRef& name, const ArgumentValue& value) {
  return [name, value](Encoder& encoder) {
    const Argument argument{.name = name, .value = value};
    return encoder.Write(Event{.type = EventType::kInstant,
                               .timestamp = kEventTime,
                               .thread = ThreadRef::Indexed(1),
                               .category = StringRef::Indexed(0x7777),
                               .name = StringRef::Indexed(0x1234),
                               .arguments = {&argument, 1}});
  };
}

// Payload of a last-branch blob of the newest edition, for row B2.
std::vector<std::byte> LastBranchPayload() {
  struct Branch {
    uint64_t from, to, info;
  };
  struct Payload {
    uint16_t cpu, count;
    uint32_t zero;
    uint64_t time, address_space;
    std::array<Branch, 4> branches;
  };
  Payload payload{
      .cpu = 1, .count = 4, .zero = 0, .time = 1234, .address_space = 4321, .branches = {}};
  for (uint64_t i = 0; i < 4; ++i) payload.branches[i] = {100 * i, 100 * i + 50, 69 * i};
  std::vector<std::byte> bytes(sizeof(payload));
  std::memcpy(bytes.data(), &payload, sizeof(payload));
  return bytes;
}

Write WithArguments(std::vector<Argument> arguments,
                    std::function<EncodeStatus(Encoder&, std::span<const Argument>)> write) {
  return [arguments = std::move(arguments), write = std::move(write)](Encoder& encoder) {
    return write(encoder, arguments);
  };
}

void AddMetadata(std::map<std::string, Write>& rows) {
  rows["M1"] = Of(MagicNumber{});
  rows["M2"] = Of(ProviderInfo{.id = 0xaabbccdd, .name = "test_provider"});
  rows["M3"] = Of(ProviderSection{.id = 0xaabbccdd});
  rows["M4"] = Of(ProviderEvent{.id = 0xaabbccdd, .event = 7});
  rows["M5"] = Of(ProviderEvent{.id = 0xaabbccdd, .event = kProviderEventBufferFilledUp});
  rows["I2"] = Of(Initialization{.ticks_per_second = 1'000'000'000});
  rows["S1"] = Of(StringRecord{.index = 10, .text = "hellooooo"});
  rows["T1"] =
      Of(ThreadRecord{.index = 0xaa, .process = 0x0123456789abcdef, .thread = 0xfecdba9876543210});
}

void AddEvents(std::map<std::string, Write>& rows) {
  rows["E0"] = OfEvent(EventType::kInstant);
  rows["E1"] = Of(Event{.type = EventType::kInstant,
                        .timestamp = kEventTime,
                        .thread = ThreadRef::Indexed(1),
                        .category = StringRef::Inline("category"),
                        .name = StringRef::Inline("name longer than eight bytes"),
                        .arguments = {}});
  rows["E2"] = Of(Event{.type = EventType::kInstant,
                        .timestamp = kEventTime,
                        .thread = ThreadRef::Inline(0xdeadbeef, 0xcafef00d),
                        .category = StringRef::Indexed(1),
                        .name = StringRef::Indexed(2),
                        .arguments = {}});
  rows["E3"] = WithArguments({{StringRef::Indexed(0x2345), true}},
                             [](Encoder& encoder, std::span<const Argument> arguments) {
                               return encoder.Write(Event{.type = EventType::kCounter,
                                                          .timestamp = kEventTime,
                                                          .thread = ThreadRef::Indexed(1),
                                                          .category = StringRef::Indexed(0x7777),
                                                          .name = StringRef::Indexed(0x1234),
                                                          .arguments = arguments,
                                                          .payload = 0x334455667788});
                             });
  rows["E4"] = OfEvent(EventType::kDurationBegin);
  rows["E5"] = OfEvent(EventType::kDurationEnd);
  rows["E6"] = OfEvent(EventType::kDurationComplete, kPayload);
  rows["E7"] = OfEvent(EventType::kAsyncBegin, kPayload);
  rows["E8"] = OfEvent(EventType::kAsyncInstant, kPayload);
  rows["E9"] = OfEvent(EventType::kAsyncEnd, kPayload);
  rows["E10"] = OfEvent(EventType::kFlowBegin, kPayload);
  rows["E11"] = OfEvent(EventType::kFlowStep, kPayload);
  rows["E12"] = OfEvent(EventType::kFlowEnd, kPayload);
}

void AddArguments(std::map<std::string, Write>& rows) {
  const StringRef name = StringRef::Indexed(0x7fff);
  static constexpr std::array kFiveBytes = {std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4},
                                            std::byte{5}};
  rows["A0"] = OfArgument(name, NullValue{});
  rows["A1"] = OfArgument(name, true);
  rows["A2"] = OfArgument(name, int32_t{0x12345678});
  rows["A3"] = OfArgument(name, uint32_t{0x567890ab});
  rows["A4"] = OfArgument(name, int64_t{0x1234567890abcdef});
  rows["A5"] = OfArgument(name, uint64_t{0xfedcba0987654321});
  rows["A6"] = OfArgument(name, 1234.5678);
  rows["A7"] = OfArgument(name, StringRef::Indexed(11));
  rows["A8"] = OfArgument(name, StringRef::Inline("inline"));
  rows["A9"] = OfArgument(StringRef::Inline("inline"), StringRef::Inline("inline"));
  rows["A10"] = OfArgument(name, PointerValue{0xdeadbeef});
  rows["A11"] = OfArgument(name, KoidValue{0x12345678});
  rows["A12"] = OfArgument(name, BlobValue{kFiveBytes});
  rows["A13"] = OfArgument(StringRef::Inline("argname"), NullValue{});
}

void AddBlobsAndObjects(std::map<std::string, Write>& rows) {
  rows["B1"] = Of(Blob{.name = StringRef::Indexed(0x7777),
                       .type = static_cast<uint8_t>(BlobType::kData),
                       .payload = VectorBytes("This is some data that we are writing")});
  rows["B2"] = [](Encoder& encoder) {
    const auto payload = LastBranchPayload();
    return encoder.Write(Blob{.name = StringRef::Inline("cpu1"),
                              .type = static_cast<uint8_t>(BlobType::kLastBranch),
                              .payload = payload});
  };
  rows["G1"] = WithArguments({{StringRef::Indexed(0x2345), true}},
                             [](Encoder& encoder, std::span<const Argument> arguments) {
                               return encoder.Write(LargeBlobWithMetadata{
                                   .timestamp = kOtherTime,
                                   .thread = ThreadRef::Indexed(0xcc),
                                   .category = StringRef::Indexed(0x7aaa),
                                   .name = StringRef::Indexed(0x7bbb),
                                   .arguments = arguments,
                                   .payload = VectorBytes("Some data to write into the buffer")});
                             });
  rows["U1"] =
      WithArguments({{StringRef::Indexed(0x1234), true}},
                    [](Encoder& encoder, std::span<const Argument> arguments) {
                      return encoder.Write(UserspaceObject{.pointer = 0xdeadbeef,
                                                           .process = ThreadRef::Indexed(0xaa),
                                                           .name = StringRef::Indexed(0x7777),
                                                           .arguments = arguments});
                    });
  rows["U2"] = Of(UserspaceObject{.pointer = 1024,
                                  .process = ThreadRef::Indexed(12),
                                  .name = StringRef::Indexed(18),
                                  .arguments = {}});
  rows["K1"] = WithArguments({{StringRef::Indexed(0x4321), false}},
                             [](Encoder& encoder, std::span<const Argument> arguments) {
                               return encoder.Write(KernelObject{.type = 4,
                                                                 .koid = 0xdeadbeef,
                                                                 .name = StringRef::Indexed(0x7777),
                                                                 .arguments = arguments});
                             });
  rows["K3"] = Of(KernelObject{.type = static_cast<uint8_t>(KernelObjectType::kProcess),
                               .koid = 1234,
                               .name = StringRef::Inline("he\xfflo"),
                               .arguments = {}});
  rows["K4"] = WithArguments(
      {{StringRef::Inline("process"), KoidValue{4242}}},
      [](Encoder& encoder, std::span<const Argument> arguments) {
        return encoder.Write(KernelObject{.type = static_cast<uint8_t>(KernelObjectType::kThread),
                                          .koid = 4243,
                                          .name = StringRef::Inline("worker"),
                                          .arguments = arguments});
      });
  rows["K5"] =
      Of(KernelObject{.type = 4, .koid = 64, .name = StringRef::Indexed(19), .arguments = {}});
}

LegacyContextSwitch InlineSwitch(Ticks time, uint8_t outgoing_priority, ThreadRef outgoing,
                                 ThreadRef incoming) {
  return {.timestamp = time,
          .cpu = 1,
          .outgoing_state = ThreadState::kSuspended,
          .outgoing = outgoing,
          .incoming = incoming,
          .outgoing_priority = outgoing_priority,
          .incoming_priority = 1};
}

void AddScheduling(std::map<std::string, Write>& rows) {
  constexpr Koid kFirst = 0x1bbbbbbbbbbbbbbb;
  const ThreadRef idle = ThreadRef::Inline(0, 0);
  const ThreadRef first = ThreadRef::Inline(0x1aaaaaaaaaaaaaaa, kFirst);
  const ThreadRef second = ThreadRef::Inline(0x2ccccccccccccccc, 0x2ddddddddddddddd);
  rows["C1"] = Of(LegacyContextSwitch{.timestamp = kOtherTime,
                                      .cpu = 0xbb,
                                      .outgoing_state = ThreadState::kSuspended,
                                      .outgoing = ThreadRef::Indexed(1),
                                      .incoming = ThreadRef::Indexed(2),
                                      .outgoing_priority = 3,
                                      .incoming_priority = 4});
  rows["C3a"] = Of(InlineSwitch(1, 0, idle, first));
  rows["C3b"] = Of(InlineSwitch(2, 1, first, second));
  rows["C3c"] = Of(InlineSwitch(3, 1, second, first));

  constexpr Koid kA = 0x1aaaaaaaaaaaaaaa;
  constexpr Koid kC = 0x2ccccccccccccccc;
  rows["C4"] =
      WithArguments({{StringRef::Indexed(1), int32_t{3}}, {StringRef::Indexed(2), int32_t{4}}},
                    [](Encoder& encoder, std::span<const Argument> arguments) {
                      return encoder.Write(ContextSwitch{.timestamp = kOtherTime,
                                                         .cpu = 0xbbbb,
                                                         .outgoing_state = ThreadState::kSuspended,
                                                         .outgoing_thread = 1,
                                                         .incoming_thread = 2,
                                                         .arguments = arguments});
                    });
  rows["C6"] = WithArguments(
      {{StringRef::Indexed(2), int32_t{4}}},
      [](Encoder& encoder, std::span<const Argument> arguments) {
        return encoder.Write(ThreadWakeup{
            .timestamp = kOtherTime, .cpu = 0xbbbb, .thread = 2, .arguments = arguments});
      });
  rows["C7"] = [](Encoder& encoder) {
    return encoder.WriteWakeup(1, 1, kA, StringRef::Inline("waker"), kC);
  };
  rows["C8"] =
      WithArguments({{StringRef::Inline("incoming_weight"), std::numeric_limits<int32_t>::min()}},
                    [](Encoder& encoder, std::span<const Argument> arguments) {
                      return encoder.Write(ContextSwitch{.timestamp = 0x1000,
                                                         .cpu = 0,
                                                         .outgoing_state = ThreadState::kBlocked,
                                                         .outgoing_thread = 3,
                                                         .incoming_thread = 0,
                                                         .arguments = arguments});
                    });
  rows["C9a"] = Of(ThreadWakeup{.timestamp = 1, .cpu = 1, .thread = kA, .arguments = {}});
  rows["C9b"] = Of(ContextSwitch{.timestamp = 2,
                                 .cpu = 1,
                                 .outgoing_state = ThreadState::kNew,
                                 .outgoing_thread = kA,
                                 .incoming_thread = kC,
                                 .arguments = {}});
  rows["C9c"] = Of(ContextSwitch{.timestamp = 3,
                                 .cpu = 1,
                                 .outgoing_state = ThreadState::kNew,
                                 .outgoing_thread = kC,
                                 .incoming_thread = kA,
                                 .arguments = {}});
}

void AddLogAndProfiler(std::map<std::string, Write>& rows) {
  static constexpr std::array<uint8_t, 20> kBuildId = {0x33, 0x3e, 0x89, 0xf0, 0xc1, 0x75, 0x00,
                                                       0x0c, 0xee, 0x9b, 0x7e, 0x20, 0x1f, 0xed,
                                                       0xcd, 0x6f, 0x9b, 0x4b, 0xa8, 0xae};
  static constexpr std::array<uint64_t, 3> kFrames = {1, 2, 3};
  rows["L1"] = Of(Log{.timestamp = kOtherTime,
                      .thread = ThreadRef::Indexed(1),
                      .message = "This is a log message"});
  rows["P1"] = Of(ProfilerModule{.timestamp = kEventTime,
                                 .thread = ThreadRef::Indexed(0xcc),
                                 .module_id = 0xabcd,
                                 .name = "module_name",
                                 .build_id = std::as_bytes(std::span(kBuildId))});
  rows["P2"] = Of(ProfilerMmap{.timestamp = kEventTime,
                               .thread = ThreadRef::Indexed(0xcc),
                               .module_id = 0xabcd,
                               .flags = 5,
                               .start = 0x1000,
                               .size = 0x2000,
                               .module_offset = 0x3000});
  rows["P3"] = Of(ProfilerBacktrace{.timestamp = kEventTime,
                                    .thread = ThreadRef::Inline(0xdeadbeef, 0xcafef00d),
                                    .frames = kFrames});
}

std::map<std::string, Write> Writers() {
  std::map<std::string, Write> rows;
  AddMetadata(rows);
  AddEvents(rows);
  AddArguments(rows);
  AddBlobsAndObjects(rows);
  AddScheduling(rows);
  AddLogAndProfiler(rows);
  return rows;
}

std::vector<uint64_t> Encode(const Write& write) {
  testing::CollectingSink sink;
  RecordBuffer buffer(sink);
  Encoder encoder(buffer);
  EXPECT_EQ(write(encoder), EncodeStatus::kOk);
  EXPECT_TRUE(buffer.Flush());
  return sink.words;
}

// Row E0, with the argument count and size of an event with `argument`.
std::vector<uint64_t> WordsInEvent(const std::vector<uint64_t>& argument) {
  std::vector<uint64_t> words = {0x1234777701100004 | (2 + argument.size()) << 4, kEventTime};
  words.insert(words.end(), argument.begin(), argument.end());
  return words;
}

TEST(VectorsWriteTest, WritesEveryRowBitForBit) {
  const auto vectors = testing::LoadVectors();
  if (vectors.empty() && !testing::SharedVectorsPath() && !testing::GoldenVectorsPath()) {
    GTEST_SKIP() << "no vectors.tsv above the current directory";
  }
  ASSERT_FALSE(vectors.empty()) << "vectors.tsv cannot be read";
  const std::set<std::string> reader_only = {"X1"};
  const auto writers = Writers();
  std::set<std::string> seen;
  for (const Vector& vector : vectors) {
    SCOPED_TRACE(vector.id + ": " + vector.description);
    EXPECT_TRUE(seen.insert(vector.id).second) << "row occurs twice";
    if (reader_only.contains(vector.id)) continue;
    const auto write = writers.find(vector.id);
    if (write == writers.end()) {
      ADD_FAILURE() << "no test writes this row";
      continue;
    }
    const auto expected = vector.id[0] == 'A' ? WordsInEvent(vector.words) : vector.words;
    EXPECT_EQ(testing::ToHex(Encode(write->second)), testing::ToHex(expected));
  }
  for (const auto& [id, write] : writers) EXPECT_TRUE(seen.contains(id)) << id << " is not a row";
}

TEST(VectorsWriteTest, CopiesRowsUnchanged) {
  const auto shared = testing::SharedVectorsPath();
  const auto golden = testing::GoldenVectorsPath();
  if (!shared || !golden) GTEST_SKIP() << "needs both the shared and the golden vectors.tsv";
  EXPECT_TRUE(testing::ReadWholeFile(*shared) == testing::ReadWholeFile(*golden))
      << *shared << " and " << *golden << " differ";
}

// The fast functions for frequent records write the same words as the general ones.
TEST(VectorsWriteTest, FastFunctionsWriteTheSameWords) {
  std::map<std::string, std::vector<uint64_t>> words;
  for (const Vector& vector : testing::LoadVectors()) words[vector.id] = vector.words;
  if (words.empty()) GTEST_SKIP() << "no vectors.tsv above the current directory";
  const auto thread = ThreadRef::Indexed(1);
  const auto category = StringRef::Indexed(0x7777);
  const auto name = StringRef::Indexed(0x1234);
  EXPECT_EQ(Encode([&](Encoder& e) { return e.WriteInstant(kEventTime, thread, category, name); }),
            words["E0"]);
  EXPECT_EQ(
      Encode([&](Encoder& e) { return e.WriteDurationBegin(kEventTime, thread, category, name); }),
      words["E4"]);
  EXPECT_EQ(
      Encode([&](Encoder& e) { return e.WriteDurationEnd(kEventTime, thread, category, name); }),
      words["E5"]);
  EXPECT_EQ(Encode([&](Encoder& e) {
              return e.WriteInstant(kEventTime, thread, StringRef::Inline("category"),
                                    StringRef::Inline("name longer than eight bytes"));
            }),
            words["E1"]);
  EXPECT_EQ(Encode([&](Encoder& e) {
              return e.WriteInstant(kEventTime, ThreadRef::Inline(0xdeadbeef, 0xcafef00d),
                                    StringRef::Indexed(1), StringRef::Indexed(2));
            }),
            words["E2"]);
}

}  // namespace
}  // namespace fxt
