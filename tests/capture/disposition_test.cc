// SPDX-License-Identifier: BSD-2-Clause
// A buffer across stop and start, through the interface of controllers.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "capture/bpf/kernel_features.h"
#include "capture/ftrace/truth_run.h"
#include "capture/support/clock.h"
#include "capture/support/environment.h"
#include "capture/support/expect.h"
#include "capture/support/instants.h"
#include "capture/support/talking_recorder.h"
#include "session/recording.h"

namespace truth {
namespace {

using request::BufferDisposition;
using request::BufferingMode;

class Disposition : public testing::Test {
 protected:
  void Make(request::BufferingMode mode, const std::string& output = "") {
    auto features = capture::ProbeKernel();
    ASSERT_TRUE(features.ok()) << features.error().message;
    session::RecordingConfig config;
    config.mode = mode;
    config.buffer_bytes = uint64_t{64} << 20;
    config.programs.categories.set(FXR_CATEGORY_SCHED).set(FXR_CATEGORY_TASK);
    if (!output.empty()) config.output = Open(output, true);
    auto recording = session::MakeRecording(std::move(config), *features);
    ASSERT_TRUE(recording.ok()) << recording.error().message;
    recording_ = std::move(*recording);
  }
  static session::Destination Open(const std::string& path, bool grows = false) {
    output::FileOptions options;
    options.recording = grows;
    auto output = sink::Output::OpenFile(path, options);
    EXPECT_TRUE(output.ok()) << output.error().message;
    return {std::move(*output), false};
  }
  void Start(request::BufferDisposition disposition) {
    const auto started = recording_->Start(disposition);
    ASSERT_TRUE(started.ok()) << started.error().message;
  }
  session::SnapshotResult Snapshot(const std::string& path, uint64_t last = 0) {
    const auto begun = recording_->Snapshot({.destination = Open(path), .last = last});
    EXPECT_TRUE(begun.ok()) << (begun.ok() ? "" : begun.error().message);
    std::vector<session::SnapshotResult> written;
    EXPECT_TRUE(Eventually([&] {
      Turn();
      written = recording_->TakeWritten();
      return !written.empty();
    })) << "no file was written";
    return written.empty() ? session::SnapshotResult{} : std::move(written.front());
  }
  void Turn() {
    std::vector<pollfd> fds;
    recording_->AddPollFds(fds);
    poll(fds.data(), fds.size(), 20);
    EXPECT_TRUE(recording_->Turn().ok());
  }
  // Counts the switches on CPU 0 in the file at `path`, of the whole file or of this time.
  size_t SwitchesOf(const std::string& path, const Window& window = {0, ~uint64_t{0}}) {
    FxtLog log;
    EXPECT_TRUE(IsWholeFile(path, &log));
    if (log.log.cpus.empty()) return 0;
    return static_cast<size_t>(
        std::count_if(log.log.cpus[0].begin(), log.log.cpus[0].end(),
                      [&](const Switch& each) { return window.Contains(each.time_ns); }));
  }
  // The time between stop and start that the file at `path` names.
  Window StoppedIn(const std::string& path) {
    Window window{0, 0};
    for (const Instant& each : ReadInstants(path).value()) {
      if (each.name == "stopped" && window.begin_ns == 0) window.begin_ns = each.time_ns;
      if (each.name == "started") window.end_ns = each.time_ns;
    }
    EXPECT_LT(window.begin_ns, window.end_ns);
    return window;
  }
  size_t InstantsOf(const std::string& path, const std::string& name) {
    const auto instants = ReadInstants(path);
    EXPECT_TRUE(instants.ok());
    size_t count = 0;
    for (const Instant& each : *instants) count += each.name == name;
    return count;
  }

  const TempDir dir_;
  std::unique_ptr<session::Recording> recording_;
};

TEST_F(Disposition, ClearsOrRetainsEvents) {
  REQUIRE_CAPTURE();
  ASSERT_NO_FATAL_FAILURE(Make(BufferingMode::kCircular));
  EXPECT_FALSE(recording_->Snapshot({.destination = Open(dir_.File("none"))}).ok());
  ASSERT_NO_FATAL_FAILURE(Start(request::BufferDisposition::kClearAll));
  EXPECT_FALSE(recording_->Start(request::BufferDisposition::kRetain).ok())
      << "it is already started";
  SwitchALot();
  ASSERT_TRUE(recording_->Stop().ok());
  EXPECT_TRUE(recording_->Stop().ok()) << "a second stop does nothing";
  EXPECT_FALSE(recording_->status().started);
  const uint64_t covered = recording_->status().covered;
  EXPECT_GT(covered, 0u);
  SwitchALot();  // the session is stopped
  EXPECT_EQ(recording_->status().covered, covered);
  const std::string stopped = dir_.File("stopped.fxt");
  EXPECT_TRUE(Snapshot(stopped).status.ok());
  const size_t first = SwitchesOf(stopped);
  EXPECT_GT(first, 100'000u);

  ASSERT_NO_FATAL_FAILURE(Start(request::BufferDisposition::kRetain));
  SwitchALot();
  const std::string retained = dir_.File("retained.fxt");
  EXPECT_TRUE(Snapshot(retained).status.ok());
  EXPECT_GT(SwitchesOf(retained), first + 100'000);
  EXPECT_EQ(SwitchesOf(retained, StoppedIn(retained)), 0u);
  EXPECT_EQ(InstantsOf(retained, "stopped"), 1u);
  EXPECT_EQ(InstantsOf(retained, "started"), 1u);

  for (const auto disposition :
       {request::BufferDisposition::kClearNondurable, request::BufferDisposition::kClearAll}) {
    ASSERT_TRUE(recording_->Stop().ok());
    const uint64_t stopped_ns = BootTimeNs();
    ASSERT_NO_FATAL_FAILURE(Start(disposition));
    const std::string cleared = dir_.File("cleared.fxt");
    EXPECT_TRUE(Snapshot(cleared).status.ok());
    EXPECT_EQ(SwitchesOf(cleared, {0, stopped_ns}), 0u);
    EXPECT_EQ(InstantsOf(cleared, "stopped"), 0u);
  }
}

TEST_F(Disposition, LimitsPendingSnapshots) {
  REQUIRE_CAPTURE();
  ASSERT_NO_FATAL_FAILURE(Make(BufferingMode::kCircular));
  ASSERT_NO_FATAL_FAILURE(Start(request::BufferDisposition::kClearAll));
  SwitchALot();
  size_t taken = 0;
  for (int i = 0; i < 40; ++i) {
    const std::string path = dir_.File("many-" + std::to_string(i));
    taken += recording_->Snapshot({.destination = Open(path), .last = 10'000'000}).ok();
  }
  EXPECT_GE(taken, 10u);
  EXPECT_LT(taken, 40u);
  size_t written = 0;
  EXPECT_TRUE(Eventually([&] {
    Turn();
    for (const session::SnapshotResult& each : recording_->TakeWritten()) {
      EXPECT_TRUE(each.status.ok());
      EXPECT_LE(each.trace.covered, 10'000'000u);
      ++written;
    }
    return !recording_->status().writing;
  }));
  EXPECT_EQ(written, taken);
}

TEST_F(Disposition, AStreamContinuesInItsFile) {
  REQUIRE_CAPTURE();
  const std::string path = dir_.File("stream.fxt");
  ASSERT_NO_FATAL_FAILURE(Make(BufferingMode::kStreaming, path));
  ASSERT_NO_FATAL_FAILURE(Start(request::BufferDisposition::kClearAll));
  EXPECT_FALSE(recording_->Snapshot({.destination = Open(dir_.File("none"))}).ok());
  const auto run = [&] {
    SwitchALot();
    EXPECT_TRUE(recording_->Turn().ok());
  };
  run();
  recording_->Mark({recording_->Now(), "alert here", "", 0});
  ASSERT_TRUE(recording_->Stop().ok());
  run();
  ASSERT_NO_FATAL_FAILURE(Start(request::BufferDisposition::kRetain));
  run();
  const auto written = recording_->Close();
  ASSERT_TRUE(written.ok()) << written.error().message;
  EXPECT_TRUE(written->status.ok());
  EXPECT_FALSE(recording_->Close().ok()) << "a second close fails";
  const size_t switches = SwitchesOf(path);
  EXPECT_GT(switches, 200'000u);
  EXPECT_EQ(SwitchesOf(path, StoppedIn(path)), 0u);
  EXPECT_EQ(InstantsOf(path, "stopped"), 1u);
  EXPECT_EQ(InstantsOf(path, "started"), 1u);
  EXPECT_EQ(InstantsOf(path, "trigger"), 1u);
}

}  // namespace
}  // namespace truth
