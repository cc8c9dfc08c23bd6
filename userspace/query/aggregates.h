// SPDX-License-Identifier: BSD-2-Clause
// The aggregates that SQLite has not.
#pragma once

struct sqlite3;

namespace query {

// quantile(value, q [, weight]): the value below or at which the fraction `q` (0 to 1) of the values lies, to 0.8%: that of the
// histograms that `fxt report` has. NULL without values; what is no whole number from 0 on is an
// error. With a weight, each value counts that many times.
// histogram(value [, weight]): a JSON array of ranges of values with their counts, 8 an octave.
// concurrency(ts, length): a JSON array of how long how many intervals went on at once
// (concurrency.h).
// An SQLite result code.
int RegisterAggregates(sqlite3* database);

}  // namespace query
