// SPDX-License-Identifier: BSD-2-Clause
// Views that join the tables of a trace. docs/tables.md explains them.
#pragma once

#include <span>
#include <string_view>

namespace query {

struct TraceView {
  std::string_view name;
  std::string_view select;
};

std::span<const TraceView> TraceViews();

}  // namespace query
