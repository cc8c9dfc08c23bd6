// SPDX-License-Identifier: BSD-2-Clause
// A long circular recording at full rate. Its window has the switches and names that ftrace
// recorded in the same seconds. FXT_CIRCULAR_SECONDS and FXT_CIRCULAR_SIZE set the length and the
// size (make circular-test: ten minutes and 64 MiB).
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "capture/ftrace/truth_run.h"
#include "capture/support/clock.h"
#include "capture/support/environment.h"
#include "capture/support/expect.h"
#include "capture/support/puppet.h"
#include "capture/support/talking_recorder.h"
#include "capture/support/trace_objects.h"

namespace truth {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

int Setting(const char* name, int otherwise) {
  const char* value = getenv(name);
  return value ? atoi(value) : otherwise;
}

// The length of the window in seconds, or 0 if the status has none.
seconds Covered(const std::string& socket) {
  const CommandResult status =
      RunCommand({RecorderPath(), "status", "--json", "--socket", socket}, kLimit);
  constexpr std::string_view kKey = "\"covered_seconds\":";
  const size_t at = status.out.find(kKey);
  if (at == std::string::npos) return seconds{0};
  return seconds{1 + static_cast<int>(atof(status.out.c_str() + at + kKey.size()))};
}

// Every CPU switches as fast as it can. Meanwhile tasks start, change their names and end; some
// reuse a thread id.
class FullRate {
 public:
  FullRate() {
    for (long cpu = 0; cpu < sysconf(_SC_NPROCESSORS_ONLN); ++cpu) {
      Run({WorkloadPath(), "--time-limit", "3600", "pingpong", "--cpu", std::to_string(cpu),
           "--count", "2000000000"});
    }
    Repeat(OddTasksPath() + " reuse-tid --times 20");
    Repeat(WorkloadPath() + " renames; " + WorkloadPath() + " forkstorm --count 100; " +
           WorkloadPath() + " forkstorm --count 20 --exec");
  }
  ~FullRate() {
    for (ChildProcess& each : loads_) each.Signal(SIGKILL);
    for (ChildProcess& each : loads_) each.Wait(kLimit);
  }

 private:
  void Run(const std::vector<std::string>& command) {
    auto load = ChildProcess::Start(command);
    ASSERT_TRUE(load.ok());
    loads_.push_back(std::move(*load));
  }
  void Repeat(const std::string& turn) {
    Run({"sh", "-c", "while :; do " + turn + "; sleep 0.1; done >/dev/null 2>&1"});
  }
  std::vector<ChildProcess> loads_;
};

TEST(CircularWindow, HasTheNewestEvents) {
  REQUIRE_CAPTURE();
  const seconds all{Setting("FXT_CIRCULAR_SECONDS", 4)};
  const bool is_long = all > seconds{60};
  const char* size = getenv("FXT_CIRCULAR_SIZE");
  if (!size) size = "4M";
  const TempDir dir;
  const std::string path = dir.File("window-1.fxt");
  const std::string socket = dir.File("control");
  const FtraceSession::Options buffers{.buffer_kib = size_t{is_long ? 2000u : 160u} * 1024};
  auto session = FtraceSession::Create(buffers);
  ASSERT_TRUE(session.ok()) << session.error().message;
  auto second = FtraceSession::CreateSecond(buffers);
  ASSERT_TRUE(second.ok()) << second.error().message;

  TalkingRecorder recorder(
      dir.File("window-%n.fxt"),
      {"--circular", size, "--trigger", "signal", "--trigger", "alert none", "--socket", socket});
  Puppet renamed([](char) { prctl(PR_SET_NAME, "ct-renamed"); });
  {
    Puppet dead([](char) { prctl(PR_SET_NAME, "ct-dead"); });
    dead.Command('a');
  }
  const uint64_t dead_ns = BootTimeNs();
  uint64_t request_ns = 0;
  {
    const FullRate load;
    std::this_thread::sleep_for(seconds{1});
    renamed.Command('a');
    std::this_thread::sleep_for(all / 2);
    // ftrace has to cover the whole window, and its buffers are limited. Other load lowers the rate
    // of switches, so the window covers more time.
    const seconds known = std::min<seconds>(all / 2, Covered(socket) * 3 + seconds{1});
    std::this_thread::sleep_for(all / 2 - known);
    ASSERT_TRUE(session->Start().ok());
    ASSERT_TRUE(FtraceSession::StartSecond(second->name()).ok());
    std::this_thread::sleep_for(known);
    request_ns = BootTimeNs();
    recorder.child().Signal(SIGUSR1);
    // The recording continues meanwhile.
    ASSERT_TRUE(recorder.Says("wrote ", 1)) << recorder.child().ErrorsSoFar();
    ASSERT_TRUE(session->Stop().ok());
  }
  EXPECT_TRUE(Exited(recorder.End(), 0));

  TruthRun run;
  auto reference = session->Collect();
  ASSERT_TRUE(reference.ok()) << reference.error().message;
  run.reference = std::move(*reference);
  ASSERT_EQ(run.reference.lost(), 0u) << "ftrace's buffers are too small";
  ASSERT_TRUE(FtraceSession::TakeSecond(&*second, &run.reference.log).ok());
  ASSERT_TRUE(IsWholeFile(path, &run.recorded));
  const uint64_t begin = SessionBegin(path).value();
  printf("the window has %.1f s, ftrace %.1f s\n", static_cast<double>(request_ns - begin) / 1e9,
         static_cast<double>(request_ns - run.reference.log.begin_ns) / 1e9);
  run.options.window = {std::max(begin, run.reference.log.begin_ns), request_ns};
  auto blind = ParseBlindSpots("auto", "auto", run.reference.log, run.recorded.log);
  ASSERT_TRUE(blind.ok());
  run.options.blind = std::move(*blind);
  run.comparison = Compare(run.reference.log, run.recorded, run.options);
  const std::string description = run.Describe();
  printf("%s", description.c_str());
  EXPECT_TRUE(run.comparison.exact()) << description;
  EXPECT_EQ(run.recorded.lost(), 0u);
  EXPECT_EQ(run.recorded.problem_count, 0u);
  EXPECT_GT(run.comparison.total.matched, 10'000u);
  EXPECT_TRUE(!is_long || run.comparison.reused_tids > 0) << "no reused thread ids";
  // The whole window is newer than the start. A busy machine may fill a small buffer too slowly.
  EXPECT_TRUE(!is_long || begin > run.reference.log.begin_ns)
      << "ftrace does not cover the first seconds";

  const TraceObjects objects = TraceObjects::Read(path);
  // Ended tasks are kept for a second, and a busy machine may fill a small buffer too slowly.
  if (begin > dead_ns + 1'000'000'000) {
    EXPECT_EQ(objects.ThreadNamed("ct-dead"), 0u);
  }
  const auto pid = static_cast<fxt::Koid>(renamed.pid());
  ASSERT_TRUE(objects.threads.contains(pid));
  EXPECT_EQ(objects.threads.at(pid).name, "ct-renamed");
}

}  // namespace
}  // namespace truth
