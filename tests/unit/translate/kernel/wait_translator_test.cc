// SPDX-License-Identifier: BSD-2-Clause
#include "translate/kernel/wait_translator.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "fxt_record/long_event.h"
#include "unit/translate/capture_script.h"

namespace translate {
namespace {

using namespace std::string_literals;  // NOLINT: texts with NULs
using testing::CaptureScript;

// Sends waits in the form of the BPF program to a translator.
class WaitScript {
 public:
  WaitScript() : script_(TranslatorOptions{}) {
    script_.Task(100, 100, "app").Task(101, 100, "worker").Task(200, 200, "server");
  }
  WaitScript& Wait(uint64_t time, const fxr_wait_long& wait, const std::string& bytes) {
    script_.Lines();  // the recording has begun by then
    std::vector<uint64_t> words((FXR_LONG_SIZE(wait, bytes.size()) + 7) / 8);
    auto* event = reinterpret_cast<fxr_long*>(words.data());
    event->header.time = time;
    event->header.type = FXR_SIDE_LONG;
    event->header.size = static_cast<fxr_u32>(words.size() * 8);
    event->category = FXR_CATEGORY_WAIT;
    fxr_pack_wait(event, wait, static_cast<fxr_u32>(bytes.size()));
    std::memcpy(fxr_wait_bytes(event), bytes.data(), bytes.size());
    script_.translator().OnSideEvent(event->header);
    return *this;
  }
  std::vector<std::string> Lines() { return script_.Lines(" wait:waited"); }
  TranslationStats stats() { return script_.translator().stats(); }

 private:
  CaptureScript script_;
};

fxr_wait_long Blank(uint32_t tid) {
  fxr_wait_long wait{};
  wait.tid = tid;
  wait.call = -1;
  wait.asked = ~uint64_t{0};
  wait.offset = ~uint64_t{0};
  return wait;
}

TEST(WaitTranslatorTest, AnInstantHasTheKnownProperties) {
  WaitScript script;
  fxr_wait_long wait = Blank(101);
  wait.call = 0;
  wait.kind = FXR_WAIT_FILE;
  wait.flags = FXR_WAIT_PATH_ROOTED;
  wait.device = 8u << 20 | 1;
  wait.offset = 4096;
  wait.peer = 200;
  wait.asked = 77;
  script.Wait(10, wait, "x\0tmp\0"s);
  const auto lines = script.Lines();
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_TRUE(lines[0].starts_with("10 instant worker/101 wait:waited")) << lines[0];
  for (const char* part : {"file", "/tmp/x", "8:1", "4096", "77"}) {
    EXPECT_NE(lines[0].find(part), std::string::npos) << part << " in " << lines[0];
  }
  EXPECT_EQ(script.stats().recorded[FXR_CATEGORY_WAIT], 1u);
}

TEST(WaitTranslatorTest, ThePeerIsTheThreadThatWaitedAtTheOtherEnd) {
  WaitScript script;
  fxr_wait_long here = Blank(101);
  here.kind = FXR_WAIT_SOCKET;
  here.device = 2u | 1u << 8 | 6u << 16;
  here.ports = 1000u << 16 | 80;
  here.offset = 1;  // the network namespace
  fxr_wait_long there = here;
  there.tid = 200;
  there.ports = 80u << 16 | 1000;
  fxr_wait_long elsewhere = there;
  elsewhere.offset = 2;
  const std::string addresses = "\x7f\0\0\x01\x7f\0\0\x02"s;
  const std::string back = "\x7f\0\0\x02\x7f\0\0\x01"s;
  script.Wait(10, here, addresses).Wait(20, there, back).Wait(30, elsewhere, back);
  const auto lines = script.Lines();
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0].find("peer"), std::string::npos) << lines[0];
  EXPECT_NE(lines[1].find("peer"), std::string::npos) << lines[1];
  EXPECT_EQ(lines[2].find("peer"), std::string::npos) << lines[2];
}

TEST(WaitTranslatorTest, AThrottledRequestHasItsKindAndFile) {
  WaitScript script;
  fxr_wait_long wait = Blank(101);
  wait.call = 17;
  wait.kind = FXR_WAIT_FILE;
  wait.flags = FXR_WAIT_PATH_ROOTED | FXR_WAIT_THROTTLED;
  wait.device = 8u << 20;
  wait.offset = 8192;
  script.Wait(10, wait, "x\0tmp\0"s);
  const auto lines = script.Lines();
  ASSERT_EQ(lines.size(), 1u);
  for (const char* part : {"blk-throttle", "/tmp/x", "8:0", "8192"}) {
    EXPECT_NE(lines[0].find(part), std::string::npos) << part << " in " << lines[0];
  }
}

TEST(WaitTranslatorTest, HostileBytesAreCleanedOrRefused) {
  WaitScript script;
  fxr_wait_long wait = Blank(101);
  wait.kind = FXR_WAIT_FILE;
  wait.flags = FXR_WAIT_PATH_ROOTED;
  script.Wait(10, wait, "\xff\xfe\0"s);
  wait.frames = 200;
  script.Wait(20, wait, std::string(FXR_WAIT_FRAMES * 8, 'x'));
  wait.frames = 2;
  script.Wait(30, wait, "short");
  EXPECT_EQ(script.Lines().size(), 1u);
  EXPECT_EQ(script.stats().unreadable, 2u);
}

}  // namespace
}  // namespace translate
