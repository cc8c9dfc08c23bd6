// SPDX-License-Identifier: BSD-2-Clause
// What fxt-record says about itself in a trace: the session, losses, gaps.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "fxt/record.h"

namespace facts {

// The instant with which a recording begins: how it was made, as arguments.
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

// The instant that says that a switch of a CPU was not seen although nothing was lost: the CPU.
std::optional<int32_t> AsUnseenSwitch(const fxt::Event& event);

// A recording filtered by thread, process or CPU does not show every switch of a CPU. Given the
// session's event.
bool IsFiltered(const fxt::Event& session);

// The instant that `fxt trim` leaves in a smaller file; true if it left out threads, processes or
// CPUs, so that not every switch of a CPU is there.
bool IsFilteringTrim(const fxt::Event& event);

}  // namespace facts
