// SPDX-License-Identifier: BSD-2-Clause
// The program workload: see workload.h.
#include <CLI/CLI.hpp>
#include <functional>
#include <string>

#include "workload/child.h"
#include "workload/workload.h"

int main(int argc, char** argv) {
  CLI::App app{"Does known things to the scheduler, for tests that capture it."};
  app.require_subcommand(1);
  unsigned time_limit = 280;
  app.add_option("--time-limit", time_limit, "every process is killed after this many seconds")
      ->envname("WORKLOAD_TIME_LIMIT")
      ->check(CLI::Range(1U, 3600U))
      ->capture_default_str();
  std::function<int()> chosen;

  workload::PingPongOptions ping_pong;
  auto* part = app.add_subcommand("pingpong", "two processes hand a byte to and fro");
  part->add_option("--cpu", ping_pong.cpu, "pin both to this CPU");
  part->add_option("--count", ping_pong.count, "times there and back")->capture_default_str();
  part->callback([&] { chosen = [&] { return workload::PingPong(ping_pong); }; });

  workload::ForkStormOptions fork_storm;
  part = app.add_subcommand("forkstorm", "short-lived processes");
  part->add_option("--count", fork_storm.count, "processes in all")->capture_default_str();
  part->add_option("--parallel", fork_storm.parallel, "alive at once")->capture_default_str();
  part->add_flag("--exec", fork_storm.exec, "each executes a program");
  part->callback([&] { chosen = [&] { return workload::ForkStorm(fork_storm); }; });

  workload::MessagingOptions messaging;
  part = app.add_subcommand("messaging", "groups of senders and receivers");
  part->add_option("--groups", messaging.groups)->capture_default_str();
  part->add_option("--pairs", messaging.pairs, "senders in a group, and receivers")
      ->capture_default_str();
  part->add_option("--count", messaging.count, "messages from each sender to each receiver")
      ->capture_default_str();
  part->callback([&] { chosen = [&] { return workload::Messaging(messaging); }; });

  uint32_t threads = 100;
  part = app.add_subcommand("threads", "threads that are all alive at once");
  part->add_option("--count", threads)->capture_default_str();
  part->callback([&] { chosen = [&] { return workload::Threads(threads); }; });

  workload::TimerWakeupsOptions timer_wakeups;
  part = app.add_subcommand("timer-wakeups", "a process that sleeps beside one that computes");
  part->add_option("--cpu", timer_wakeups.cpu, "pin both to this CPU")->capture_default_str();
  part->add_option("--count", timer_wakeups.count, "times asleep")->capture_default_str();
  part->callback([&] { chosen = [&] { return workload::TimerWakeups(timer_wakeups); }; });

  std::string resident = "wl-resident";
  part = app.add_subcommand("resident", "a process of three threads that stays until it is killed");
  part->add_option("--name", resident, "of its first thread")->capture_default_str();
  part->callback([&] { chosen = [&] { return workload::Resident(resident); }; });

  std::string message;
  part = app.add_subcommand("kmsg", "a message into the kernel's log");
  part->add_option("TEXT", message)->required();
  part->callback([&] { chosen = [&] { return workload::KernelMessage(message); }; });

  uint32_t rounds = 1;
  part = app.add_subcommand("script", "all parts in turn, each small");
  part->add_option("--rounds", rounds)->capture_default_str();
  part->callback([&] { chosen = [&] { return workload::Script(rounds); }; });

  app.add_subcommand("renames", "tasks that change their names")->callback([&] {
    chosen = workload::Renames;
  });
  app.add_subcommand("priorities", "nice values and policies in turn")->callback([&] {
    chosen = workload::Priorities;
  });
  app.add_subcommand("stopcont", "a process is stopped and continued")->callback([&] {
    chosen = workload::StopContinue;
  });
  app.add_subcommand("hostile-names", "processes with names no one would choose")->callback([&] {
    chosen = workload::HostileNames;
  });
  app.add_subcommand("inherited", "prints its inherited attributes")->callback([&] {
    chosen = workload::Inherited;
  });
  app.add_subcommand("nothing", "exits, for forkstorm --exec")->callback([&] {
    chosen = [] { return 0; };
  });

  CLI11_PARSE(app, argc, argv);
  workload::SetTimeLimit(time_limit);
  return chosen();
}
