// SPDX-License-Identifier: BSD-2-Clause
#include "query/quantile.h"

#include <algorithm>
#include <exception>
#include <memory>

#include "measure/histogram.h"
#include "query/sqlite_api.h"

namespace query {
namespace {

struct State {
  measure::Histogram values;
  double q = 0;
};

// SQLite gives memory that is 0 at first.
State** StateOf(sqlite3_context* context, bool make) {
  return static_cast<State**>(sqlite3_aggregate_context(context, make ? sizeof(State*) : 0));
}

void Step(sqlite3_context* context, int, sqlite3_value** argv) {
  State** state = StateOf(context, true);
  if (state == nullptr) return sqlite3_result_error_nomem(context);
  try {
    if (*state == nullptr) {
      *state = std::make_unique<State>().release();
      (*state)->q = sqlite3_value_double(argv[1]);
    }
    if (sqlite3_value_type(argv[0]) == SQLITE_NULL) return;
    (*state)->values.Add(
        static_cast<uint64_t>(std::max<sqlite3_int64>(sqlite3_value_int64(argv[0]), 0)));
  } catch (const std::exception&) {
    sqlite3_result_error_nomem(context);
  }
}

void Finish(sqlite3_context* context) {
  State** place = StateOf(context, false);
  if (place == nullptr || *place == nullptr) return sqlite3_result_null(context);
  const std::unique_ptr<State> state(*place);
  *place = nullptr;
  if (!(state->q >= 0 && state->q <= 1)) {
    return sqlite3_result_error(context, "the second argument of quantile is from 0 to 1", -1);
  }
  if (state->values.empty()) return sqlite3_result_null(context);
  sqlite3_result_int64(context, static_cast<sqlite3_int64>(state->values.Quantile(state->q)));
}

}  // namespace

int RegisterQuantile(sqlite3* database) {
  return sqlite3_create_function_v2(database, "quantile", 2,
                                    SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, nullptr,
                                    nullptr, Step, Finish, nullptr);
}

}  // namespace query
