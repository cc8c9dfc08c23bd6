// SPDX-License-Identifier: BSD-2-Clause
#include "raw_log/replayed_identities.h"

#include <string_view>

#include "raw_log/item_cursor.h"

namespace raw_log {

bool ReplayedIdentities::Take(ItemKind kind, util::Bytes bytes) {
  ItemCursor item(bytes);
  uint32_t key = 0;
  std::string_view text;
  switch (kind) {
    case ItemKind::kText: {
      model::ProcessText answer;
      std::string_view cmdline;
      item.Value(&key).Text(&text).Text(&cmdline).Value(&answer.cmdline.length);
      answer.executable = text;
      // Whoever wrote the log cut it to this; file records rely on it.
      if (!item.IsWhole() || cmdline.size() > model::kMaxCommandLineBytes) return false;
      answer.cmdline.text = cmdline;
      texts_.Add(key, std::move(answer));
      return true;
    }
    case ItemKind::kLookUp: {
      std::optional<fxr_task> answer;
      item.Value(&key).Maybe(&answer);
      if (!item.IsWhole()) return false;
      tasks_.Add(key, answer);
      return true;
    }
    case ItemKind::kCgroupPath: {
      uint64_t id = 0;
      item.Value(&id).Text(&text);
      if (!item.IsWhole()) return false;
      cgroups_.Add(id, std::string(text));
      return true;
    }
    case ItemKind::kIrqName: {
      item.Value(&key).Text(&text);
      if (!item.IsWhole()) return false;
      irqs_.Add(key, std::string(text));
      return true;
    }
    case ItemKind::kMappings: {
      std::vector<model::ExecutableMapping> answer;
      item.Value(&key);
      while (item.has_more()) {
        model::ExecutableMapping& mapping = answer.emplace_back();
        item.Value(&mapping.start).Value(&mapping.size).Value(&mapping.file_offset).Text(&text);
        item.Values(&mapping.build_id);
        mapping.file = text;
      }
      if (!item.IsWhole()) return false;
      mappings_.Add(key, std::move(answer));
      return true;
    }
    default:
      return false;
  }
}

}  // namespace raw_log
