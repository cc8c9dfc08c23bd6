// SPDX-License-Identifier: BSD-2-Clause
#include "path/part_text.h"

#include <fmt/format.h>

#include "fxt/utf8.h"
#include "text/clean_text.h"

namespace path {

std::string PartText::Thread(facts::ThreadIndex thread, Names names) const {
  if (thread == facts::kNoThread) return "?";
  const std::string& name = builder_->names().thread_name(builder_->KoidOf(thread));
  const std::string shown = name.empty() ? "?" : text::CleanText(fxt::CutUtf8(name, kMaxNameBytes));
  return names == Names::kAlone ? shown : fmt::format("{} {}", shown, TidOf(thread));
}

std::string PartText::Text(Label label) const {
  return text::CleanText(builder_->labels().TextOf(label));
}

std::string PartText::WaitedFor(const Part& part, const Namer& namer) const {
  if (part.kind == PartKind::kRunnable) {
    if (part.idle_cpu) return "idle CPU";
    if (part.holder == facts::kNoThread) return "";
    return namer(part.holder);
  }
  return Text(part.waited_for.what);
}

std::string PartText::Describe(const Part& part, const Namer& namer,
                               const std::string& object) const {
  std::string text = NameOf(part.kind);
  const std::string waited_for = WaitedFor(part, namer);
  if (part.kind == PartKind::kRunnable) {
    if (part.idle_cpu) return text + ": the CPU was idle";
    return waited_for.empty() ? text : fmt::format("{}: {} has the CPU", text, waited_for);
  }
  const std::string on = waited_for + (waited_for.empty() || object.empty() ? "" : " ") + object;
  const std::string stack = Text(part.waited_for.stack);
  const bool is_wait = part.kind != PartKind::kRunning;
  if (is_wait) {
    if (!on.empty()) text += ": " + on;
    if (!stack.empty()) text += fmt::format("{}{}", on.empty() ? ": in " : " in ", stack);
  } else if (part.waiter != facts::kNoThread) {
    text += " for " + namer(part.waiter);
    if (!on.empty()) text += fmt::format(" ({})", on);
  }
  return text;
}

}  // namespace path
