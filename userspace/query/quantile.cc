// SPDX-License-Identifier: BSD-2-Clause
#include "query/quantile.h"

#include <cmath>
#include <exception>
#include <memory>
#include <optional>

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

// Of microseconds as dur / 1e3 the part behind the point would be lost, and what is below 0 is no
// length.
std::optional<uint64_t> LengthOf(sqlite3_value* value) {
  switch (sqlite3_value_numeric_type(value)) {
    case SQLITE_INTEGER:
      break;
    case SQLITE_FLOAT:
      if (const double real = sqlite3_value_double(value);
          !(real < 0x1p63) || real != std::floor(real)) {
        return std::nullopt;
      }
      break;
    default:
      return std::nullopt;
  }
  const sqlite3_int64 length = sqlite3_value_int64(value);
  return length < 0 ? std::nullopt : std::optional(static_cast<uint64_t>(length));
}

// What is no number is no fraction either.
double FractionOf(sqlite3_value* value) {
  const int type = sqlite3_value_numeric_type(value);
  return type == SQLITE_INTEGER || type == SQLITE_FLOAT ? sqlite3_value_double(value) : -1;
}

void Step(sqlite3_context* context, int, sqlite3_value** argv) {
  State** state = StateOf(context, true);
  if (state == nullptr) return sqlite3_result_error_nomem(context);
  try {
    if (*state == nullptr) {
      *state = std::make_unique<State>().release();
      (*state)->q = FractionOf(argv[1]);
    }
    if (sqlite3_value_type(argv[0]) == SQLITE_NULL) return;
    const auto length = LengthOf(argv[0]);
    if (!length) {
      return sqlite3_result_error(
          context, "quantile is of whole numbers from 0 on, as in quantile(dur, 0.5) / 1e3", -1);
    }
    (*state)->values.Add(*length);
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
