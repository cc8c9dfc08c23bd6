// SPDX-License-Identifier: BSD-2-Clause
// Trace Event text that was imported, for tests to look at.
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

// `error` is what reading failed with; that writing fails is a failure of the test.
void Import(std::string_view text, Imported& imported, bool ftrace = false,
            size_t memory = sort::RunSorter::kDefaultMemory);

// It is a trace that `fxt check` finds nothing wrong with.
void ExpectSound(const Imported& imported);

// What `fxt json` makes of it.
nlohmann::json BackToJson(const Imported& imported);

}  // namespace importer::testing
