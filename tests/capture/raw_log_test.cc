// SPDX-License-Identifier: BSD-2-Clause
// One capture with two outputs: a file as it is written while recording, and the raw events, of
// which the same file comes later.
#include <gtest/gtest.h>
#include <poll.h>

#include <chrono>
#include <cstddef>
#include <thread>
#include <vector>

#include "capture/bpf/kernel_features.h"
#include "capture/capture_session.h"
#include "capture/event_handler.h"
#include "capture/proc_identity.h"
#include "capture/support/child_process.h"
#include "capture/support/environment.h"
#include "fxt/archive_writer.h"
#include "fxt/byte_source.h"
#include "fxt/provider_writer.h"
#include "model/task_tracker.h"
#include "raw_log/raw_log_reader.h"
#include "raw_log/raw_log_writer.h"
#include "raw_log/replayed_identities.h"
#include "sink/memory_sink.h"
#include "translate/translator.h"

namespace truth {
namespace {

class Output {
 public:
  explicit Output(model::IdentitySource& identities)
      : archive_(sink_),
        writer_(archive_, "fxt-record"),
        tasks_(identities, true),
        translator_(writer_, tasks_, {}) {}
  translate::Translator& translator() { return translator_; }
  std::vector<std::byte> Finish() {
    EXPECT_TRUE(archive_.Flush());
    return {sink_.bytes().begin(), sink_.bytes().end()};
  }

 private:
  sink::MemorySink sink_;
  fxt::ArchiveWriter archive_;
  fxt::ProviderWriter writer_;
  model::TaskTracker tasks_;
  translate::Translator translator_;
};

TEST(RawLogCaptureTest, TheFileThatWasWrittenLiveComesOfTheRawEvents) {
  REQUIRE_CAPTURE();
  auto features = capture::ProbeKernel();
  ASSERT_TRUE(features.ok()) << features.error().message;
  capture::ProgramOptions options;
  for (const fxr_category category :
       {FXR_CATEGORY_SCHED, FXR_CATEGORY_TASK, FXR_CATEGORY_LOG, FXR_CATEGORY_SOFTIRQ,
        FXR_CATEGORY_IRQ, FXR_CATEGORY_SYSCALL}) {
    options.categories.set(category);
  }
  capture::ProcIdentity proc;
  auto session = capture::CaptureSession::Initialize(options, *features, proc);
  ASSERT_TRUE(session.ok()) << session.error().message;

  sink::MemorySink log;
  raw_log::RawLogWriter raw(log);
  raw_log::LoggedIdentities identities((*session)->identities(), raw);
  Output live(identities);
  capture::HandlerOf handler(live.translator(), raw);
  const util::Status started = (*session)->Start(handler);
  ASSERT_TRUE(started.ok()) << started.error().message;
  // Tasks that come and go, and take names.
  std::thread busy([] {
    for (int i = 0; i < 30; ++i) {
      EXPECT_EQ(system("for i in 1 2 3; do /bin/true; done; sleep 0.01"), 0);
    }
  });
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  while (std::chrono::steady_clock::now() < end) {
    pollfd ready{.fd = (*session)->wakeup_fd(), .events = POLLIN, .revents = 0};
    poll(&ready, 1, 50);
    (*session)->Drain();
  }
  (*session)->Stop();
  busy.join();
  ASSERT_TRUE(raw.Flush());
  const std::vector<std::byte> file = live.Finish();
  const translate::TranslationStats stats = live.translator().stats();
  EXPECT_GT(stats.switches, 100u);
  EXPECT_GT(stats.recorded[FXR_CATEGORY_TASK], 50u);
  EXPECT_GT(stats.recorded[FXR_CATEGORY_SYSCALL], 1000u);

  fxt::MemorySource source(log.bytes());
  raw_log::RawLogReader reader(source);
  raw_log::ReplayedIdentities remembered;
  Output later(remembered);
  const util::Status replayed = reader.Replay(later.translator(), remembered);
  ASSERT_TRUE(replayed.ok()) << replayed.error().message;
  EXPECT_TRUE(file == later.Finish()) << file.size() << " bytes live";
  RecordProperty("file_bytes", static_cast<int>(file.size()));
  RecordProperty("log_bytes", static_cast<int>(log.bytes().size()));
}

}  // namespace
}  // namespace truth
