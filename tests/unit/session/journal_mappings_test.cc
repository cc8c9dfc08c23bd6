// SPDX-License-Identifier: BSD-2-Clause
#include "session/journal_mappings.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include "fxt_record/long_event.h"
#include "session/journal.h"

namespace session {
namespace {

class Counting final : public model::IdentitySource {
 public:
  model::ProcessText TextOf(uint32_t) override { return {}; }
  std::optional<fxr_task> LookUp(uint32_t) override { return std::nullopt; }
  std::string CgroupPath(uint64_t) override { return ""; }
  std::string IrqName(uint32_t) override { return ""; }
  std::vector<model::ExecutableMapping> MappingsOf(uint32_t) override {
    ++asked;
    return {{.start = 0x1000, .size = 0x1000, .file = "/bin/x", .build_id = {}}};
  }
  int asked = 0;
};

class JournalMappingsTest : public ::testing::Test {
 protected:
  void Stack(JournalMappings& mappings, uint32_t tgid, uint64_t time) {
    uint64_t words[32] = {};
    auto* event = reinterpret_cast<fxr_long*>(words);
    event->header = {time, FXR_SIDE_LONG, 0, 0, sizeof(words)};
    event->category = FXR_CATEGORY_STACK;
    fxr_stack_long fields{};
    fields.tgid = tgid;
    fxr_pack_stack(event, fields, 0);
    mappings.OnSideEvent(event->header);
  }
  template <typename Event>
  void Of(JournalMappings& mappings, uint8_t type, uint32_t tgid) {
    Event event{};
    event.header = {1, type, 0, 0, sizeof(event)};
    event.tid = event.tgid = tgid;
    mappings.OnSideEvent(event.header);
  }

  Counting live_;
  Journal journal_;
};

TEST_F(JournalMappingsTest, ReadsAProcessOncePerExec) {
  JournalMappings mappings(journal_, live_, true);
  Stack(mappings, 5, 10);
  Stack(mappings, 5, 11);
  EXPECT_EQ(live_.asked, 1);
  ASSERT_NE(journal_.Front(), nullptr);
  EXPECT_EQ(journal_.Front()->time, 10u);
  EXPECT_EQ(ReadMapping(*journal_.Front()).file, "/bin/x");
  Of<fxr_exec>(mappings, FXR_SIDE_EXEC, 5);
  Stack(mappings, 5, 12);
  EXPECT_EQ(live_.asked, 2);
  Of<fxr_exit>(mappings, FXR_SIDE_EXIT, 5);
  Stack(mappings, 5, 13);
  EXPECT_EQ(live_.asked, 3);
  mappings.ReadAgain();
  Stack(mappings, 5, 14);
  EXPECT_EQ(live_.asked, 4);
  // The idle task and interrupts have no mappings.
  Stack(mappings, 0, 15);
  EXPECT_EQ(live_.asked, 4);
}

TEST_F(JournalMappingsTest, ReadsNothingWithoutAddresses) {
  JournalMappings mappings(journal_, live_, false);
  Stack(mappings, 5, 10);
  perf::MmapRecord record;
  record.protection = PROT_EXEC;
  mappings.OnMapping(11, record);
  EXPECT_EQ(live_.asked, 0);
  EXPECT_EQ(journal_.Front(), nullptr);
}

TEST_F(JournalMappingsTest, KeepsExecutableMappingsOnly) {
  JournalMappings mappings(journal_, live_, true);
  perf::MmapRecord record;
  record.protection = PROT_READ;
  mappings.OnMapping(11, record);
  EXPECT_EQ(journal_.Front(), nullptr);
  record.protection = PROT_READ | PROT_EXEC;
  mappings.OnMapping(12, record);
  EXPECT_NE(journal_.Front(), nullptr);
}

}  // namespace
}  // namespace session
