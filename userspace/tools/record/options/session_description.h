// SPDX-License-Identifier: BSD-2-Clause
// The description of a recording in its file.
#pragma once

#include <optional>

#include "capture/capture_session.h"
#include "tools/record/options/record_options.h"
#include "translate/file/session_info.h"

namespace tools {

// `command`: the recorded process, in the recorder's process namespace.
translate::SessionInfo DescribeSession(const RecordOptions& options,
                                       const capture::CaptureSession& session,
                                       std::optional<pid_t> command);

}  // namespace tools
