// SPDX-License-Identifier: BSD-2-Clause
// Reads a trace once and hands out its requests with their critical paths.
//
//   path::PathReader reader(options, [](const path::Request& request,
//                                       std::span<const path::Part> parts) { ... });
//   facts::ReadRecords(fxt_reader, reader);
//   reader.Finish();
#pragma once

#include <cstdint>
#include <utility>
#include <variant>

#include "facts/task_names.h"
#include "facts/timeline/timeline.h"
#include "fxt/reader.h"
#include "path/path_builder.h"

namespace path {

class PathReader {
 public:
  PathReader(PathOptions options, PathBuilder::OnRequest on_request)
      : builder_(timeline_, WithNames(std::move(options)), std::move(on_request)) {}
  PathReader(const PathReader&) = delete;
  PathReader& operator=(const PathReader&) = delete;

  // Takes every record in file order.
  void Add(const fxt::Reader& reader) {
    timeline_.Add(reader);
    names_.Note(reader);
    builder_.Note(reader);
  }
  // See facts::Timeline::AddFastPath().
  uint64_t AddFastPath(fxt::Reader& reader, uint64_t most) {
    const uint64_t taken = timeline_.AddFastPath(reader, most);
    builder_.HandOut();
    return taken;
  }
  void Finish() { builder_.Finish(); }
  // See PathBuilder::LeaveOutParts().
  void LeaveOutParts() { builder_.LeaveOutParts(); }

  const PathBuilder& builder() const { return builder_; }

 private:
  // The handler of the timeline.
  struct Facts {
    PathReader& owner;

    void OnRun(const facts::Run& run) const { owner.builder_.Add(run); }
    void OnWait(const facts::Wait& wait) const { owner.builder_.Add(wait); }
    void OnIdle(const facts::Idle& idle) const { owner.builder_.Add(idle); }
    template <typename Full>
    void OnWholeRun(const facts::WholeRun& run, Full&&) const {
      owner.builder_.Add(run);
    }
    template <typename Full>
    void OnWholeWait(const facts::WholeWait& wait, Full&&) const {
      owner.builder_.Add(wait);
    }
    template <typename Full>
    void OnWholeSleep(const facts::WholeWait& wait, const facts::Wakeup& wakeup, Full&&) const {
      owner.builder_.Add(wait, wakeup);
    }
  };

  PathOptions WithNames(PathOptions options) const {
    options.names = &names_;
    return options;
  }

  facts::TaskNames names_;
  Facts facts_{*this};
  facts::Timeline<Facts> timeline_{facts_};
  PathBuilder builder_;
};

}  // namespace path
