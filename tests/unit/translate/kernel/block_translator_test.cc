// SPDX-License-Identifier: BSD-2-Clause
#include "translate/kernel/block_translator.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>

#include "unit/translate/capture_script.h"

namespace translate {
namespace {

using testing::CaptureScript;

class BlockTranslatorTest : public ::testing::Test {
 protected:
  BlockTranslatorTest() { script_.Task(7, 7, "app").Switch(1, 0, 0, 7); }

  void Request(uint64_t time, fxr_block_kind kind, uint64_t sector, uint32_t left = 0,
               int32_t error = 0, const char* disk = "vda") {
    alignas(8) std::byte storage[FXR_LONG_SIZE(block, FXR_DISK_NAME_BYTES)] = {};
    auto* event = reinterpret_cast<fxr_long*>(storage);
    event->header = {time, FXR_SIDE_LONG, 0, 0, sizeof(storage)};
    event->category = FXR_CATEGORY_BLOCK;
    fxr_block_long fields{};
    fields.kind = static_cast<fxr_u8>(kind);
    fields.request = 0x1000;
    fields.sector = sector;
    fields.length = 4096;
    fields.left = left;
    fields.operation = 1;
    fields.tid = 7;
    fields.error = error;
    fxr_pack_block(event, fields, FXR_DISK_NAME_BYTES);
    std::strncpy(static_cast<char*>(fxr_block_bytes(event)), disk, FXR_DISK_NAME_BYTES);
    script_.translator().OnSideEvent(event->header);
  }

  CaptureScript script_;
};

TEST_F(BlockTranslatorTest, ARequestIsASpanOfItsDevice) {
  Request(10, FXR_BLOCK_INSERT, 64);
  Request(20, FXR_BLOCK_ISSUE, 64);
  Request(30, FXR_BLOCK_COMPLETE, 64, 0, -5);
  const auto lines = script_.Lines("block:");
  ASSERT_EQ(lines.size(), 3u);
  for (const char* word : {"vda", "block:write", "thread=koid 7", "bytes=4096", "sector=64"}) {
    EXPECT_NE(lines[0].find(word), std::string::npos) << lines[0];
  }
  EXPECT_NE(lines[1].find("block:issue"), std::string::npos) << lines[1];
  EXPECT_NE(lines[2].find("error=-5"), std::string::npos) << lines[2];
}

TEST_F(BlockTranslatorTest, ACompletionOfAPartEndsNothing) {
  Request(10, FXR_BLOCK_ISSUE, 64);
  Request(20, FXR_BLOCK_COMPLETE, 64, 4096);
  Request(30, FXR_BLOCK_COMPLETE, 72);
  const auto lines = script_.Lines("block:");
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_NE(lines[1].find("complete_partly"), std::string::npos) << lines[1];
  EXPECT_NE(lines[2].find("error=0"), std::string::npos) << lines[2];
}

TEST_F(BlockTranslatorTest, EndsMergedRequests) {
  Request(10, FXR_BLOCK_INSERT, 64);
  Request(20, FXR_BLOCK_MERGE, 64);
  EXPECT_NE(script_.Lines("block:").back().find("merged=1"), std::string::npos);
}

TEST_F(BlockTranslatorTest, CountsEndsWithoutBegins) {
  Request(30, FXR_BLOCK_COMPLETE, 64);
  EXPECT_EQ(script_.translator().stats().unmatched_ends, 1u);
  EXPECT_TRUE(script_.Lines("block:").empty());
}

TEST_F(BlockTranslatorTest, ReusedAddressIsANewRequest) {
  Request(10, FXR_BLOCK_ISSUE, 64);
  Request(20, FXR_BLOCK_ISSUE, 640);
  Request(30, FXR_BLOCK_COMPLETE, 640);
  EXPECT_EQ(script_.Lines("block:write").size(), 4u);
}

}  // namespace
}  // namespace translate
