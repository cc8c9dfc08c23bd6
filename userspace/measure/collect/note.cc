// SPDX-License-Identifier: BSD-2-Clause
#include "measure/collect/note.h"

namespace measure {

void AddLength(Distribution& times, const Note& note) {
  const uint64_t length = note.length();
  switch (note.extent) {
    case Extent::kWhole:
      times.AddWhole({note.begin, length, note.thread, note.cpu});
      break;
    case Extent::kCut:
      times.cut.Add(length);
      times.cut_ns += length;
      break;
    case Extent::kUnknown:
      ++times.unknown;
      times.unknown_ns += length;
      break;
  }
}

}  // namespace measure
