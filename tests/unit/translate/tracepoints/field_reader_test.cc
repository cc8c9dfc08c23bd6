// SPDX-License-Identifier: BSD-2-Clause
#include "translate/tracepoints/field_reader.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

namespace translate {
namespace {

using schema::TracepointField;
using Kind = TracepointField::Kind;
using Place = TracepointField::Place;

// A record for tests to fill.
class FieldReaderTest : public ::testing::Test {
 protected:
  template <typename T>
  void Put(size_t offset, T value) {
    std::memcpy(record_.data() + offset, &value, sizeof(value));
  }
  void PutText(size_t offset, const std::string& text) {
    std::memcpy(record_.data() + offset, text.data(), text.size());
  }
  fxt::ArgumentValue Read(const TracepointField& field) {
    return ReadField(field, record_, scratch_);
  }
  std::string Text(const TracepointField& field) {
    const auto value = Read(field);
    const auto* text = std::get_if<fxt::StringRef>(&value);
    return text == nullptr ? "no text" : std::string(text->text);
  }

  std::vector<std::byte> record_ = std::vector<std::byte>(4096);
  std::string scratch_;
};

TracepointField Fixed(Kind kind, uint32_t offset, uint32_t size, uint32_t element = 0) {
  TracepointField field;
  field.kind = kind;
  field.offset = offset;
  field.size = size;
  field.is_array = element != 0;
  field.element_size = element != 0 ? element : size;
  return field;
}

TracepointField Dynamic(Place place, Kind kind, uint32_t offset, uint32_t element) {
  TracepointField field = Fixed(kind, offset, 4, element);
  field.place = place;
  return field;
}

TEST_F(FieldReaderTest, NumbersHaveTheTypeThatHoldsThem) {
  Put<int8_t>(0, -5);
  Put<int64_t>(8, -6);
  Put<uint16_t>(16, 65535);
  Put<uint64_t>(24, UINT64_MAX);
  EXPECT_EQ(std::get<int32_t>(Read(Fixed(Kind::kSigned, 0, 1))), -5);
  EXPECT_EQ(std::get<int64_t>(Read(Fixed(Kind::kSigned, 8, 8))), -6);
  EXPECT_EQ(std::get<uint32_t>(Read(Fixed(Kind::kUnsigned, 16, 2))), 65535u);
  EXPECT_EQ(std::get<uint64_t>(Read(Fixed(Kind::kUnsigned, 24, 8))), UINT64_MAX);
  EXPECT_EQ(std::get<fxt::PointerValue>(Read(Fixed(Kind::kPointer, 24, 8))).address, UINT64_MAX);
}

TEST_F(FieldReaderTest, TextsEndAtTheirNulAndAreValid) {
  PutText(0, std::string("comm\0rest", 9));
  EXPECT_EQ(Text(Fixed(Kind::kText, 0, 16, 1)), "comm");
  PutText(32, std::string(16, 'x'));
  EXPECT_EQ(Text(Fixed(Kind::kText, 32, 16, 1)), std::string(16, 'x'));
  PutText(64, "a\xff");
  EXPECT_EQ(Text(Fixed(Kind::kText, 64, 16, 1)), "a\xef\xbf\xbd");
}

TEST_F(FieldReaderTest, LongTextsAreCut) {
  PutText(0, std::string(3000, 'x'));
  EXPECT_EQ(Text(Fixed(Kind::kText, 0, 3000, 1)), std::string(kMaxTextBytes, 'x') + "...");
}

TEST_F(FieldReaderTest, ReadsDynamicDataByItsLocation) {
  Put<uint32_t>(8, 6 << 16 | 100);
  PutText(100, std::string("there\0", 6));
  EXPECT_EQ(Text(Dynamic(Place::kDataLoc, Kind::kText, 8, 1)), "there");
  // Relative to the end of the word: 12 + 88.
  Put<uint32_t>(8, 6 << 16 | 88);
  EXPECT_EQ(Text(Dynamic(Place::kRelLoc, Kind::kText, 8, 1)), "there");
}

TEST_F(FieldReaderTest, MissingFieldsAreNull) {
  EXPECT_TRUE(std::holds_alternative<fxt::NullValue>(Read(Fixed(Kind::kSigned, 4094, 4))));
  EXPECT_TRUE(std::holds_alternative<fxt::NullValue>(Read(Fixed(Kind::kSigned, UINT32_MAX, 4))));
  Put<uint32_t>(8, 0xffffU << 16 | 100);
  EXPECT_TRUE(
      std::holds_alternative<fxt::NullValue>(Read(Dynamic(Place::kDataLoc, Kind::kText, 8, 1))));
  Put<uint32_t>(8, 8U << 16 | 0xffff);
  EXPECT_TRUE(
      std::holds_alternative<fxt::NullValue>(Read(Dynamic(Place::kRelLoc, Kind::kText, 8, 1))));
}

TEST_F(FieldReaderTest, ArraysAreTexts) {
  Put<int16_t>(0, -1);
  Put<int16_t>(2, 2);
  EXPECT_EQ(Text(Fixed(Kind::kSigned, 0, 4, 2)), "-1,2");
  Put<uint32_t>(8, 0x7f000001);
  EXPECT_EQ(Text(Fixed(Kind::kUnsigned, 8, 4, 1)), "0100007f");
  EXPECT_EQ(Text(Fixed(Kind::kBytes, 8, 3)), "010000");
  const std::string many = Text(Fixed(Kind::kUnsigned, 0, 1024, 8));
  EXPECT_TRUE(many.ends_with("...")) << many;
  EXPECT_EQ(std::count(many.begin(), many.end(), ','), static_cast<long>(kMaxElements) - 1);
}

TEST_F(FieldReaderTest, DescribesTheSame) {
  Put<int32_t>(0, -7);
  Put<uint64_t>(8, 0xabc);
  EXPECT_EQ(DescribeField(Fixed(Kind::kSigned, 0, 4), record_), "-7");
  EXPECT_EQ(DescribeField(Fixed(Kind::kPointer, 8, 8), record_), "0xabc");
  EXPECT_EQ(DescribeField(Fixed(Kind::kSigned, 5000, 4), record_), "");
}

// For arbitrary field descriptions and bytes.
TEST_F(FieldReaderTest, NoFieldReadsBeyondTheRecord) {
  for (auto& byte : record_) byte = std::byte{0xfe};
  for (uint32_t offset : {0u, 1u, 4090u, 4096u, 70000u}) {
    for (uint32_t size : {0u, 1u, 3u, 4u, 8u, 5000u}) {
      for (uint32_t element : {0u, 1u, 3u, 8u, 16u}) {
        for (const Kind kind :
             {Kind::kSigned, Kind::kUnsigned, Kind::kPointer, Kind::kText, Kind::kBytes}) {
          for (const Place place : {Place::kFixed, Place::kDataLoc, Place::kRelLoc}) {
            TracepointField field = Fixed(kind, offset, size, element);
            field.place = place;
            Read(field);
            DescribeField(field, record_);
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace translate
