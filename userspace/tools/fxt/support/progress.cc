// SPDX-License-Identifier: BSD-2-Clause
#include "tools/fxt/support/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "text/clean_text.h"
#include "tools/common/message.h"
#include "util/quantity.h"

namespace tools {
namespace {

constexpr auto kFirst = std::chrono::seconds(1);
constexpr auto kStep = std::chrono::milliseconds(200);

}  // namespace

Progress::Progress(const std::string& what, const fxt::ByteSource& source, bool prints)
    : Progress(what, uint64_t{0}, prints) {
  source_ = &source;
}

Progress::Progress(const std::string& what, uint64_t total, bool prints)
    : what_(text::CleanText(what)),
      total_(total),
      wanted_(isatty(STDERR_FILENO) == 1 && (!prints || isatty(STDOUT_FILENO) != 1)),
      next_(Clock::now() + kFirst) {}

void Progress::Update(uint64_t bytes) {
  if (!wanted_) return;
  const auto now = Clock::now();
  if (now < next_) return;
  next_ = now + kStep;
  shown_ = true;
  const uint64_t total = source_ != nullptr ? source_->total() : total_;
  // For compressed input only the source knows the position.
  const uint64_t done = source_ == nullptr || source_->Contents() ? bytes : source_->position();
  if (total != 0) {
    PrintText(fmt::format("\r{}: {} of {} ({}%) \x1b[K", what_, util::FormatSize(done),
                          util::FormatSize(total), std::min<uint64_t>(100, done * 100 / total)));
  } else {
    PrintText(fmt::format("\r{}: {} \x1b[K", what_, util::FormatSize(bytes)));
  }
}

void Progress::Clear() {
  if (!shown_) return;
  shown_ = false;
  PrintText("\r\x1b[K");
}

}  // namespace tools
