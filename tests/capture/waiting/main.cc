// SPDX-License-Identifier: BSD-2-Clause
// Waits for things that it knows, and prints of each wait what it is for (truth.h).
//
//   waiting SUBJECT COUNT FOLDER [DEVICE]   COUNT waits of each kind
//   waiting exchanges COUNT            a client and a server over sockets (exchanges.cc)
//   waiting limits CGROUP              threads that do not run though they could (limits.cc); a
//   mounted cgroup 2
//
// FOLDER is on the file system that is waited for; DEVICE is a block device to read from.
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "truth.h"

int main(int argc, char** argv) {
  if (argc == 3 && std::string_view(argv[1]) == "exchanges" &&
      (truth::count = std::atoi(argv[2])) > 0) {
    truth::Exchanges();
    return 0;
  }
  if (argc == 3 && std::string_view(argv[1]) == "limits") {
    truth::Limits(argv[2]);
    return 0;
  }
  constexpr struct {
    std::string_view name;
    void (*run)();
  } kSubjects[] = {{"descriptors", truth::Descriptors},
                   {"multiplexers", truth::Multiplexers},
                   {"locks", truth::Locks},
                   {"sleeps", truth::Sleeps},
                   {"processes", truth::Processes},
                   {"file_locks", truth::FileLocks},
                   {"disks", truth::Disks},
                   {"memory", truth::Memory}};
  if (argc >= 4 && argc <= 5 && (truth::count = std::atoi(argv[2])) > 0) {
    truth::folder = argv[3];
    if (argc == 5) truth::device = argv[4];
    for (const auto& subject : kSubjects) {
      if (subject.name == argv[1]) return subject.run(), 0;
    }
  }
  std::fprintf(stderr,
               "usage: waiting SUBJECT COUNT FOLDER [DEVICE] | waiting exchanges COUNT | waiting "
               "limits CGROUP\n");
  return 2;
}
