// SPDX-License-Identifier: BSD-2-Clause
// Names the objects that threads sleep for.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "fxt_record/long_event.h"

namespace translate {

struct WaitName {
  std::string_view kind;  // static, or a view of the event's text; empty: not known
  std::string object;     // not cleaned; empty: not known
};

// `text` is the event's text or addresses.
WaitName NameOfWait(const fxr_wait_long& wait, std::string_view text);

// The file whose page a thread's own page fault is for, or "anonymous"; empty: not known.
std::string FileOfFault(const fxr_wait_long& wait, std::string_view text);

// "254:1"; empty without a device.
std::string DeviceNumber(const fxr_wait_long& wait);

// The kind of a sleep in D by its kernel functions, innermost first: the reason inside the system
// call, such as reclaim. Empty: none is known, and the call's object is the reason.
std::string_view KindOfFunctions(std::span<const std::string> functions);

}  // namespace translate
