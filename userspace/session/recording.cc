// SPDX-License-Identifier: BSD-2-Clause
#include "session/recording.h"

#include <utility>

#include "session/buffered_recording.h"
#include "session/streaming_recording.h"

namespace session {

util::Result<std::unique_ptr<Recording>> MakeRecording(RecordingConfig config,
                                                       const capture::KernelFeatures& features) {
  if (config.mode == request::BufferingMode::kStreaming) {
    return StreamingRecording::Make(std::move(config), features);
  }
  return BufferedRecording::Make(std::move(config), features);
}

}  // namespace session
