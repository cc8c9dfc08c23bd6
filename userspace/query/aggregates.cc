// SPDX-License-Identifier: BSD-2-Clause
#include "query/aggregates.h"

#include <fmt/format.h>

#include <cmath>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "measure/histogram.h"
#include "query/concurrency.h"
#include "query/sqlite_api.h"

namespace query {
namespace {

struct State {
  measure::Histogram values;
  double q = 0;
};

// SQLite's memory is initially 0.
State** StateOf(sqlite3_context* context, bool make) {
  return static_cast<State**>(sqlite3_aggregate_context(context, make ? sizeof(State*) : 0));
}

// Returns the value as a whole number from 0 on. Fractions (dur / 1e3) and negative values are
// errors: they would lose digits, and are no lengths.
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

// A value that is not a number is an error.
double FractionOf(sqlite3_value* value) {
  const int type = sqlite3_value_numeric_type(value);
  return type == SQLITE_INTEGER || type == SQLITE_FLOAT ? sqlite3_value_double(value) : -1;
}

// Adds `value`, `weight` times if that is not null. `q`: for a new state.
void Add(sqlite3_context* context, sqlite3_value* value, sqlite3_value* q, sqlite3_value* weight) {
  State** state = StateOf(context, true);
  if (state == nullptr) return sqlite3_result_error_nomem(context);
  try {
    if (*state == nullptr) {
      *state = std::make_unique<State>().release();
      if (q != nullptr) (*state)->q = FractionOf(q);
    }
    if (sqlite3_value_type(value) == SQLITE_NULL) return;
    const auto length = LengthOf(value);
    if (!length) {
      return sqlite3_result_error(
          context,
          "quantile and histogram are of whole numbers from 0 on, as in quantile(dur, 0.5) / 1e3",
          -1);
    }
    if (weight == nullptr) return (*state)->values.Add(*length);
    if (sqlite3_value_type(weight) == SQLITE_NULL) return;
    const auto times = LengthOf(weight);
    if (!times) {
      return sqlite3_result_error(context, "weights are whole numbers from 0 on", -1);
    }
    if (*times > UINT64_MAX / 2 - (*state)->values.count()) {
      return sqlite3_result_error(context, "the sum of the weights is beyond 2^63", -1);
    }
    if (*times != 0) (*state)->values.Add(*length, *times);
  } catch (const std::exception&) {
    sqlite3_result_error_nomem(context);
  }
}

void StepOfQuantile(sqlite3_context* context, int count, sqlite3_value** argv) {
  Add(context, argv[0], argv[1], count > 2 ? argv[2] : nullptr);
}

void StepOfHistogram(sqlite3_context* context, int count, sqlite3_value** argv) {
  Add(context, argv[0], nullptr, count > 1 ? argv[1] : nullptr);
}

// The state at the end of an aggregate; null if it has no rows.
std::unique_ptr<State> TakeState(sqlite3_context* context) {
  State** place = StateOf(context, false);
  return std::unique_ptr<State>(place == nullptr ? nullptr : std::exchange(*place, nullptr));
}

void FinishQuantile(sqlite3_context* context) {
  const std::unique_ptr<State> state = TakeState(context);
  if (state == nullptr) return sqlite3_result_null(context);
  if (!(state->q >= 0 && state->q <= 1)) {
    return sqlite3_result_error(context, "the second argument of quantile is from 0 to 1", -1);
  }
  if (state->values.empty()) return sqlite3_result_null(context);
  sqlite3_result_int64(context, static_cast<sqlite3_int64>(state->values.Quantile(state->q)));
}

// The result is JSON, for json_each().
void FinishHistogram(sqlite3_context* context) {
  const std::unique_ptr<State> state = TakeState(context);
  if (state == nullptr || state->values.empty()) return sqlite3_result_null(context);
  try {
    std::string text;
    for (const measure::Histogram::Bar& bar : state->values.Bars()) {
      text += fmt::format(R"({}{{"least":{},"most":{},"count":{}}})", text.empty() ? '[' : ',',
                          bar.least, bar.most, bar.count);
    }
    text += ']';
    sqlite3_result_text(context, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
  } catch (const std::exception&) {
    sqlite3_result_error_nomem(context);
  }
}

Concurrency** ConcurrencyOf(sqlite3_context* context, bool make) {
  return static_cast<Concurrency**>(
      sqlite3_aggregate_context(context, make ? sizeof(Concurrency*) : 0));
}

void StepOfConcurrency(sqlite3_context* context, int, sqlite3_value** argv) {
  Concurrency** state = ConcurrencyOf(context, true);
  if (state == nullptr) return sqlite3_result_error_nomem(context);
  try {
    if (*state == nullptr) *state = std::make_unique<Concurrency>().release();
    if (sqlite3_value_type(argv[0]) == SQLITE_NULL || sqlite3_value_type(argv[1]) == SQLITE_NULL) {
      return;
    }
    const auto length = LengthOf(argv[1]);
    if (sqlite3_value_type(argv[0]) != SQLITE_INTEGER || !length) {
      return sqlite3_result_error(
          context,
          "concurrency is of times and lengths in whole numbers, as in concurrency(ts, length)",
          -1);
    }
    if (!(*state)->Add(sqlite3_value_int64(argv[0]), static_cast<int64_t>(*length))) {
      sqlite3_result_error(context, "concurrency takes 25 million intervals: choose fewer rows",
                           -1);
    }
  } catch (const std::exception&) {
    sqlite3_result_error_nomem(context);
  }
}

void FinishConcurrency(sqlite3_context* context) {
  Concurrency** place = ConcurrencyOf(context, false);
  const std::unique_ptr<Concurrency> state(place == nullptr ? nullptr
                                                            : std::exchange(*place, nullptr));
  if (state == nullptr || state->empty()) return sqlite3_result_null(context);
  try {
    const std::string text = state->TakeJson();
    sqlite3_result_text(context, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
  } catch (const std::exception&) {
    sqlite3_result_error_nomem(context);
  }
}

}  // namespace

int RegisterAggregates(sqlite3* database) {
  using Step = void (*)(sqlite3_context*, int, sqlite3_value**);
  using Finish = void (*)(sqlite3_context*);
  struct Function {
    const char* name;
    int arguments;
    Step step;
    Finish finish;
  };
  static constexpr Function kFunctions[] = {
      {"quantile", 2, StepOfQuantile, FinishQuantile},
      {"quantile", 3, StepOfQuantile, FinishQuantile},
      {"histogram", 1, StepOfHistogram, FinishHistogram},
      {"histogram", 2, StepOfHistogram, FinishHistogram},
      {"concurrency", 2, StepOfConcurrency, FinishConcurrency},
  };
  for (const Function& function : kFunctions) {
    const int code =
        sqlite3_create_function_v2(database, function.name, function.arguments,
                                   SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, nullptr,
                                   nullptr, function.step, function.finish, nullptr);
    if (code != SQLITE_OK) return code;
  }
  return SQLITE_OK;
}

}  // namespace query
