// SPDX-License-Identifier: BSD-2-Clause
// Has Java virtual machines write the names of their compiled functions, /tmp/perf-PID.map, for
// --jvm.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tools {

// A process that runs a Java virtual machine.
struct JavaProcess {
  pid_t pid = 0;
  pid_t inner_pid = 0;  // in its own pid namespace
  uid_t user = 0;
  gid_t group = 0;
  std::vector<gid_t> groups = {};  // supplementary ones
  uint64_t capabilities = 0;       // permitted ones
};

struct JavaNamesOptions {
  std::vector<uint32_t> pids = {};    // the only processes that are asked; empty: all
  uint64_t each_ns = 10'000'000'000;  // time for one of them
  uint64_t all_ns = 60'000'000'000;   // time for all together
  std::function<bool()> goes_on = [] { return true; };
  std::string proc = "/proc";  // a parameter for tests
};

struct JavaNames {
  std::vector<pid_t> written;
  // The processes whose names are missing, with the reason.
  struct Failure {
    pid_t pid = 0;
    std::string reason;
  };
  std::vector<Failure> failures;
};

// Finds the processes that execute code of a libjvm.so and handle SIGQUIT, by which jcmd speaks to
// them; others would end by it.
std::vector<JavaProcess> FindJavaProcesses(const JavaNamesOptions& options);

// Runs `jcmd PID Compiler.perfmap` for each of them in turn, with the rights of that process and no
// others, in this process's namespaces: jcmd itself finds the socket of a process with other ones.
JavaNames WriteJavaNames(const JavaNamesOptions& options);

// Changes the environment of this process: Java virtual machines that it executes write their names
// at their exit, if they can.
void WriteJavaNamesAtExit();

}  // namespace tools
