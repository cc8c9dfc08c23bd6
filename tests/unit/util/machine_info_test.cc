// SPDX-License-Identifier: BSD-2-Clause
#include "util/machine_info.h"

#include <gmock/gmock-matchers.h>
#include <gtest/gtest.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>

namespace util {
namespace {

class MachineInfoTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(root_ + "/proc");
    std::filesystem::create_directories(root_ + "/sys/devices/system/cpu");
  }
  void TearDown() override { std::filesystem::remove_all(root_); }

  std::string ModelFrom(const std::string& cpuinfo) {
    std::ofstream(root_ + "/proc/cpuinfo") << cpuinfo;
    return ReadMachineInfo(root_ + "/proc", root_ + "/sys").cpu_model;
  }

  std::string root_ = ::testing::TempDir() + "machine_info." + std::to_string(getpid());
};

TEST_F(MachineInfoTest, TakesTheNameFromTheKernel) {
  utsname name{};
  ASSERT_EQ(uname(&name), 0);
  MachineInfo info = ReadMachineInfo();
  EXPECT_EQ(info.kernel, name.release);
  EXPECT_EQ(info.machine, name.machine);
  EXPECT_EQ(info.host, name.nodename);
  EXPECT_EQ(info.cpus, static_cast<uint32_t>(sysconf(_SC_NPROCESSORS_ONLN)));
}

TEST_F(MachineInfoTest, CountsCpusOnline) {
  std::ofstream(root_ + "/sys/devices/system/cpu/online") << "0-2,7\n";
  EXPECT_EQ(ReadMachineInfo(root_ + "/proc", root_ + "/sys").cpus, 4u);
}

TEST_F(MachineInfoTest, ReadsTheModelOfAnX86Machine) {
  EXPECT_EQ(ModelFrom("processor\t: 0\n"
                      "vendor_id\t: GenuineIntel\n"
                      "model\t\t: 85\n"
                      "model name\t: Intel(R) Xeon(R) Platinum 8259CL CPU @ 2.50GHz\n"
                      "processor\t: 1\n"
                      "model name\t: another\n"),
            "Intel(R) Xeon(R) Platinum 8259CL CPU @ 2.50GHz");
}

TEST_F(MachineInfoTest, ReadsTheModelOfAnArmBoard) {
  EXPECT_EQ(ModelFrom("processor\t: 0\nBogoMIPS\t: 108.00\n\nModel\t\t: Raspberry Pi 4 Model B\n"),
            "Raspberry Pi 4 Model B");
}

TEST_F(MachineInfoTest, HasNoModelWithoutOne) {
  EXPECT_EQ(ReadMachineInfo(root_ + "/proc", root_ + "/sys").cpu_model, "");
  EXPECT_EQ(ModelFrom(""), "");
  EXPECT_EQ(ModelFrom("processor\t: 0\nBogoMIPS\t: 108.00\n"), "");
  EXPECT_EQ(ModelFrom("model name\n"), "");
}

class WallClockTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* zone = getenv("TZ");
    had_zone_ = zone != nullptr;
    if (had_zone_) zone_ = zone;
  }
  void TearDown() override {
    if (had_zone_) {
      setenv("TZ", zone_.c_str(), 1);
    } else {
      unsetenv("TZ");
    }
    tzset();
  }
  static void SetZone(const char* zone) {
    setenv("TZ", zone, 1);
    tzset();
  }

  bool had_zone_ = false;
  std::string zone_;
};

TEST_F(WallClockTest, FollowsRfc3339) {
  // "full-date T full-time", section 5.6; milliseconds, an offset in hours and minutes.
  constexpr char kForm[] =
      R"([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}[+-][0-9]{2}:[0-9]{2})";
  for (const char* zone : {"UTC0", "XYZ-5:45", "XYZ3:30", "XYZ-14", "XYZ12"}) {
    SetZone(zone);
    EXPECT_THAT(WallClockNow(), ::testing::MatchesRegex(kForm));
  }
}

TEST_F(WallClockTest, OffsetIsEastOfGreenwich) {
  SetZone("UTC0");
  EXPECT_TRUE(WallClockNow().ends_with("+00:00")) << WallClockNow();
  SetZone("XYZ-5:45");  // POSIX counts westward
  EXPECT_TRUE(WallClockNow().ends_with("+05:45")) << WallClockNow();
  SetZone("XYZ3:30");
  EXPECT_TRUE(WallClockNow().ends_with("-03:30")) << WallClockNow();
}

TEST_F(WallClockTest, IsNow) {
  SetZone("XYZ3:30");
  tm broken_down{};
  const std::string text = WallClockNow();
  ASSERT_NE(strptime(text.c_str(), "%Y-%m-%dT%H:%M:%S", &broken_down), nullptr);
  const time_t then = timegm(&broken_down) + 3 * 3600 + 30 * 60;
  EXPECT_LE(std::abs(time(nullptr) - then), 2);
}

}  // namespace
}  // namespace util
