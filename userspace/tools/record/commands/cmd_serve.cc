// SPDX-License-Identifier: BSD-2-Clause
#include <fmt/format.h>
#include <grp.h>

#include <charconv>
#include <cstdio>
#include <memory>

#include "tools/record/commands/client_command.h"
#include "tools/record/commands/commands.h"
#include "tools/record/control/controller_host.h"
#include "tools/record/control/session_options.h"
#include "tools/record/options/record_options.h"

namespace tools {
namespace {

struct ServeOptions {
  std::string socket;
  std::string group;
  SessionOptions session;
  bool once = false;
  bool background = false;
  bool verbose = false;
};

// By name, or by number. /etc/group alone: the program is linked without the other sources.
util::Result<gid_t> FindGroup(const std::string& name) {
  const std::unique_ptr<FILE, int (*)(FILE*)> file(fopen("/etc/group", "re"), fclose);
  while (file) {
    const group* entry = fgetgrent(file.get());
    if (entry == nullptr) break;
    if (name == entry->gr_name) return entry->gr_gid;
  }
  gid_t number = 0;
  const char* end = name.data() + name.size();
  const auto [stop, error] = std::from_chars(name.data(), end, number);
  if (error == std::errc() && stop == end && !name.empty()) return number;
  return util::Error{fmt::format("there is no group '{}'", name), "see /etc/group"};
}

int FailUsage(const util::Error& error) {
  FailControl(error);
  return kExitUsage;
}

int RunServe(const ServeOptions& options) {
  HostOptions host;
  host.socket = options.socket;
  if (!options.group.empty()) {
    auto group = FindGroup(options.group);
    if (!group) return FailUsage(group.error());
    host.group = *group;
  }
  if (options.session.any()) {
    auto config = options.session.MakeConfig();
    if (!config) return FailUsage(config.error());
    host.session = std::move(*config);
    host.output = options.session.output;
  } else if (!options.session.categories.empty() || options.session.tasks.any() ||
             options.session.sources.any() ||
             (!options.session.output.empty() && options.session.triggers.empty())) {
    return FailUsage({"-o, -c, filters and the like need a session that begins at once",
                      "add --circular SIZE, --oneshot SIZE or --streaming"});
  }
  auto triggers = options.session.MakeTriggers();
  if (!triggers) return FailUsage(triggers.error());
  host.triggers = std::move(*triggers);
  host.once = options.once;
  host.background = options.background;
  host.verbose = options.verbose;
  host.command_line = "fxt-record serve";
  return ControllerHost(std::move(host)).Run();
}

}  // namespace

void AddServe(const Command& program, int& exit_code) {
  auto options = std::make_shared<ServeOptions>();
  const Command command = program.AddSubcommand(
      "serve", "Run the controller in the foreground until a signal, as the service does");
  AddSocketOption(command, options->socket);
  command
      .Add("--group", options->group,
           "Members of this group may control it, too; the socket gets mode 0660 instead of 0600")
      .Type("NAME");
  options->session.AddTo(command);
  command.Add("--once", options->once, "End when the first session has ended");
  command.Add("--background", options->background, "Print nothing after READY");
  command.Add("-v,--verbose", options->verbose, "Show messages of the BPF loader and the verifier");
  command.Footer(
      "When the controller serves clients, it writes READY to standard output and notifies "
      "systemd.\n"
      "The protocol is varlink, the interface fuchsia.tracing.controller. The other commands are\n"
      "clients; any program can be one: docs/control.md. With --circular, --oneshot or "
      "--streaming\n"
      "a session begins at once. Triggers write the buffer of any circular or oneshot session, as\n"
      "the user who runs the controller. SIGUSR1 fires the trigger 'signal'.\n"
      "\n"
      "Examples:\n"
      "  sudo fxt-record serve\n"
      "  sudo fxt-record serve --group wheel --circular 256M\n"
      "  sudo fxt-record serve --circular 64M --trigger 'wakeup_latency > 20ms' -o 'spike-%n.fxt'");
  command.OnRun([options, &exit_code] { exit_code = RunServe(*options); });
}

}  // namespace tools
