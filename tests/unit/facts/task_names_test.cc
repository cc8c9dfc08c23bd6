// SPDX-License-Identifier: BSD-2-Clause
#include "facts/task_names.h"

#include <gtest/gtest.h>

#include <string>

namespace facts {
namespace {

using fxt::StringRef;

fxt::Record Thread(fxt::Koid koid, std::string_view name) {
  return fxt::KernelObject{
      static_cast<uint8_t>(fxt::KernelObjectType::kThread), koid, StringRef::Inline(name), {}};
}
fxt::Record Process(fxt::Koid koid, std::string_view name) {
  return fxt::KernelObject{
      static_cast<uint8_t>(fxt::KernelObjectType::kProcess), koid, StringRef::Inline(name), {}};
}

TEST(TaskNamesTest, TheLastNameCounts) {
  facts::TaskNames names;
  EXPECT_TRUE(names.Note(Thread(7, "before")));
  EXPECT_TRUE(names.Note(Process(7, "process")));
  EXPECT_TRUE(names.Note(Thread(7, "a longer name than before")));
  EXPECT_EQ(names.thread_name(7), "a longer name than before");
  EXPECT_EQ(names.process_name(7), "process");
  EXPECT_EQ(names.thread(8), nullptr);
  EXPECT_EQ(names.thread_name(8), "");
  EXPECT_FALSE(names.Note(fxt::Record(fxt::Initialization{1})));
}

TEST(TaskNamesTest, ANameOfTheKernelCounts) {
  facts::TaskNames names;
  names.Note(Thread(7, "first"), false);
  names.Note(Thread(7, "second"), false);
  EXPECT_EQ(names.thread_name(7), "second");
  names.Note(Thread(7, "kernel's"));
  names.Note(Thread(7, "third"), false);
  EXPECT_EQ(names.thread_name(7), "kernel's");
}

TEST(TaskNamesTest, KeepsTheProcessOfAThread) {
  const fxt::Argument process{StringRef::Inline("process"), fxt::KoidValue{5}};
  facts::TaskNames names;
  names.Note(fxt::KernelObject{static_cast<uint8_t>(fxt::KernelObjectType::kThread), 6, StringRef::Inline("t"), {&process, 1}});
  ASSERT_NE(names.thread(6), nullptr);
  EXPECT_EQ(names.thread(6)->process, 5u);
  EXPECT_EQ(names.process(5), nullptr) << "it has no record of its own";
  EXPECT_EQ(names.CountProcesses(), 0u);
  names.Note(Process(5, "p"));
  EXPECT_NE(names.process(5), nullptr);
  EXPECT_EQ(names.CountProcesses(), 1u);
}

TEST(TaskNamesTest, StaysWithinItsLimit) {
  facts::TaskNames names(size_t{1} << 20);
  const auto name_of = [](fxt::Koid koid) { return std::string(1000, 'n') + std::to_string(koid); };
  for (fxt::Koid koid = 1; koid <= 5000; ++koid) names.Note(Thread(koid, name_of(koid)));
  EXPECT_LT(names.threads().size(), 1000u);
  EXPECT_GT(names.threads().size(), 700u);
  EXPECT_TRUE(names.is_full());
  EXPECT_EQ(names.thread_name(1), name_of(1));
  EXPECT_EQ(names.thread_name(5000), "");
  // Names that are there cost nothing; others find no room.
  names.Note(Thread(1, name_of(2)));
  EXPECT_EQ(names.thread_name(1), name_of(2));
  names.Note(Thread(1, std::string(32'000, 'x')));
  EXPECT_EQ(names.thread_name(1), "");
}

}  // namespace
}  // namespace facts
