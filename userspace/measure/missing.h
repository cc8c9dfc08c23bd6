// SPDX-License-Identifier: BSD-2-Clause
// Missing data of a capture that its recorder did not write.
#pragma once

#include <string>
#include <vector>

#include "measure/capture.h"

namespace measure {

// Whether any thread ran in it.
bool HasSwitches(const Capture& capture);

// A line for people each: what is not there, and what that does to the figures. Empty for what
// fxt-record writes, unless next to nothing happened in it.
std::vector<std::string> WhatIsMissing(const Capture& capture);

}  // namespace measure
