// SPDX-License-Identifier: BSD-2-Clause
// Format files of tracefs, read by libtraceevent.
#pragma once

#include <string>
#include <string_view>

#include "schema/tracepoint_format.h"
#include "util/result.h"

namespace capture {

// `text` is what events/SYSTEM/NAME/format holds. Error: it is not one, or its records do not begin
// with a schema::TracepointHeader.
util::Result<schema::TracepointFormat> ParseFormat(std::string_view system, std::string_view text);

}  // namespace capture
