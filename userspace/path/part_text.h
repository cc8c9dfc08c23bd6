// SPDX-License-Identifier: BSD-2-Clause
// Parts of critical paths in words.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "path/path_builder.h"
#include "path/request.h"

namespace path {

// Names are those that the builder knows when it is asked. All text is as a terminal shows it.
class PartText {
 public:
  enum class Names : uint8_t {
    kWithId,  // "name 1234"
    kAlone,
  };

  // `builder` must outlive it.
  explicit PartText(const PathBuilder& builder) : builder_(&builder) {}

  // "?" for threads without a name. Longer ones are cut: many texts have the same name.
  static constexpr size_t kMaxNameBytes = 256;
  std::string Thread(facts::ThreadIndex thread, Names names) const;
  // Null in JSON and SQL for kNoThread.
  uint64_t TidOf(facts::ThreadIndex thread) const {
    return builder_->NumberOf(builder_->KoidOf(thread));
  }
  std::string Text(Label label) const;
  // The object that a part waited for: of kRunnable the thread that had the CPU. "" if it is not
  // known.
  std::string WaitedFor(const Part& part, Names names) const {
    return WaitedFor(part, NamerOf(names));
  }
  // "runnable: hog 12 has the CPU", "device: block read vda", "running for app 7 (futex)".
  std::string Describe(const Part& part, Names names) const {
    return Describe(part, NamerOf(names));
  }
  // The same with names of threads as `namer` makes them.
  using Namer = std::function<std::string(facts::ThreadIndex)>;
  std::string WaitedFor(const Part& part, const Namer& namer) const;
  std::string Describe(const Part& part, const Namer& namer) const {
    return Describe(part, namer, Text(part.waited_for.object));
  }
  // The same with the thing that was waited for as `object` says it.
  std::string Describe(const Part& part, const Namer& namer, const std::string& object) const;

 private:
  Namer NamerOf(Names names) const {
    return [this, names](facts::ThreadIndex thread) { return Thread(thread, names); };
  }

  const PathBuilder* builder_;
};

}  // namespace path
