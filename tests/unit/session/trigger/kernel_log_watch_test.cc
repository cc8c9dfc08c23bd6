// SPDX-License-Identifier: BSD-2-Clause
#include "session/trigger/kernel_log_watch.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>

#include "support/temp_folder.h"
#include "util/unique_fd.h"

namespace session {
namespace {

TEST(KernelLogWatchTest, ReadsMatchingLines) {
  const testing_support::TempFolder folder;
  const std::string device = folder / "kmsg";
  ASSERT_EQ(mkfifo(device.c_str(), 0600), 0);
  TriggerSpec spec;
  spec.name = "out of (memory|paper)$";
  auto watch = KernelLogWatch::Open(spec, device);
  ASSERT_TRUE(watch.ok()) << watch.error().message;
  EXPECT_FALSE(watch->Next().has_value());
  const util::UniqueFd writer(open(device.c_str(), O_WRONLY | O_CLOEXEC));
  const auto put = [&](const std::string& record) {
    ASSERT_EQ(write(writer.get(), record.c_str(), record.size()),
              static_cast<ssize_t>(record.size()));
  };
  put("6,1,100,-;all is well\n");
  EXPECT_FALSE(watch->Next().has_value());
  put("4,2,200,-;lp0 is out of paper\n DEVICE=c6:0\n");
  EXPECT_EQ(watch->Next(), "lp0 is out of paper");
  EXPECT_FALSE(watch->Next().has_value());
}

TEST(KernelLogWatchTest, AMissingLogIsAnError) {
  TriggerSpec spec;
  spec.text = "log x";
  spec.name = "x";
  const auto watch = KernelLogWatch::Open(spec, "/nonexistent/kmsg");
  ASSERT_FALSE(watch.ok());
  EXPECT_NE(watch.error().message.find("trigger 'log x'"), std::string::npos);
}

}  // namespace
}  // namespace session
