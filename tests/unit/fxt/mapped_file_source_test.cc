// SPDX-License-Identifier: BSD-2-Clause
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>

#include "fxt/byte_source.h"
#include "fxt/reader.h"
#include "unit/fxt/support/file_builder.h"

namespace fxt {
namespace {

using testing::FileBuilder;

TEST(MappedFileSourceTest, MapsFilesAndRefusesOthers) {
  FILE* file = tmpfile();
  ASSERT_NE(file, nullptr);
  std::error_code error;
  {
    const auto empty = MappedFileSource::Map(fileno(file), error);
    ASSERT_NE(empty, nullptr);
    Reader reader(*empty);
    EXPECT_EQ(reader.Next(), ReadStatus::kError);
    EXPECT_EQ(reader.error(), ReadError::kEmpty);
  }
  FileBuilder builder;
  builder.Add(StringRecord{1, "kept"});
  // Several release steps, so that pages are dropped.
  const uint64_t count = (20 << 20) / 16;
  for (uint64_t i = 0; i < count; ++i) {
    builder.Add(
        Event{EventType::kInstant, i, ThreadRef::Indexed(1), {}, StringRef::Indexed(1), {}, 0});
  }
  const auto bytes = builder.bytes();
  ASSERT_EQ(fwrite(bytes.data(), 1, bytes.size(), file), bytes.size());
  ASSERT_EQ(fflush(file), 0);
  const auto source = MappedFileSource::Map(fileno(file), error);
  ASSERT_NE(source, nullptr);
  EXPECT_EQ(source->total(), bytes.size());
  Reader reader(*source);
  uint64_t events = 0;
  while (reader.Next() == ReadStatus::kRecord) {
    const auto* event = std::get_if<Event>(&reader.record());
    if (event == nullptr) continue;
    ASSERT_EQ(event->timestamp, events);
    ASSERT_EQ(event->name.text, "kept");
    ++events;
  }
  EXPECT_EQ(events, count);
  EXPECT_GT(source->position(), bytes.size() / 2);
  fclose(file);

  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  EXPECT_EQ(MappedFileSource::Map(ends[0], error), nullptr);
  EXPECT_TRUE(error);
  close(ends[0]);
  close(ends[1]);
}

}  // namespace
}  // namespace fxt
