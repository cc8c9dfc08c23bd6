// SPDX-License-Identifier: BSD-2-Clause
// What each category and option costs, as `make bench-prices` measured it: the only place that has these figures.
// scripts/bench_prices --update writes the lines, and the same into docs/performance.md.
#pragma once

// clang-format off
// X(name, of, ns, bytes): `name` is that of a category, a part of one, or an option; one event is a `of`; `ns` are
// added to whoever makes it, `bytes` are added to the file. -1: not known.
#define FXT_PRICE_TABLE(X) \
  X("sched", "switch or wakeup", -1, -1)

// clang-format on
