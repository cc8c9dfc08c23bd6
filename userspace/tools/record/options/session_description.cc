// SPDX-License-Identifier: BSD-2-Clause
#include "tools/record/options/session_description.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tools/record/options/filter_text.h"
#include "util/machine_info.h"

namespace tools {

translate::SessionInfo DescribeSession(const RecordOptions& options,
                                       const capture::CaptureSession& session,
                                       std::optional<pid_t> command) {
  const util::MachineInfo machine = util::ReadMachineInfo();
  translate::SessionInfo info;
  info.version = FXT_RECORD_VERSION;
  info.kernel = machine.kernel;
  info.machine = machine.machine;
  info.cpu_model = machine.cpu_model;
  info.cpus = machine.cpus;
  info.host = machine.host;
  info.command = options.command_line;
  if (command) {
    info.command_pid = session.MachinePid(static_cast<uint32_t>(*command)).value_or(0);
  }
  info.categories = capture::DescribeCategories(options.categories);
  info.filters = fmt::format("{}", fmt::join(DescribeFilters(options, session.filter()), ","));
  info.interrupt_wakers = capture::DescribeInterruptWakers(session.contextless_cpus(), info.cpus);
  info.start_time = util::WallClockNow();
  info.ring_bytes = session.ring_bytes();
  translate::TakeClocks(info);
  return info;
}

}  // namespace tools
