// SPDX-License-Identifier: BSD-2-Clause
#include "capture/bpf/net_rx_senders.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "support/temp_folder.h"

namespace capture {
namespace {

class NetRxSendersTest : public ::testing::Test {
 protected:
  bool Known(const std::string& statistics) {
    std::filesystem::create_directories(folder_.path().string() + "/net");
    std::ofstream(folder_.path().string() + "/net/softnet_stat") << statistics;
    return AreNetRxSendersKnown(folder_.path().string(), folder_.path().string());
  }
  testing_support::TempFolder folder_;
};

TEST_F(NetRxSendersTest, NoPacketWasSteered) {
  EXPECT_TRUE(Known(
      "0000012a 00000000 00000001 00000000 00000000 00000000 00000000 00000000 00000000 00000000 "
      "00000000 00000000 00000000 00000000 00000000\n"
      "00000abc 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 "
      "00000000\n"));
}

TEST_F(NetRxSendersTest, OneCpuReceivedSteeredPackets) {
  EXPECT_FALSE(Known("1 0 0 0 0 0 0 0 0 0 0\n1 0 0 0 0 0 0 0 0 0000000f 0\n"));
}

TEST_F(NetRxSendersTest, UnreadableFilesAreUnknown) {
  EXPECT_FALSE(AreNetRxSendersKnown(folder_.path().string() + "/absent", folder_.path().string()));
  EXPECT_FALSE(Known("1 0 0\n"));
  EXPECT_FALSE(Known("1 0 0 0 0 0 0 0 0 words\n"));
}

TEST_F(NetRxSendersTest, DevicesOfHyperVInterruptUnseen) {
  const std::string line = "1 0 0 0 0 0 0 0 0 0\n";
  std::filesystem::create_directories(folder_.path().string() + "/bus/vmbus/devices");
  EXPECT_TRUE(Known(line));
  std::filesystem::create_directories(folder_.path().string() + "/bus/vmbus/devices/one");
  EXPECT_FALSE(Known(line));
}

}  // namespace
}  // namespace capture
