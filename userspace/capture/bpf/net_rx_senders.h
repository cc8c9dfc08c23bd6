// SPDX-License-Identifier: BSD-2-Clause
// Whether the sender of packets that stay in the machine can be named as the waker of their
// receiver. See bpf/net_rx.h.
#pragma once

#include <string>

namespace capture {

// False if the machine has steered packets to other CPUs since it booted (RPS, RFS; the packets of
// several CPUs are then in one queue), if its network devices have interrupts without a tracepoint
// (Hyper-V), or if that cannot be read. The roots are parameters for tests.
bool AreNetRxSendersKnown(const std::string& proc = "/proc", const std::string& sys = "/sys");

}  // namespace capture
