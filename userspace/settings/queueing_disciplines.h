// SPDX-License-Identifier: BSD-2-Clause
// Reads the queueing disciplines of network devices by rtnetlink, as `tc qdisc show` does.
#pragma once

#include <map>
#include <string>

namespace settings {

// By device, of this process's network namespace: the root's kind, then those of its classes with
// their number: "mq, 4 fq_codel". With what delays or limits packets: "netem delay 10000 us loss
// 1%", "tbf rate 1000000 B/s". Empty if it cannot be read.
std::map<std::string, std::string> ReadQueueingDisciplines();

}  // namespace settings
