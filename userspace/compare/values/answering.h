// SPDX-License-Identifier: BSD-2-Clause
// Who answers whom, where single sleeps do not show it.
#pragma once

#include <cstddef>
#include <span>

#include "measure/capture.h"

namespace comparison {

// A request does not wake a server that is busy all the time. What the server then does for its
// client looks like work that it gives the client. Takes sleeps for work as sleeps for answers: of
// a group that mostly asks another one in all captures together, in the captures in which that one
// ended half of its sleeps for work. The first `bases` captures are the base.
void TakeWorkForAnswers(std::span<measure::Capture* const> captures, size_t bases);

// Takes the sleeps for work out of all sleeps of the groups, with what ended them: a group that
// waits for work is not kept waiting, however long that takes.
void LeaveOutWaitsForWork(measure::Capture& capture);

}  // namespace comparison
