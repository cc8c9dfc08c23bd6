// SPDX-License-Identifier: BSD-2-Clause
#include "capture/bpf/interrupt_context.h"

#include <bpf/btf.h>
#include <gtest/gtest.h>

#include <fstream>
#include <initializer_list>
#include <memory>
#include <string>

#include "support/temp_folder.h"

namespace capture {
namespace {

constexpr uint32_t kOwnTid = 77;
constexpr uint32_t kOtherTid = 78;
constexpr uint32_t kIdle = 0;
constexpr uint32_t kOld = 0x00ff0100;
constexpr uint32_t kSince73 = 0x1f000100;

class InterruptContext : public ::testing::Test {
 protected:
  // Types with these per-CPU variables, each 64 bytes behind the one before.
  KernelTypes Types(std::initializer_list<const char*> variables) {
    const std::unique_ptr<btf, void (*)(btf*)> types(btf__new_empty(), btf__free);
    const int integer = btf__add_int(types.get(), "int", 4, BTF_INT_SIGNED);
    std::vector<int> ids;
    for (const char* name : variables) {
      ids.push_back(btf__add_var(types.get(), name, BTF_VAR_STATIC, integer));
    }
    if (!ids.empty()) {
      btf__add_datasec(types.get(), ".data..percpu", 4096);
      uint32_t place = 64;
      for (const int id : ids) {
        btf__add_datasec_var_info(types.get(), id, place, 4);
        place += 64;
      }
    }
    uint32_t bytes = 0;
    const void* data = btf__raw_data(types.get(), &bytes);
    const std::string path = folder_ / "btf";
    std::ofstream(path, std::ios::binary) << std::string(static_cast<const char*>(data), bytes);
    auto loaded = KernelTypes::Load(path);
    EXPECT_TRUE(loaded.ok());
    return std::move(*loaded);
  }
  std::string Symbols(const std::string& text) {
    const std::string path = folder_ / "kallsyms";
    std::ofstream(path) << text;
    return path;
  }

 private:
  const testing_support::TempFolder folder_;
};

TEST_F(InterruptContext, ReadsOffsetsFromTypes) {
  const auto places =
      FindPerCpuOffsets(Types({"runqueues", "cpu_number", "__preempt_count"}), Symbols(""));
  ASSERT_TRUE(places);
  EXPECT_EQ(places->runqueues, 64u);
  EXPECT_EQ(places->cpu_number, 128u);
  EXPECT_EQ(places->preempt_count, 192u);
}

TEST_F(InterruptContext, UsesTheOffsetOfPcpuHot) {
  const auto places = FindPerCpuOffsets(Types({"pcpu_hot", "runqueues"}), Symbols(""));
  ASSERT_TRUE(places);
  EXPECT_EQ(places->cpu_number, 64u);
  EXPECT_EQ(places->preempt_count, 64u);
}

TEST_F(InterruptContext, FallsBackToSymbols) {
  const std::string symbols =
      "0000000000000000 A fixed_percpu_data\n"
      "000000000001fa40 A __preempt_count\n"
      "000000000001fb00 A cpu_number\n"
      "000000000002b9c0 A runqueues\n"
      "ffffffff81000000 T _text\n"
      "ffffffffc0001000 t runqueues\t[some_module]\n";
  const auto places = FindPerCpuOffsets(Types({}), Symbols(symbols));
  ASSERT_TRUE(places);
  EXPECT_EQ(places->runqueues, 0x2b9c0u);
  EXPECT_EQ(places->cpu_number, 0x1fb00u);
  EXPECT_EQ(places->preempt_count, 0x1fa40u);
}

TEST_F(InterruptContext, FindsNoOffsetsWithoutNamesOrAddresses) {
  EXPECT_FALSE(FindPerCpuOffsets(Types({}), Symbols("ffffffff81000000 T _text\n")));
  EXPECT_FALSE(FindPerCpuOffsets(Types({}), "/nonexistent/kallsyms"));
  EXPECT_FALSE(FindPerCpuOffsets(Types({}), Symbols("0000000000000000 A __preempt_count\n"
                                                    "0000000000000000 A cpu_number\n"
                                                    "0000000000000000 A runqueues\n")));
}

TEST_F(InterruptContext, ShiftsBitsWhereDisablingIsCounted) {
  EXPECT_EQ(InterruptMask(Types({"__preempt_count"})), kOld);
  EXPECT_EQ(InterruptMask(Types({"__preempt_count", "local_interrupt_disable_state"})), kSince73);
}

TEST_F(InterruptContext, AcceptsNoInterruptOnTheOwnThread) {
  for (const uint32_t mask : {kOld, kSince73}) {
    EXPECT_FALSE(Contradicts({0, kOwnTid}, kOwnTid, mask));
    // Preemption off, soft interrupts off, another task is to run.
    EXPECT_FALSE(Contradicts({0x80000201, kOwnTid}, kOwnTid, mask));
    EXPECT_TRUE(Contradicts({0x00000100, kOwnTid}, kOwnTid, mask));
  }
  // Interrupts disabled once, since 7.3.
  EXPECT_FALSE(Contradicts({0x00010001, kOwnTid}, kOwnTid, kSince73));
  EXPECT_TRUE(Contradicts({0x00010001, kOwnTid}, kOwnTid, kOld));
}

TEST_F(InterruptContext, ExpectsAnInterruptOnOtherCpus) {
  EXPECT_FALSE(Contradicts({0x00010000, kOtherTid}, kOwnTid, kOld));
  EXPECT_TRUE(Contradicts({0x00010000, kOtherTid}, kOwnTid, kSince73));
  EXPECT_FALSE(Contradicts({0x01000000, kOtherTid}, kOwnTid, kSince73));
  EXPECT_TRUE(Contradicts({0x01000000, kOtherTid}, kOwnTid, kOld));
  EXPECT_TRUE(Contradicts({0, kOtherTid}, kOwnTid, kOld));
}

TEST_F(InterruptContext, AllowsIdleTasksWithoutInterrupt) {
  EXPECT_FALSE(Contradicts({1, kIdle}, kOwnTid, kOld));
  EXPECT_FALSE(Contradicts({0x00010001, kIdle}, kOwnTid, kOld));
  EXPECT_TRUE(Contradicts({0x01000001, kIdle}, kOwnTid, kOld));
  EXPECT_TRUE(Contradicts({0x00010001, kIdle}, kOwnTid, kSince73));
}

}  // namespace
}  // namespace capture
