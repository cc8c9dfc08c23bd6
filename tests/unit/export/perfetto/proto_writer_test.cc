// SPDX-License-Identifier: BSD-2-Clause
#include "export/perfetto/proto_writer.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <vector>

namespace exporting {
namespace {

std::vector<int> BytesOf(const ProtoWriter& writer) {
  std::vector<int> bytes;
  for (const std::byte byte : writer.bytes()) bytes.push_back(std::to_integer<int>(byte));
  return bytes;
}

using Ints = std::vector<int>;

// The examples of the Protocol Buffers documentation, "Encoding".
TEST(ProtoWriterTest, WritesTheExamplesOfTheDocumentation) {
  ProtoWriter number;
  number.Varint(1, 150);
  EXPECT_EQ(BytesOf(number), (Ints{0x08, 0x96, 0x01}));
  ProtoWriter text;
  text.String(2, "testing");
  EXPECT_EQ(BytesOf(text), (Ints{0x12, 0x07, 0x74, 0x65, 0x73, 0x74, 0x69, 0x6e, 0x67}));
  ProtoWriter message;
  {
    const ProtoWriter::Nested nested(message, 3);
    message.Varint(1, 150);
  }
  EXPECT_EQ(BytesOf(message), (Ints{0x1a, 0x03, 0x08, 0x96, 0x01}));
  ProtoWriter packed;
  std::vector<std::byte> elements;
  for (const uint64_t element : {3, 270, 86942}) ProtoWriter::AppendVarint(elements, element);
  packed.Packed(6, elements);
  EXPECT_EQ(BytesOf(packed), (Ints{0x32, 0x06, 0x03, 0x8e, 0x02, 0x9e, 0xa7, 0x05}));
}

TEST(ProtoWriterTest, StringsAreUtf8AndBytesAreNot) {
  const std::string_view text = "a\xff";
  ProtoWriter string;
  string.String(1, text);
  EXPECT_EQ(BytesOf(string), (Ints{0x0a, 0x04, 'a', 0xef, 0xbf, 0xbd}));
  ProtoWriter bytes;
  bytes.Bytes(1, std::as_bytes(std::span(text)));
  EXPECT_EQ(BytesOf(bytes), (Ints{0x0a, 0x02, 'a', 0xff}));
}

TEST(ProtoWriterTest, ExtendsTheSignOfIntegers) {
  ProtoWriter writer;
  writer.Varint(1, int32_t{-1});
  EXPECT_EQ(BytesOf(writer),
            (Ints{0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01}));
}

TEST(ProtoWriterTest, InsertsLongLengthsInsideOfOuterMessages) {
  for (const size_t length : {0, 125, 126, 127, 128, 16'380, 16'381, 16'382, 70'000}) {
    ProtoWriter inner;
    inner.String(1, std::string(length, 'x'));
    ProtoWriter expected;
    ProtoWriter middle;
    middle.Bytes(2, inner.bytes());
    expected.Bytes(3, middle.bytes());
    ProtoWriter writer;
    {
      const ProtoWriter::Nested outer(writer, 3);
      const ProtoWriter::Nested nested(writer, 2);
      writer.String(1, std::string(length, 'x'));
    }
    EXPECT_EQ(BytesOf(writer), BytesOf(expected)) << length;
  }
}

}  // namespace
}  // namespace exporting
