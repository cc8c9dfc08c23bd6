// SPDX-License-Identifier: BSD-2-Clause
// What sleeps were for, where single sleeps do not show it.
#pragma once

#include <cstddef>
#include <span>

#include "measure/capture.h"

namespace comparison {

// Decides what sleeps were for by what the groups do in all captures together; the first `bases`
// captures are the base.
// - A request does not wake a server that is busy all the time. What the server then does for its
//   client looks like work that it gives the client. Of a group that mostly asks another one,
//   sleeps for work are sleeps for answers where that one ended half of them; and of a group that
//   another one mostly asks, sleeps for answers are sleeps for work.
// - A group that only ever waits for work waits for work also where the purpose of a sleep is
//   unknown.
void DecidePurposes(std::span<measure::Capture* const> captures, size_t bases);

// Takes the sleeps for work out of all sleeps of the groups, with what ended them: a group that
// waits for work is not kept waiting, however long that takes.
void LeaveOutWaitsForWork(measure::Capture& capture);

}  // namespace comparison
