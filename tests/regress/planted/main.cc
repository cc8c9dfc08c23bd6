// SPDX-License-Identifier: BSD-2-Clause
// The program build/tests/planted: see scenarios.h.
#include <CLI/CLI.hpp>

#include "regress/planted/scenarios.h"

namespace planted {
namespace {

std::vector<Scenario> AllScenarios() {
  std::vector<Scenario> all;
  for (const auto& group :
       {RequestScenarios(), LockScenarios(), QueueScenarios(), DiskScenarios(), CpuScenarios(),
        MemoryScenarios(), NetworkScenarios(), SchedulingScenarios(), ProcessScenarios()}) {
    all.insert(all.end(), group.begin(), group.end());
  }
  return all;
}

}  // namespace
}  // namespace planted

int main(int argc, char** argv) {
  CLI::App app{
      "Runs a small program in its base form or its slow form, to be recorded and compared."};
  app.require_subcommand(1);
  planted::Options options;
  double seconds = 3.4;
  app.add_flag("--slow", options.slow, "run the slow form");
  app.add_option("--seconds", seconds, "the run time")
      ->check(CLI::Range(0.1, 600.0))
      ->capture_default_str();
  app.add_option("--folder", options.folder, "the folder for files")->capture_default_str();
  const auto scenarios = planted::AllScenarios();
  for (const planted::Scenario& scenario : scenarios) {
    app.add_subcommand(scenario.name, scenario.change)->fallthrough();
  }
  CLI11_PARSE(app, argc, argv);
  options.length = std::chrono::milliseconds(static_cast<int64_t>(seconds * 1000));
  const std::string chosen = app.get_subcommands().front()->get_name();
  for (const planted::Scenario& scenario : scenarios) {
    if (chosen == scenario.name) return scenario.run(options);
  }
  return 1;
}
