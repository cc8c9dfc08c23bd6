// SPDX-License-Identifier: BSD-2-Clause
#include "facts/object_names.h"

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

TEST(ObjectNamesTest, TheLastNameCounts) {
  facts::ObjectNames names;
  EXPECT_TRUE(names.Note(Thread(7, "before")));
  EXPECT_TRUE(names.Note(Process(7, "process")));
  EXPECT_TRUE(names.Note(Thread(7, "a longer name than before")));
  EXPECT_EQ(names.thread_name(7), "a longer name than before");
  EXPECT_EQ(names.process_name(7), "process");
  EXPECT_EQ(names.thread(8), nullptr);
  EXPECT_EQ(names.thread_name(8), "");
  EXPECT_FALSE(names.Note(fxt::Record(fxt::Initialization{1})));
}

TEST(ObjectNamesTest, KeepsTheProcessOfAThread) {
  const fxt::Argument process{StringRef::Inline("process"), fxt::KoidValue{5}};
  facts::ObjectNames names;
  names.Note(fxt::KernelObject{static_cast<uint8_t>(fxt::KernelObjectType::kThread),
                               6,
                               StringRef::Inline("t"),
                               {&process, 1}});
  ASSERT_NE(names.thread(6), nullptr);
  EXPECT_EQ(names.thread(6)->process, 5u);
}

TEST(ObjectNamesTest, StaysWithinItsLimit) {
  facts::ObjectNames names(size_t{1} << 20);
  const std::string name(1000, 'n');
  for (fxt::Koid koid = 1; koid <= 5000; ++koid) names.Note(Thread(koid, name));
  EXPECT_LT(names.threads().size(), 1000u);
  EXPECT_GT(names.threads().size(), 900u);
  EXPECT_EQ(names.thread_name(1), name);
  // Names of the same length still change.
  names.Note(Thread(1, std::string(1000, 'm')));
  EXPECT_EQ(names.thread_name(1)[0], 'm');
  // Longer ones do not.
  for (int i = 0; i < 100; ++i) names.Note(Thread(1, std::string(32'000, 'x')));
  EXPECT_EQ(names.thread_name(1)[0], 'm');
}

}  // namespace
}  // namespace facts
