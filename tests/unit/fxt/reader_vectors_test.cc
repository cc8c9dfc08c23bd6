// SPDX-License-Identifier: BSD-2-Clause
// Every row of the vectors is read as described, and written back to the same words.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "fxt/encoder.h"
#include "fxt/reader.h"
#include "fxt/record_buffer.h"
#include "unit/fxt/support/collecting_sink.h"
#include "unit/fxt/support/record_text.h"
#include "unit/fxt/support/vectors.h"

namespace fxt {
namespace {

constexpr uint64_t kTime = 0x1234567890abcdef;
constexpr uint64_t kOther = 0xaabbccddeeff0011;
constexpr uint64_t kId = 0x1122334455667788;

// The strings and threads that the prelude defines for the rows.
const std::map<uint16_t, std::string> kStrings = {
    {1, "one"},       {2, "two"},        {11, "eleven"},      {18, "eighteen"},
    {19, "nineteen"}, {0x1234, "name"},  {0x2345, "key"},     {0x4321, "key2"},
    {0x7777, "cat"},  {0x7aaa, "blobs"}, {0x7bbb, "my blob"}, {0x7fff, "last"}};
const std::map<uint8_t, std::pair<Koid, Koid>> kThreads = {
    {1, {10, 11}}, {2, {10, 12}}, {12, {70, 71}}, {0xaa, {20, 21}}, {0xcc, {30, 31}}};

// An event of thread 1, category 0x7777 and name 0x1234.
std::string EventText(const std::string& type, const std::string& rest = "{}") {
  return fmt::format("{} t={} @1:10/11 #30583'cat' #4660'name' {}", type, kTime, rest);
}

std::string ArgumentText(const std::string& value, const std::string& name = "#32767'last'") {
  return EventText("instant", "{" + name + ": " + value + "}");
}

std::map<std::string, std::string> Expected() {
  std::map<std::string, std::string> rows;
  rows["M1"] = "magic";
  rows["M2"] = fmt::format("provider info {} 'test_provider'", 0xaabbccdd);
  rows["M3"] = fmt::format("provider section {}", 0xaabbccdd);
  rows["M4"] = fmt::format("provider event {} 7", 0xaabbccdd);
  rows["M5"] = fmt::format("provider event {} 0", 0xaabbccdd);
  rows["I2"] = "initialization 1000000000";
  rows["S1"] = "string #10 'hellooooo'";
  rows["T1"] = fmt::format("thread @170 {}/{}", 0x0123456789abcdef, 0xfecdba9876543210);
  rows["E0"] = EventText("instant");
  rows["E1"] =
      fmt::format("instant t={} @1:10/11 'category' 'name longer than eight bytes' {{}}", kTime);
  rows["E2"] =
      fmt::format("instant t={} {}/{} #1'one' #2'two' {{}}", kTime, 0xdeadbeef, 0xcafef00d);
  rows["E3"] =
      EventText("counter", fmt::format("{{#9029'key': true}} payload {}", 0x0000334455667788));
  rows["E4"] = EventText("duration begin");
  rows["E5"] = EventText("duration end");
  const std::pair<const char*, const char*> with_payload[] = {
      {"E6", "complete"},    {"E7", "async begin"}, {"E8", "async instant"}, {"E9", "async end"},
      {"E10", "flow begin"}, {"E11", "flow step"},  {"E12", "flow end"}};
  for (const auto& [id, type] : with_payload) {
    rows[id] = EventText(type, fmt::format("{{}} payload {}", kId));
  }

  rows["A0"] = ArgumentText("null");
  rows["A1"] = ArgumentText("true");
  rows["A2"] = ArgumentText(fmt::format("int32 {}", 0x12345678));
  rows["A3"] = ArgumentText(fmt::format("uint32 {}", 0x567890ab));
  rows["A4"] = ArgumentText(fmt::format("int64 {}", 0x1234567890abcdef));
  rows["A5"] = ArgumentText(fmt::format("uint64 {}", 0xfedcba0987654321));
  rows["A6"] = ArgumentText(fmt::format("double <{:016x},>", std::bit_cast<uint64_t>(1234.5678)));
  rows["A7"] = ArgumentText("string #11'eleven'");
  rows["A8"] = ArgumentText("string 'inline'");
  rows["A9"] = ArgumentText("string 'inline'", "'inline'");
  rows["A10"] = ArgumentText(fmt::format("pointer {}", 0xdeadbeef));
  rows["A11"] = ArgumentText(fmt::format("koid {}", 0x12345678));
  rows["A12"] = ArgumentText("blob <0102030405>");
  rows["A13"] = ArgumentText("null", "'argname'");

  const auto hex = [](std::string_view text) {
    std::string digits;
    for (unsigned char c : text) digits += fmt::format("{:02x}", c);
    return digits;
  };
  rows["B1"] =
      fmt::format("blob #30583'cat' type 1 <{}>", hex("This is some data that we are writing"));
  std::string branches =
      "01000400"
      "00000000"
      "d204000000000000"
      "e110000000000000";
  for (unsigned i = 0; i < 4; ++i) {
    for (unsigned value : {100 * i, 100 * i + 50, 69 * i}) {
      branches += fmt::format("{:02x}{:02x}000000000000", value & 0xff, value >> 8);
    }
  }
  rows["B2"] = "blob 'cpu1' type 2 <" + branches + ">";
  rows["G1"] = fmt::format(
      "large blob t={} @204:30/31 #31402'blobs' #31675'my blob' "
      "{{#9029'key': true}} <{}>",
      kOther, hex("Some data to write into the buffer"));

  rows["U1"] =
      fmt::format("userspace object {} @170:20/21 #30583'cat' {{#4660'name': true}}", 0xdeadbeef);
  rows["U2"] = "userspace object 1024 @12:70/71 #18'eighteen' {}";
  rows["K1"] =
      fmt::format("kernel object type 4 koid {} #30583'cat' {{#17185'key2': false}}", 0xdeadbeef);
  rows["K3"] = "kernel object type 1 koid 1234 'he\\xfflo' {}";
  rows["K4"] = "kernel object type 2 koid 4243 'worker' {'process': koid 4242}";
  rows["K5"] = "kernel object type 4 koid 64 #19'nineteen' {}";

  rows["C1"] =
      fmt::format("legacy switch t={} cpu 187 @1:10/11 state 2 prio 3 -> @2:10/12 prio 4", kOther);
  const uint64_t process1 = 0x1aaaaaaaaaaaaaaa, thread1 = 0x1bbbbbbbbbbbbbbb;
  const uint64_t process2 = 0x2ccccccccccccccc, thread2 = 0x2ddddddddddddddd;
  rows["C3a"] =
      fmt::format("legacy switch t=1 cpu 1 0/0 state 2 prio 0 -> {}/{} prio 1", process1, thread1);
  rows["C3b"] = fmt::format("legacy switch t=2 cpu 1 {}/{} state 2 prio 1 -> {}/{} prio 1",
                            process1, thread1, process2, thread2);
  rows["C3c"] = fmt::format("legacy switch t=3 cpu 1 {}/{} state 2 prio 1 -> {}/{} prio 1",
                            process2, thread2, process1, thread1);
  rows["C4"] = fmt::format(
      "switch t={} cpu 48059 1 state 2 -> 2 {{#1'one': int32 3, #2'two': int32 4}}", kOther);
  rows["C6"] = fmt::format("wakeup t={} cpu 48059 2 {{#2'two': int32 4}}", kOther);
  rows["C7"] = fmt::format("wakeup t=1 cpu 1 {} {{'waker': koid {}}}", process1, process2);
  rows["C8"] =
      fmt::format("switch t=4096 cpu 0 3 state 3 -> 0 {{'incoming_weight': int32 {}}}", INT32_MIN);
  rows["C9a"] = fmt::format("wakeup t=1 cpu 1 {} {{}}", process1);
  rows["C9b"] = fmt::format("switch t=2 cpu 1 {} state 0 -> {} {{}}", process1, process2);
  rows["C9c"] = fmt::format("switch t=3 cpu 1 {} state 0 -> {} {{}}", process2, process1);
  rows["L1"] = fmt::format("log t={} @1:10/11 'This is a log message'", kOther);
  rows["P1"] = fmt::format(
      "module t={} @204:30/31 id {} 'module_name' "
      "<333e89f0c175000cee9b7e201fedcd6f9b4ba8ae>",
      kTime, 0xabcd);
  rows["P2"] = fmt::format("mmap t={} @204:30/31 id {} flags 5 start 4096 size 8192 offset 12288",
                           kTime, 0xabcd);
  rows["P3"] = fmt::format("backtrace t={} {}/{} <{:016x},{:016x},{:016x},>", kTime, 0xdeadbeef,
                           0xcafef00d, 1, 2, 3);
  return rows;
}

// A file with the definitions above, `row`, and a record that checks the framing.
std::vector<uint64_t> FileWith(const std::vector<uint64_t>& row) {
  testing::CollectingSink sink;
  RecordBuffer buffer(sink);
  Encoder encoder(buffer);
  EXPECT_EQ(encoder.Write(MagicNumber{}), EncodeStatus::kOk);
  for (const auto& [index, text] : kStrings) {
    EXPECT_EQ(encoder.Write(StringRecord{index, text}), EncodeStatus::kOk);
  }
  for (const auto& [index, koids] : kThreads) {
    EXPECT_EQ(encoder.Write(ThreadRecord{index, koids.first, koids.second}), EncodeStatus::kOk);
  }
  EXPECT_TRUE(buffer.Flush());
  sink.words.insert(sink.words.end(), row.begin(), row.end());
  EXPECT_EQ(encoder.Write(Initialization{4711}), EncodeStatus::kOk);
  EXPECT_TRUE(buffer.Flush());
  return sink.words;
}

std::vector<uint64_t> Encode(const Record& record) {
  testing::CollectingSink sink;
  RecordBuffer buffer(sink);
  Encoder encoder(buffer);
  EXPECT_EQ(encoder.Write(record), EncodeStatus::kOk);
  EXPECT_TRUE(buffer.Flush());
  return sink.words;
}

// Row E0, with the argument count and size of an event with `argument`.
std::vector<uint64_t> InEvent(const std::vector<uint64_t>& argument) {
  std::vector<uint64_t> words = {0x1234777701100004 | (2 + argument.size()) << 4, kTime};
  words.insert(words.end(), argument.begin(), argument.end());
  return words;
}

class ReaderVectorsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    vectors_ = testing::LoadVectors();
    if (vectors_.empty()) GTEST_SKIP() << "no vectors.tsv above the current directory";
  }
  std::vector<testing::Vector> vectors_;
};

TEST_F(ReaderVectorsTest, ReadsEveryRowAndWritesItBack) {
  const auto expected = Expected();
  std::set<std::string> seen;
  for (const testing::Vector& vector : vectors_) {
    SCOPED_TRACE(vector.id + ": " + vector.description);
    seen.insert(vector.id);
    if (vector.id == "X1") continue;
    const auto text = expected.find(vector.id);
    ASSERT_NE(text, expected.end()) << "no expectation for this row";
    const std::vector<uint64_t> row = vector.id[0] == 'A' ? InEvent(vector.words) : vector.words;
    const std::vector<uint64_t> file = FileWith(row);

    MemorySource source(std::as_bytes(std::span(file)));
    Reader reader(source);
    for (size_t i = 0; i < 1 + kStrings.size() + kThreads.size(); ++i) {
      ASSERT_EQ(reader.Next(), ReadStatus::kRecord);
    }
    ASSERT_EQ(reader.Next(), ReadStatus::kRecord) << reader.error_message();
    EXPECT_EQ(testing::ToText(reader.record()), text->second);
    EXPECT_EQ(testing::ToHex(Encode(reader.record())), testing::ToHex(row));
    EXPECT_EQ(std::vector<uint64_t>(reader.words().begin(), reader.words().end()), row);
    ASSERT_EQ(reader.Next(), ReadStatus::kRecord);
    EXPECT_EQ(testing::ToText(reader.record()), "initialization 4711");
    EXPECT_EQ(reader.Next(), ReadStatus::kEnd);
    for (const Diagnostic& diagnostic : reader.diagnostics().kept()) {
      // M3 to M5 refer to a provider that this file does not announce.
      EXPECT_EQ(diagnostic.kind, DiagnosticKind::kUnknownProvider) << ToString(diagnostic);
      EXPECT_EQ(vector.id[0], 'M');
    }
  }
  for (const auto& [id, text] : expected) EXPECT_TRUE(seen.contains(id)) << id << " is not a row";
  EXPECT_TRUE(seen.contains("X1"));
}

TEST_F(ReaderVectorsTest, RefusesARecordOfSizeZero) {
  for (const testing::Vector& vector : vectors_) {
    if (vector.id != "X1") continue;
    std::vector<uint64_t> file = {kMagicRecord};
    file.insert(file.end(), vector.words.begin(), vector.words.end());
    file.push_back(kMagicRecord);
    MemorySource source(std::as_bytes(std::span(file)));
    Reader reader(source);
    EXPECT_EQ(reader.Next(), ReadStatus::kRecord);
    EXPECT_EQ(reader.Next(), ReadStatus::kError);
    EXPECT_EQ(reader.error(), ReadError::kSizeZero);
    EXPECT_EQ(reader.offset(), 8u);

    // The record alone is not a trace. In a stream without magic number it is an error.
    MemorySource alone(std::as_bytes(std::span(vector.words)));
    EXPECT_EQ(Reader(alone).Next(), ReadStatus::kError);
    ReaderOptions bare;
    bare.require_magic = false;
    Reader without_magic(alone, bare);
    EXPECT_EQ(without_magic.Next(), ReadStatus::kError);
    EXPECT_EQ(without_magic.error(), ReadError::kSizeZero);
  }
}

}  // namespace
}  // namespace fxt
