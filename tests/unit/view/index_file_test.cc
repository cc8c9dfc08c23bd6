// SPDX-License-Identifier: BSD-2-Clause
#include "view/index_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <string>

#include "facts/read_loop.h"
#include "support/temp_folder.h"
#include "unit/view/index_trace.h"
#include "view/answers.h"
#include "view/indexed_trace.h"

namespace view {
namespace {

std::string TraceOf(uint64_t length) { return view::testing::IndexTrace(length, 2000); }

void Write(const std::string& path, const std::string& content) {
  std::ofstream(path, std::ios::binary) << content;
}

std::string Read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class IndexFileTest : public ::testing::Test {
 protected:
  IndexFileTest() { Write(trace_, TraceOf(200)); }

  // Opens the trace with its index and returns everything that is shown.
  std::string Shown(bool keeps_index = true) const {
    auto opened = IndexedTrace::Open(trace_, {}, keeps_index);
    EXPECT_TRUE(opened.ok());
    IndexedTrace& trace = **opened;
    trace.Wait();
    const Answers answers(trace);
    std::string all = answers.Status() + answers.Lanes();
    for (const char* lane : {"c0", "s0", "s1", "d0", "d1", "g0", "l0", "i0"}) {
      all += answers.Tile(QueryString(std::string("from=0&to=3000000&pixel=1&lanes=") + lane));
      for (int time = 0; time < 3'000'000; time += 99'950) {
        all += answers.At(QueryString(fmt::format("lane={}&time={}", lane, time)));
      }
    }
    return all + answers.Find(QueryString("text=odd"));
  }
  // True if the existing index is loaded.
  bool IsTaken() const {
    auto file = IndexFile::Open(trace_, {});
    EXPECT_TRUE(file.ok());
    const auto loaded = (*file)->Load();
    if (!loaded) return false;
    const auto key = (*file)->KeyOf(nullptr);
    return key && *key == loaded->key;
  }

  testing_support::TempFolder folder_;
  std::string trace_ = folder_ / "trace.fxt";
  std::string index_ = IndexFile::PathOf(trace_);
};

TEST_F(IndexFileTest, ShowsTheSameAsTheTrace) {
  const std::string without = Shown(false);
  EXPECT_FALSE(std::filesystem::exists(index_));
  EXPECT_EQ(Shown(), without);
  ASSERT_TRUE(IsTaken());
  struct stat status = {};
  ASSERT_EQ(stat(index_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600U);
  const auto inode = status.st_ino;
  EXPECT_EQ(Shown(), without);
  ASSERT_EQ(stat(index_.c_str(), &status), 0);
  EXPECT_EQ(status.st_ino, inode) << "it is not written again";
}

TEST_F(IndexFileTest, IgnoresDamagedIndexes) {
  const std::string without = Shown();
  const std::string good = Read(index_);
  std::mt19937_64 random(33);
  for (int i = 0; i < 20; ++i) {
    std::string damaged = good;
    if (i % 4 == 0) {
      damaged.resize(random() % good.size());
    } else if (i % 4 == 1) {
      damaged += "more";
    } else {
      damaged[i < 8 ? random() % 88 : random() % good.size()] ^=
          static_cast<char>(1 + random() % 255);
    }
    Write(index_, damaged);
    EXPECT_FALSE(IsTaken()) << i;
    EXPECT_EQ(Shown(), without) << i;
    EXPECT_TRUE(IsTaken()) << "it is made again";
  }
}

TEST_F(IndexFileTest, SurvivesInvalidContentWithAValidHash) {
  Shown();
  // Content with valid hashes is not trusted either. Reading it must end.
  const std::string good = Read(index_);
  std::mt19937_64 random(34);
  for (int i = 0; i < 300; ++i) {
    std::string body = good.substr(88);
    for (int k = 0; k < 3; ++k) body[random() % body.size()] = static_cast<char>(random());
    const std::string path = folder_ / "body";
    Write(path, body);
    const util::UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
    IndexReader in(fd.get(), 0, body.size());
    std::string damage;
    TraceIndex index;
    if (!in.GetText(damage) || !index.Load(in)) continue;
    for (size_t lane = 0; lane < index.intervals().lanes(); ++lane) {
      uint64_t count = 0;
      index.intervals().Visit(
          static_cast<uint32_t>(lane), 0, UINT64_MAX, 0, [&](const Interval&) { ++count; },
          [](const ChunkSummary&) {});
      EXPECT_LT(count, 1'000'000U);
    }
  }
}

TEST_F(IndexFileTest, IgnoresAnIndexOfOtherContent) {
  Shown();
  struct stat before = {};
  ASSERT_EQ(stat(trace_.c_str(), &before), 0);
  Write(trace_, TraceOf(201));
  struct stat status = {};
  ASSERT_EQ(stat(trace_.c_str(), &status), 0);
  ASSERT_EQ(status.st_size, before.st_size);
  // Other content with the same size and time.
  const timespec times[2] = {before.st_mtim, before.st_mtim};
  ASSERT_EQ(utimensat(AT_FDCWD, trace_.c_str(), times, 0), 0);
  EXPECT_FALSE(IsTaken());
  EXPECT_EQ(Shown(), Shown(false));
  EXPECT_TRUE(IsTaken());
  // Only the time differs, so the index is valid.
  const timespec later[2] = {{1, 0}, {1, 0}};
  ASSERT_EQ(utimensat(AT_FDCWD, trace_.c_str(), later, 0), 0);
  EXPECT_TRUE(IsTaken());
}

TEST_F(IndexFileTest, IgnoresFilesOfOtherUsersAndLinks) {
  Shown();
  ASSERT_TRUE(IsTaken());
  ASSERT_EQ(chmod(index_.c_str(), 0666), 0);
  EXPECT_FALSE(IsTaken()) << "others may write to it";
  ASSERT_EQ(chmod(index_.c_str(), 0600), 0);
  const std::string other = folder_ / "other";
  ASSERT_EQ(link(index_.c_str(), other.c_str()), 0);
  EXPECT_FALSE(IsTaken()) << "it has two names";
  ASSERT_EQ(unlink(index_.c_str()), 0);
  ASSERT_EQ(symlink(other.c_str(), index_.c_str()), 0);
  EXPECT_FALSE(IsTaken()) << "a link";
  const std::string content = Read(other);
  auto opened = IndexedTrace::Open(trace_, {}, true);
  (*opened)->Wait();
  EXPECT_NE((*opened)->index_note(), "");
  EXPECT_EQ(Read(other), content);
  if (geteuid() != 0) return;
  ASSERT_EQ(unlink(index_.c_str()), 0);
  ASSERT_EQ(rename(other.c_str(), index_.c_str()), 0);
  EXPECT_TRUE(IsTaken());
  ASSERT_EQ(chown(index_.c_str(), 65532, 65532), 0);
  EXPECT_FALSE(IsTaken()) << "another user's";
}

}  // namespace
}  // namespace view
