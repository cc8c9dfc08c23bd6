// SPDX-License-Identifier: BSD-2-Clause
// The aggregate quantile(value, q).
#pragma once

struct sqlite3;

namespace query {

// The value below or at which the fraction `q` (0 to 1) of the values lies, to 0.8%: that of the
// histograms that `fxt report` has. NULL without values; values below 0 count as 0. An SQLite
// result code.
int RegisterQuantile(sqlite3* database);

}  // namespace query
