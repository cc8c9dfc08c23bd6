// SPDX-License-Identifier: BSD-2-Clause
// What a file says of how it was recorded.
#pragma once

#include <optional>

#include "capture/capture_session.h"
#include "tools/record/options/record_options.h"
#include "translate/file/session_info.h"

namespace tools {

// `command`: the process that is recorded, as the recorder knows it.
translate::SessionInfo DescribeSession(const RecordOptions& options,
                                       const capture::CaptureSession& session,
                                       std::optional<pid_t> command);

}  // namespace tools
