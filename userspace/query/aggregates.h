// SPDX-License-Identifier: BSD-2-Clause
// Aggregates that SQLite lacks.
#pragma once

struct sqlite3;

namespace query {

// Registers the aggregates; returns an SQLite result code.
// - quantile(value, q [, weight]): the least value at or below which the fraction `q` (0 to 1) of
// the
//   values lies, to 0.8%, by the histograms of `fxt report`. NULL without values. Values other than
//   whole numbers from 0 on are errors. With a weight, each value counts that many times.
// - histogram(value [, weight]): a JSON array of ranges of values with their counts, 8 an octave.
// - concurrency(ts, length): a JSON array of the time at each number of concurrent intervals
//   (concurrency.h).
int RegisterAggregates(sqlite3* database);

}  // namespace query
