// SPDX-License-Identifier: BSD-2-Clause
// Why threads slept, where a recording says so: the request of a block device, the page fault, the
// kernel's function.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "facts/kernel_sections.h"
#include "fxt/id_map.h"
#include "fxt/reader.h"

namespace facts {

// Feed it every record in file order. Memory is bounded: of more threads or requests than a machine
// has some are forgotten.
class WaitReasons {
 public:
  // The sleep of a stack's instant.
  struct Slept {
    fxt::Koid thread = 0;
    uint64_t begin = 0;  // ns, as the kernel timed it: a few microseconds beside the switch
    std::string in;      // the function; may be empty
    std::optional<uint64_t> stack = std::nullopt;
    fxt::Koid process = 0;  // of the thread
  };

  // Kernel objects or events alone, for callers that know the kind of the record.
  void NoteObject(const fxt::Record& record);
  void NoteEvent(const fxt::Reader& reader);

  // The reason of a wait of `thread` that a wakeup ends at `end` (ns), as of the last noted record:
  // the page fault that it is in, and the request that it issued, or that the interrupt which
  // woke it completed. `by_thread`: a thread woke it. Empty if unknown.
  std::string ReasonOf(fxt::Koid thread, uint64_t begin, uint64_t end, bool by_thread) const;
  // The sleep of the last noted record, if it has one; it occurs when the thread runs again.
  const std::optional<Slept>& slept() const { return slept_; }
  // True if the recording has stacks: then reasons of waits that have ended may follow.
  bool has_stacks() const { return has_stacks_; }

 private:
  struct Request {
    fxt::Koid issuer = 0;
    fxt::Koid device = 0;
    uint64_t begin = 0;
    uint64_t end = 0;
    uint32_t bytes = 0;
    std::optional<uint64_t> sector = std::nullopt;
    std::string operation = {};
  };

  void NoteBlock(const fxt::Event& event, uint32_t provider, uint64_t time);
  std::string Text(const Request& request) const;

  fxt::IdMap<Request> open_;       // by id, of each provider
  fxt::IdMap<Request> completed_;  // the last one of each issuing thread
  std::optional<Request> last_completed_;
  fxt::IdMap<std::string> devices_;
  fxt::IdMap<uint64_t> faults_;  // addresses, of threads inside of one
  KernelSections sections_;
  std::optional<Slept> slept_;
  bool has_stacks_ = false;
};

// Whether the sleep is of the wait of its thread that began at `begin` (ns).
bool IsOf(const WaitReasons::Slept& slept, uint64_t begin);
// One text of what ReasonOf() says and the function.
std::string JoinReasons(const std::string& reason, const std::string& function);

// Shared parts of reasons: "page fault", "block read vda", or the function.
std::string KindOfReason(std::string_view reason);

}  // namespace facts
