// SPDX-License-Identifier: BSD-2-Clause
#include "session/recording.h"

#include <utility>

#include "session/buffered_recording.h"

namespace session {

util::Result<std::unique_ptr<Recording>> MakeRecording(RecordingConfig config,
                                                       const capture::KernelFeatures& features) {
  if (config.mode == BufferingMode::kStreaming) return util::Error{"not yet", ""};
  return BufferedRecording::Make(std::move(config), features);
}

}  // namespace session
