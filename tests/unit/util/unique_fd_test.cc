// SPDX-License-Identifier: BSD-2-Clause
#include "util/unique_fd.h"

#include <fcntl.h>
#include <gtest/gtest.h>

namespace util {
namespace {

bool IsOpen(int fd) { return fcntl(fd, F_GETFD) >= 0; }
int OpenOne() { return open("/dev/null", O_RDONLY | O_CLOEXEC); }

TEST(UniqueFdTest, ClosesInTheDestructor) {
  int fd = -1;
  {
    UniqueFd owner(OpenOne());
    fd = owner.get();
    ASSERT_TRUE(owner.valid());
    EXPECT_TRUE(IsOpen(fd));
  }
  EXPECT_FALSE(IsOpen(fd));
}

TEST(UniqueFdTest, IsEmptyByDefault) {
  UniqueFd owner;
  EXPECT_FALSE(owner.valid());
  EXPECT_FALSE(static_cast<bool>(owner));
}

TEST(UniqueFdTest, MovesItsDescriptor) {
  UniqueFd first(OpenOne());
  const int fd = first.get();
  UniqueFd second(std::move(first));
  EXPECT_EQ(second.get(), fd);
  EXPECT_FALSE(first.valid());  // NOLINT(bugprone-use-after-move): that is the point

  UniqueFd third(OpenOne());
  const int closed = third.get();
  third = std::move(second);
  EXPECT_EQ(third.get(), fd);
  EXPECT_TRUE(IsOpen(fd));
  EXPECT_FALSE(IsOpen(closed));
}

TEST(UniqueFdTest, SurvivesASelfMove) {
  UniqueFd owner(OpenOne());
  UniqueFd& same = owner;
  owner = std::move(same);
  EXPECT_TRUE(owner.valid());
  EXPECT_TRUE(IsOpen(owner.get()));
}

TEST(UniqueFdTest, ReleasesItsDescriptor) {
  UniqueFd owner(OpenOne());
  const int fd = owner.release();
  EXPECT_FALSE(owner.valid());
  EXPECT_TRUE(IsOpen(fd));
  owner.reset(fd);
  owner.reset();
  EXPECT_FALSE(IsOpen(fd));
}

}  // namespace
}  // namespace util
