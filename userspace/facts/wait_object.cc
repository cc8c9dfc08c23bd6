// SPDX-License-Identifier: BSD-2-Clause
#include "facts/wait_object.h"

#include <variant>

#include "facts/scheduling.h"
#include "fxt/utf8.h"
#include "schema/wait_object.h"

namespace facts {

std::string WaitObject::Text() const {
  const std::string& thing = object.empty() ? kind : object;
  if (syscall.empty() || thing.empty()) return syscall + thing;
  return syscall + " " + thing;
}

std::optional<WaitObject> AsWaitObject(const fxt::Event& event) {
  if (event.type != fxt::EventType::kInstant || event.category.text != schema::category::kWait ||
      event.name.text != schema::event::kWaited) {
    return std::nullopt;
  }
  const auto text = [&](std::string_view name) {
    const auto found = TextOf(FindArgument(event.arguments, name)).value_or(std::string_view());
    return std::string(fxt::CutUtf8(found, WaitObject::kMaxTextBytes));
  };
  WaitObject object{.syscall = text(schema::argument::kSyscall),
                    .kind = text(schema::argument::kObjectKind),
                    .object = text(schema::argument::kObject),
                    .function = text(schema::argument::kFunction),
                    .peer = KoidOf(FindArgument(event.arguments, schema::argument::kPeer)),
                    .asked = std::nullopt};
  const fxt::Argument* asked = FindArgument(event.arguments, schema::argument::kAsked);
  if (asked != nullptr) {
    if (const auto* ns = std::get_if<uint64_t>(&asked->value)) object.asked = *ns;
  }
  return object;
}

}  // namespace facts
