// SPDX-License-Identifier: BSD-2-Clause
// Programs with a planted regression each. See scenarios.h.
#include <CLI/CLI.hpp>

#include "regress/planted/scenarios.h"

int main(int argc, char** argv) {
  CLI::App app{
      "Small programs, each with something that got slower (or did not), to record and compare."};
  app.require_subcommand(1);
  planted::Options options;
  double seconds = 3.4;
  app.add_flag("--slow", options.slow, "the form in which it did");
  app.add_option("--seconds", seconds, "how long to run")
      ->check(CLI::Range(0.1, 600.0))
      ->capture_default_str();
  app.add_option("--folder", options.folder, "where files are written")->capture_default_str();
  for (const planted::Scenario& scenario : planted::Scenarios()) {
    app.add_subcommand(scenario.name, scenario.change)->fallthrough();
  }
  CLI11_PARSE(app, argc, argv);
  options.length = std::chrono::milliseconds(static_cast<int64_t>(seconds * 1000));
  const std::string chosen = app.get_subcommands().front()->get_name();
  for (const planted::Scenario& scenario : planted::Scenarios()) {
    if (chosen == scenario.name) return scenario.run(options);
  }
  return 1;
}
