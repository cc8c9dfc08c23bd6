// SPDX-License-Identifier: BSD-2-Clause
// Parses format files of tracefs with libtraceevent.
#pragma once

#include <string>
#include <string_view>

#include "schema/tracepoint_format.h"
#include "util/result.h"

namespace capture {

// `text` is the contents of events/SYSTEM/NAME/format. An error if it is malformed, or if records
// do not begin with a schema::TracepointHeader.
util::Result<schema::TracepointFormat> ParseFormat(std::string_view system, std::string_view text);

}  // namespace capture
