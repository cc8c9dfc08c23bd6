// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/path/path_set.h"

#include <fmt/format.h>

#include "text/clean_text.h"

namespace analyze {

void PathSet::Add(const path::Request& request, std::span<const path::Part> parts) {
  const size_t bytes = sizeof(Entry) + parts.size_bytes() + request.name.size() +
                       request.category.size() + request.members.size();
  if (bytes > free_) {
    ++left_out_;
    return;
  }
  free_ -= bytes;
  entries_.push_back({request, {parts.begin(), parts.end()}});
}

std::string PathSet::ThreadName(facts::ThreadIndex thread) const {
  const std::string& name = reader_->names().thread_name(reader_->KoidOf(thread));
  return thread == facts::kNoThread || name.empty() ? "?" : text::CleanText(name);
}

std::string PathSet::ThreadWithId(facts::ThreadIndex thread) const {
  if (thread == facts::kNoThread) return "?";
  return fmt::format("{} {}", ThreadName(thread), TidOf(thread));
}

std::string PathSet::Text(path::Label label) const {
  return text::CleanText(reader_->labels().TextOf(label));
}

std::string PathSet::WaitedFor(const path::Part& part, bool with_id) const {
  if (part.kind == path::PartKind::kRunnable) {
    if (part.idle_cpu) return "idle CPU";
    if (part.holder == facts::kNoThread) return "";
    return with_id ? ThreadWithId(part.holder) : ThreadName(part.holder);
  }
  return Text(part.waited_for.what);
}

std::string PathSet::Describe(const path::Part& part, bool with_id) const {
  std::string text = path::NameOf(part.kind);
  const std::string waited_for = WaitedFor(part, with_id);
  if (part.kind == path::PartKind::kRunnable) {
    if (part.idle_cpu) return text + ": the CPU was idle";
    return waited_for.empty() ? text : fmt::format("{}: {} has the CPU", text, waited_for);
  }
  const std::string object = Text(part.waited_for.object);
  const std::string on = waited_for + (waited_for.empty() || object.empty() ? "" : " ") + object;
  const std::string stack = Text(part.waited_for.stack);
  const bool is_wait = part.kind != path::PartKind::kRunning;
  if (is_wait) {
    if (!on.empty()) text += ": " + on;
    if (!stack.empty()) text += fmt::format("{}{}", on.empty() ? ": in " : " in ", stack);
  } else if (part.waiter != facts::kNoThread) {
    text += " for " + (with_id ? ThreadWithId(part.waiter) : ThreadName(part.waiter));
    if (!on.empty()) text += fmt::format(" ({})", on);
  }
  return text;
}

}  // namespace analyze
