// SPDX-License-Identifier: BSD-2-Clause
#include "tools/record/commands/commands.h"
#include "tools/record/options/list_categories.h"
#include "tools/record/options/list_events.h"
#include "tools/record/options/record_options.h"
#include "tools/record/recorder.h"
#include "util/allocator.h"

int main(int argc, char** argv) {
  util::ReturnLargeBlocks();
  if (argc > 1 && tools::IsControlCommand(argv[1])) return tools::RunControlCommand(argc, argv);
  tools::ParsedOptions parsed = tools::ParseRecordOptions(argc, argv);
  if (parsed.exit_code) return *parsed.exit_code;
  if (parsed.options.list_categories == "names") return tools::ListCategoryNames();
  if (parsed.options.list_categories == "prices") return tools::ListPrices();
  if (!parsed.options.list_categories.empty()) return tools::ListCategories();
  if (!parsed.options.list_events.empty()) return tools::ListEvents(parsed.options.list_events);
  return tools::Recorder(std::move(parsed.options)).Run();
}
