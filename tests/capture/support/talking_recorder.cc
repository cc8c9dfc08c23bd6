// SPDX-License-Identifier: BSD-2-Clause
#include "capture/support/talking_recorder.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <utility>

#include "capture/support/environment.h"
#include "capture/support/recording.h"

namespace truth {

TalkingRecorder::TalkingRecorder(const std::string& output, const std::vector<std::string>& options,
                                 const std::vector<std::string>& command) {
  std::vector<std::string> words = {RecorderPath(), "-o", output};
  words.insert(words.end(), options.begin(), options.end());
  if (!command.empty()) {
    words.push_back("--");
    words.insert(words.end(), command.begin(), command.end());
  }
  auto started = ChildProcess::Start(WithPriority(words));
  if (!started.ok()) {
    ADD_FAILURE() << started.error().message;
    return;
  }
  child_.emplace(std::move(*started));
  EXPECT_TRUE(Says("recording into")) << child_->ErrorsSoFar();
}

bool TalkingRecorder::Says(const std::string& words, size_t times) {
  const auto said = [&] { return Count(child_->ErrorsSoFar(), words) >= times; };
  Eventually([&] { return said() || !child_->Running(); });
  return said();
}

CommandResult TalkingRecorder::End() {
  child_->Signal(SIGINT);
  return child_->Wait(kLimit);
}

size_t TalkingRecorder::Count(const std::string& text, const std::string& words) {
  size_t count = 0;
  for (size_t at = 0; (at = text.find(words, at)) != std::string::npos; ++at) ++count;
  return count;
}

void SwitchALot() {
  const CommandResult result =
      RunCommand({WorkloadPath(), "pingpong", "--cpu", "0", "--count", "60000"}, kLimit);
  EXPECT_EQ(result.exit_code, 0) << result.Describe();
}

}  // namespace truth
