// SPDX-License-Identifier: BSD-2-Clause
#include "measure/store/load.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "measure/store/summary_file.h"
#include "unit/measure/random_capture.h"
#include "unit/measure/trace_script.h"

namespace measure {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
namespace fs = std::filesystem;

class LoadTest : public ::testing::Test {
 protected:
  ~LoadTest() override { fs::remove_all(folder_); }
  std::string Write(const std::string& name, std::span<const std::byte> bytes) {
    fs::create_directories(folder_);
    const std::string path = folder_ / name;
    std::ofstream file(path, std::ios::binary);
    file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<long>(bytes.size()));
    return path;
  }
  std::string Write(const std::string& name, const std::string& text) {
    return Write(name, std::as_bytes(std::span(text)));
  }

 private:
  fs::path folder_ = fs::path(::testing::TempDir()) / "fxt-load-test";
};

TEST_F(LoadTest, ATraceIsCollected) {
  testing::TraceScript trace;
  trace.Name(7, "app").Switch(0, 0, 0, "R", 7).Switch(100, 0, 7, "S", 0);
  const std::string path = Write("a.fxt", trace.bytes());
  std::vector<std::string> notes;
  const auto capture = Load(path, {.progress = {}, .collector = {}, .notes = &notes});
  ASSERT_TRUE(capture);
  EXPECT_EQ(capture->file, path);
  EXPECT_NE(testing::Find(*capture, "app"), nullptr);
  EXPECT_THAT(notes, IsEmpty());
  Capture same = trace.Collect();
  same.file = path;
  EXPECT_TRUE(*capture == same);
}

TEST_F(LoadTest, RecordsOutOfOrderAreNoted) {
  const auto notes_of = [&](uint64_t late) {
    testing::TraceScript trace;
    trace.Name(7, "app").Switch(1'000'000, 0, 0, "R", 7).Switch(90'000'000, 0, 7, "S", 0);
    trace.Wake(90'000'000 - late, 7);
    std::vector<std::string> notes;
    LoadOptions options;
    options.notes = &notes;
    EXPECT_TRUE(Load(Write("late.fxt", trace.bytes()), options));
    return notes;
  };
  EXPECT_THAT(notes_of(9'000'000),
              ::testing::ElementsAre(HasSubstr("1 switches and wakeups are earlier")));
  EXPECT_THAT(notes_of(100'000), IsEmpty());
}

// Lengths would be nonsense.
TEST_F(LoadTest, AJumbledTraceIsRefused) {
  testing::TraceScript trace;
  trace.Name(7, "app").Switch(90'000'000, 0, 0, "R", 7).Switch(1'000'000, 0, 7, "S", 0);
  const auto capture = Load(Write("jumbled.fxt", trace.bytes()));
  ASSERT_FALSE(capture);
  EXPECT_THAT(capture.error().message, HasSubstr("not in order of time"));
  EXPECT_THAT(capture.error().hint, HasSubstr("fxt merge"));
}

TEST_F(LoadTest, ASummaryIsReadByItsContent) {
  Capture written = testing::RandomCapture(1);
  const std::string path = Write("b.anything", EncodeSummary(written));
  const auto capture = Load(path);
  ASSERT_TRUE(capture);
  written.file = path;
  EXPECT_TRUE(*capture == written);
}

TEST_F(LoadTest, ErrorsNameTheFile) {
  EXPECT_THAT(Load("/no/such/file").error().message, HasSubstr("/no/such/file"));
  const std::string path = Write("c.fxt", std::string("no trace at all, and no summary"));
  const auto capture = Load(path);
  ASSERT_FALSE(capture);
  EXPECT_THAT(capture.error().message, HasSubstr(path));
  std::string cut = EncodeSummary(testing::RandomCapture(1));
  cut.resize(cut.size() / 2);
  EXPECT_THAT(Load(Write("d.fxs", cut)).error().message, HasSubstr("damaged"));
  EXPECT_FALSE(Load(Write("e.fxs", std::string())));
}

TEST_F(LoadTest, ACutTraceIsNoted) {
  testing::TraceScript trace;
  trace.Name(7, "app").Switch(0, 0, 0, "R", 7).Switch(100, 0, 7, "S", 0);
  const std::string path = Write("f.fxt", trace.bytes().first(trace.bytes().size() - 8));
  std::vector<std::string> notes;
  EXPECT_TRUE(Load(path, {.progress = {}, .collector = {}, .notes = &notes}));
  EXPECT_THAT(notes, SizeIs(1));
}

}  // namespace
}  // namespace measure
