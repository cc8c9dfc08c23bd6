// SPDX-License-Identifier: BSD-2-Clause
// Names the things that threads sleep for.
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

// The kind of a sleep in D by the kernel's functions that it is in, innermost first: for what the
// thread waits inside of its call, whatever that is about. Empty: the call says it.
std::string_view KindOfFunctions(std::span<const std::string> functions);

}  // namespace translate
