// SPDX-License-Identifier: BSD-2-Clause
// Records of fxt-record about the recording: the session, losses, gaps.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "fxt/record.h"

namespace facts {

// The first instant of a recording, which describes the recording by its arguments.
bool IsSession(const fxt::Event& event);

// The instant with the Linux state of the switch that follows it.
bool IsLinuxState(const fxt::Event& event);

// The instant that declares lost events. `cpu` -1: not tied to a CPU. Empty for other events; a
// declaration with arguments missing or of another type has no value there.
struct Loss {
  std::optional<int32_t> cpu;
  std::optional<uint64_t> count;
  std::optional<std::string_view> category;
};
std::optional<Loss> AsLoss(const fxt::Event& event);

// The CPU of an instant for a switch that the kernel did not report although no event was lost.
std::optional<int32_t> AsUnseenSwitch(const fxt::Event& event);

// A recording filtered by thread, process or CPU does not show every switch of a CPU. Given the
// session's event.
bool IsFiltered(const fxt::Event& session);

// The instant that `fxt trim` leaves in a smaller file; true if it left out threads, processes or
// CPUs, so that not every switch of a CPU is there.
bool IsFilteringTrim(const fxt::Event& event);

}  // namespace facts
