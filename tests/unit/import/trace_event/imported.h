// SPDX-License-Identifier: BSD-2-Clause
// Imports Trace Event text for tests.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "import/trace_event/trace_event_importer.h"
#include "sink/memory_sink.h"
#include "sort/run_sorter.h"

namespace importer::testing {

struct Imported {
  sink::MemorySink sink;
  TraceEventStats stats;
  std::string error;
};

// `error` is the error of reading; a failure to write fails the test.
void Import(std::string_view text, Imported& imported, bool ftrace = false,
            size_t memory = sort::RunSorter::kDefaultMemory);

// `fxt check` finds nothing wrong with the trace.
void ExpectSound(const Imported& imported);

// The output of `fxt json`.
nlohmann::json BackToJson(const Imported& imported);

}  // namespace importer::testing
