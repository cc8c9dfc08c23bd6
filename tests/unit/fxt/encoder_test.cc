// SPDX-License-Identifier: BSD-2-Clause
// Tests what the encoder refuses, and the limits of its records. vectors_write_test.cc tests
// layouts against known records.
#include "fxt/encoder.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

#include "unit/fxt/support/collecting_sink.h"

namespace fxt {
namespace {

using testing::CollectingSink;

std::span<const std::byte> Bytes(std::string_view text) {
  return std::as_bytes(std::span<const char>(text));
}

class EncoderTest : public ::testing::Test {
 protected:
  // Writes `record` between two markers: a refused record leaves no bytes.
  template <typename R>
  EncodeStatus Write(const R& record) {
    sink_.words.clear();
    RecordBuffer buffer(sink_, 64);
    Encoder encoder(buffer);
    EXPECT_EQ(encoder.Write(MagicNumber{}), EncodeStatus::kOk);
    const EncodeStatus status = encoder.Write(record);
    EXPECT_EQ(encoder.Write(MagicNumber{}), EncodeStatus::kOk);
    EXPECT_TRUE(buffer.Flush());
    EXPECT_EQ(sink_.words.front(), kMagicRecord);
    EXPECT_EQ(sink_.words.back(), kMagicRecord);
    if (status == EncodeStatus::kOk) {
      EXPECT_GT(sink_.words.size(), 2u);
    } else {
      EXPECT_EQ(sink_.words.size(), 2u);
    }
    return status;
  }

  // The record's own words, after Write() returned kOk.
  std::span<const uint64_t> words() const {
    return std::span(sink_.words).subspan(1, sink_.words.size() - 2);
  }
  size_t size_field() const { return words()[0] >> 4 & 0xfff; }

  CollectingSink sink_;
};

TEST_F(EncoderTest, StringRecordLimits) {
  EXPECT_EQ(Write(StringRecord{.index = 0, .text = "a"}), EncodeStatus::kInvalidIndex);
  EXPECT_EQ(Write(StringRecord{.index = 0x8000, .text = "a"}), EncodeStatus::kInvalidIndex);
  EXPECT_EQ(Write(StringRecord{.index = 0x7fff, .text = ""}), EncodeStatus::kOk);
  EXPECT_EQ(words().size(), 1u);
  // A record of 4095 words has 32752 bytes of text; the length field alone would allow 15 more.
  EXPECT_EQ(Write(StringRecord{.index = 1, .text = std::string(32752, 'x')}), EncodeStatus::kOk);
  EXPECT_EQ(size_field(), 4095u);
  EXPECT_EQ(words().size(), 4095u);
  EXPECT_EQ(Write(StringRecord{.index = 1, .text = std::string(32753, 'x')}),
            EncodeStatus::kRecordTooLong);
  EXPECT_EQ(Write(StringRecord{.index = 1, .text = std::string(32768, 'x')}),
            EncodeStatus::kStringTooLong);
}

TEST_F(EncoderTest, PaddingIsZero) {
  for (size_t bytes = 1; bytes <= 17; ++bytes) {
    const std::string text(bytes, '\xff');
    ASSERT_EQ(Write(StringRecord{.index = 1, .text = text}), EncodeStatus::kOk);
    ASSERT_EQ(words().size(), 1 + (bytes + 7) / 8);
    const auto stream = std::as_bytes(words().subspan(1));
    for (size_t i = 0; i < stream.size(); ++i) {
      EXPECT_EQ(stream[i], i < bytes ? std::byte{0xff} : std::byte{0}) << bytes << " " << i;
    }
  }
}

TEST_F(EncoderTest, ThreadAndMetadataLimits) {
  EXPECT_EQ(Write(ThreadRecord{.index = 0, .process = 1, .thread = 2}),
            EncodeStatus::kInvalidIndex);
  EXPECT_EQ(Write(ProviderEvent{.id = 1, .event = 16}), EncodeStatus::kInvalidField);
  EXPECT_EQ(Write(ProviderInfo{.id = 0xffffffff, .name = std::string(255, 'n')}),
            EncodeStatus::kOk);
  EXPECT_EQ(words()[0], 0x0ff0000000010000u | uint64_t{0xffffffff} << 20 | 33 << 4);
  EXPECT_EQ(Write(ProviderInfo{.id = 1, .name = std::string(256, 'n')}),
            EncodeStatus::kStringTooLong);
}

Event WithArguments(std::span<const Argument> arguments) {
  return {.type = EventType::kInstant,
          .timestamp = 1,
          .thread = ThreadRef::Indexed(1),
          .category = StringRef::Indexed(1),
          .name = StringRef::Indexed(2),
          .arguments = arguments};
}

TEST_F(EncoderTest, AtMostFifteenArguments) {
  const std::vector<Argument> arguments(16, {StringRef::Indexed(3), int32_t{-1}});
  EXPECT_EQ(Write(WithArguments(std::span(arguments).first(15))), EncodeStatus::kOk);
  EXPECT_EQ(words().size(), 17u);
  EXPECT_EQ(words()[0] >> 20 & 0xf, 15u);
  EXPECT_EQ(words()[2], 0xffffffff00030011u);
  EXPECT_EQ(Write(WithArguments(arguments)), EncodeStatus::kTooManyArguments);
  EXPECT_EQ(Write(KernelObject{.type = 1, .koid = 1, .name = {}, .arguments = arguments}),
            EncodeStatus::kTooManyArguments);
  EXPECT_EQ(Write(UserspaceObject{.pointer = 1, .process = {}, .name = {}, .arguments = arguments}),
            EncodeStatus::kTooManyArguments);
  EXPECT_EQ(Write(ThreadWakeup{.timestamp = 1, .cpu = 1, .thread = 1, .arguments = arguments}),
            EncodeStatus::kTooManyArguments);
  EXPECT_EQ(Write(ContextSwitch{.timestamp = 1,
                                .cpu = 1,
                                .outgoing_state = ThreadState::kNew,
                                .outgoing_thread = 1,
                                .incoming_thread = 2,
                                .arguments = arguments}),
            EncodeStatus::kTooManyArguments);
}

TEST_F(EncoderTest, InlineStringsMustStateTheirLength) {
  StringRef wrong = StringRef::Inline("text");
  wrong.text = "longer text";
  Event event = WithArguments({});
  event.name = wrong;
  EXPECT_EQ(Write(event), EncodeStatus::kInvalidStringRef);
  event.name = {};
  event.category = wrong;
  EXPECT_EQ(Write(event), EncodeStatus::kInvalidStringRef);
  const Argument name{wrong, NullValue{}};
  EXPECT_EQ(Write(WithArguments({&name, 1})), EncodeStatus::kInvalidStringRef);
  const Argument value{StringRef::Indexed(1), wrong};
  EXPECT_EQ(Write(WithArguments({&value, 1})), EncodeStatus::kInvalidStringRef);
  EXPECT_EQ(Write(Blob{.name = wrong, .type = 1, .payload = {}}), EncodeStatus::kInvalidStringRef);
  const std::string too_long(0x8000, 'x');
  event.category = {0x8000, too_long};
  EXPECT_EQ(Write(event), EncodeStatus::kStringTooLong);
}

TEST_F(EncoderTest, RecordLimitCountsEverything) {
  const std::string half(16000, 'x');
  Event event = WithArguments({});
  event.category = StringRef::Inline(half);
  event.name = StringRef::Inline(half);
  // 2 + 2000 + 2000 words; 92 words of argument fit, 93 more words do not.
  const std::string fits(92 * 8, 'y');
  const Argument last{StringRef::Indexed(1), StringRef::Inline(fits)};
  event.arguments = {&last, 1};
  EXPECT_EQ(Write(event), EncodeStatus::kOk);
  EXPECT_EQ(size_field(), 4095u);
  event.type = EventType::kCounter;  // one more word
  EXPECT_EQ(Write(event), EncodeStatus::kRecordTooLong);
}

TEST_F(EncoderTest, BlobAndLogLimits) {
  const std::string bytes(0x8000, 'b');
  EXPECT_EQ(
      Write(Blob{.name = StringRef::Indexed(1), .type = 1, .payload = Bytes(bytes).first(32752)}),
      EncodeStatus::kOk);
  EXPECT_EQ(size_field(), 4095u);
  EXPECT_EQ(
      Write(Blob{.name = StringRef::Indexed(1), .type = 1, .payload = Bytes(bytes).first(32753)}),
      EncodeStatus::kRecordTooLong);
  EXPECT_EQ(Write(Blob{.name = {}, .type = 1, .payload = Bytes(bytes)}),
            EncodeStatus::kPayloadTooLong);
  const std::string_view text(bytes);
  EXPECT_EQ(
      Write(Log{
          .timestamp = 1, .thread = ThreadRef::Inline(1, 2), .message = text.substr(0, 4091 * 8)}),
      EncodeStatus::kOk);
  EXPECT_EQ(size_field(), 4095u);
  EXPECT_EQ(Write(Log{.timestamp = 1,
                      .thread = ThreadRef::Inline(1, 2),
                      .message = text.substr(0, 4091 * 8 + 1)}),
            EncodeStatus::kRecordTooLong);
  EXPECT_EQ(Write(Log{.timestamp = 1, .thread = {}, .message = text}),
            EncodeStatus::kStringTooLong);
}

TEST_F(EncoderTest, BlobArgumentsStayWithinTheirSizeField) {
  const std::string bytes(4095 * 8, 'b');
  const Argument longest{StringRef::Indexed(1), BlobValue{Bytes(bytes).first(4092 * 8)}};
  EXPECT_EQ(Write(WithArguments({&longest, 1})), EncodeStatus::kOk);
  EXPECT_EQ(size_field(), 4095u);
  // In a large record the argument's own size field is the bound.
  const Argument too_long{StringRef::Indexed(1), BlobValue{Bytes(bytes)}};
  EXPECT_EQ(Write(LargeBlobWithMetadata{.timestamp = 1,
                                        .thread = ThreadRef::Indexed(1),
                                        .category = {},
                                        .name = {},
                                        .arguments = {&too_long, 1},
                                        .payload = {}}),
            EncodeStatus::kRecordTooLong);
}

TEST_F(EncoderTest, LargeBlobIsLongerThanAnOrdinaryRecord) {
  const std::string payload(1'000'001, 'p');
  ASSERT_EQ(Write(LargeBlob{.category = StringRef::Indexed(1),
                            .name = StringRef::Inline("name"),
                            .payload = Bytes(payload)}),
            EncodeStatus::kOk);
  // Header, references, name, payload size, payload.
  ASSERT_EQ(words().size(), 4 + 125'001u);
  EXPECT_EQ(words()[0], 0xfu | uint64_t{125'005} << 4 | uint64_t{1} << 40);
  EXPECT_EQ(words()[1], 0x0000000080040001u);
  EXPECT_EQ(words()[3], 1'000'001u);
  EXPECT_EQ(words().back(), uint64_t{'p'});
}

// Three gigabytes fit the 32 bits, 2^35 bytes do not; neither is read or allocated.
TEST_F(EncoderTest, LimitsLargeRecords) {
  const std::span<const std::byte> huge(static_cast<const std::byte*>(nullptr), size_t{1} << 35);
  EXPECT_EQ(Write(LargeBlob{.category = {}, .name = {}, .payload = huge}),
            EncodeStatus::kRecordTooLong);
  EXPECT_EQ(Write(LargeBlobWithMetadata{.timestamp = 1,
                                        .thread = {},
                                        .category = {},
                                        .name = {},
                                        .arguments = {},
                                        .payload = huge}),
            EncodeStatus::kRecordTooLong);
}

TEST_F(EncoderTest, ProfilerLimits) {
  const std::vector<uint64_t> frames(256, 7);
  EXPECT_EQ(
      Write(ProfilerBacktrace{
          .timestamp = 1, .thread = ThreadRef::Indexed(1), .frames = std::span(frames).first(255)}),
      EncodeStatus::kOk);
  EXPECT_EQ(words().size(), 257u);
  EXPECT_EQ(Write(ProfilerBacktrace{.timestamp = 1, .thread = {}, .frames = frames}),
            EncodeStatus::kPayloadTooLong);
  EXPECT_EQ(Write(ProfilerMmap{.timestamp = 1, .thread = {}, .module_id = 1, .flags = 8}),
            EncodeStatus::kInvalidField);
  const std::string bytes(256, 'b');
  EXPECT_EQ(Write(ProfilerModule{
                .timestamp = 1, .thread = {}, .module_id = 1, .name = bytes, .build_id = {}}),
            EncodeStatus::kStringTooLong);
  EXPECT_EQ(
      Write(ProfilerModule{
          .timestamp = 1, .thread = {}, .module_id = 1, .name = {}, .build_id = Bytes(bytes)}),
      EncodeStatus::kPayloadTooLong);
}

TEST_F(EncoderTest, RefusesEnumsOutOfRange) {
  Event event = WithArguments({});
  event.type = static_cast<EventType>(11);
  EXPECT_EQ(Write(event), EncodeStatus::kInvalidField);
  LegacyContextSwitch legacy;
  legacy.outgoing_state = static_cast<ThreadState>(16);
  EXPECT_EQ(Write(legacy), EncodeStatus::kInvalidField);
  ContextSwitch modern;
  modern.outgoing_state = static_cast<ThreadState>(16);
  EXPECT_EQ(Write(modern), EncodeStatus::kInvalidField);
}

TEST_F(EncoderTest, WritesAnInlineProcessOfAnObjectAsOneWord) {
  ASSERT_EQ(Write(UserspaceObject{.pointer = 0xdeadbeef,
                                  .process = ThreadRef::Inline(77, 78),
                                  .name = StringRef::Indexed(5),
                                  .arguments = {}}),
            EncodeStatus::kOk);
  EXPECT_EQ(std::vector<uint64_t>(words().begin(), words().end()),
            (std::vector<uint64_t>{0x0000000005000036, 0xdeadbeef, 77}));
}

TEST_F(EncoderTest, RefusesRawWordsThatContradictTheirHeader) {
  const std::array<uint64_t, 3> words_of_type_13 = {0x3d, 1, 2};
  EXPECT_EQ(Write(UnknownRecord{.type = 13, .words = words_of_type_13}), EncodeStatus::kOk);
  EXPECT_EQ(std::vector<uint64_t>(words().begin(), words().end()),
            (std::vector<uint64_t>{0x3d, 1, 2}));
  EXPECT_EQ(Write(UnknownRecord{.type = 12, .words = words_of_type_13}),
            EncodeStatus::kInconsistentWords);
  EXPECT_EQ(Write(UnknownRecord{.type = 13, .words = std::span(words_of_type_13).first(2)}),
            EncodeStatus::kInconsistentWords);
  EXPECT_EQ(Write(UnknownRecord{.type = 13, .words = {}}), EncodeStatus::kInconsistentWords);
  // A large record has a wider size field.
  std::vector<uint64_t> large(5000, 3);
  large[0] = 0xf | uint64_t{5000} << 4 | uint64_t{9} << 36;
  EXPECT_EQ(Write(UnknownRecord{.type = 15, .words = large}), EncodeStatus::kOk);
  EXPECT_EQ(Write(UnknownRecord{.type = 15, .words = std::span(large).first(5000 & 0xfff)}),
            EncodeStatus::kInconsistentWords);

  const std::array<uint64_t, 1> trace_info = {0x0000000000540010};
  EXPECT_EQ(Write(TraceInfo{.type = 5, .words = trace_info}), EncodeStatus::kOk);
  EXPECT_EQ(Write(TraceInfo{.type = 6, .words = trace_info}), EncodeStatus::kInconsistentWords);

  const std::array<uint64_t, 2> unknown_argument = {0x000000000007002d, 42};
  Argument argument{StringRef::Indexed(7), UnknownValue{.type = 13, .words = unknown_argument}};
  EXPECT_EQ(Write(WithArguments({&argument, 1})), EncodeStatus::kOk);
  EXPECT_EQ(words()[3], 42u);
  argument.name = StringRef::Indexed(8);
  EXPECT_EQ(Write(WithArguments({&argument, 1})), EncodeStatus::kInconsistentWords);
  argument = {StringRef::Indexed(7),
              UnknownValue{.type = 13, .words = std::span(unknown_argument).first(1)}};
  EXPECT_EQ(Write(WithArguments({&argument, 1})), EncodeStatus::kInconsistentWords);
}

TEST_F(EncoderTest, FastFunctionsRefuseInvalidRecords) {
  RecordBuffer buffer(sink_);
  Encoder encoder(buffer);
  EXPECT_EQ(encoder.WriteEvent(EventType::kCounter, 1, {}, {}, {}), EncodeStatus::kInvalidField);
  EXPECT_EQ(buffer.bytes_committed(), 0u);
}

TEST_F(EncoderTest, FastWakeupWritesTheSameWords) {
  const Argument waker{StringRef::Indexed(9), KoidValue{0x123456789abcdef0}};
  const ThreadWakeup record{
      .timestamp = 0xfedcba, .cpu = 0xabcd, .thread = 0xffffffff, .arguments = {&waker, 1}};
  ASSERT_EQ(Write(record), EncodeStatus::kOk);
  const std::vector<uint64_t> general(words().begin(), words().end());
  sink_.words.clear();
  {
    RecordBuffer buffer(sink_);
    Encoder encoder(buffer);
    ASSERT_EQ(encoder.WriteWakeup(0xfedcba, 0xabcd, 0xffffffff, StringRef::Indexed(9),
                                  0x123456789abcdef0),
              EncodeStatus::kOk);
  }
  EXPECT_EQ(sink_.words, general);
}

TEST_F(EncoderTest, FastWakeupWithTextWritesTheSameWords) {
  const Argument arguments[] = {{StringRef::Indexed(9), KoidValue{0x123456789abcdef0}},
                                {StringRef::Indexed(7), StringRef::Indexed(8)}};
  ASSERT_EQ(Write(ThreadWakeup{.timestamp = 5, .cpu = 3, .thread = 4, .arguments = arguments}),
            EncodeStatus::kOk);
  const std::vector<uint64_t> general(words().begin(), words().end());
  sink_.words.clear();
  {
    RecordBuffer buffer(sink_);
    Encoder encoder(buffer);
    ASSERT_EQ(encoder.WriteWakeup(5, 3, 4, StringRef::Indexed(9), 0x123456789abcdef0,
                                  StringRef::Indexed(7), StringRef::Indexed(8)),
              EncodeStatus::kOk);
  }
  EXPECT_EQ(sink_.words, general);
}

TEST_F(EncoderTest, ReportsAFailedSink) {
  sink_.fail = true;
  RecordBuffer buffer(sink_, 16);
  Encoder encoder(buffer);
  const LegacyContextSwitch record{.outgoing = ThreadRef::Indexed(1),
                                   .incoming = ThreadRef::Indexed(2)};
  EXPECT_EQ(encoder.Write(record), EncodeStatus::kOk) << "it fills the chunk";
  EXPECT_EQ(encoder.Write(record), EncodeStatus::kSinkFailed);
  EXPECT_EQ(encoder.WriteInstant(1, ThreadRef::Indexed(1), {}, {}), EncodeStatus::kSinkFailed);
  EXPECT_EQ(encoder.WriteWakeup(1, 1, 1, {}, 1), EncodeStatus::kSinkFailed);
  EXPECT_EQ(encoder.Write(MagicNumber{}), EncodeStatus::kSinkFailed);
  EXPECT_EQ(sink_.calls, 1);
}

TEST_F(EncoderTest, DescribesEveryStatus) {
  for (int status = 0; status <= static_cast<int>(EncodeStatus::kSinkFailed); ++status) {
    EXPECT_NE(Describe(static_cast<EncodeStatus>(status)), "unknown status");
  }
}

}  // namespace
}  // namespace fxt
