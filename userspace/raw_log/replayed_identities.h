// SPDX-License-Identifier: BSD-2-Clause
// Answers questions as they were answered when a raw log was written.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fxt_record/event.h"
#include "model/identity_source.h"
#include "raw_log/raw_log_format.h"
#include "util/byte_cursor.h"

namespace raw_log {

// Each answer is given once, in the order of the log; who asks more often than was asked then gets
// the last one again, and who asks what was not asked gets none.
class ReplayedIdentities final : public model::IdentitySource {
 public:
  // An answer, as an item of the log has it. False when it is not whole.
  bool Take(ItemKind kind, util::Bytes item);

  model::ProcessText TextOf(uint32_t tgid) override { return texts_.Next(tgid); }
  std::optional<fxr_task> LookUp(uint32_t tid) override { return tasks_.Next(tid); }
  std::string CgroupPath(uint64_t id) override { return cgroups_.Next(id); }
  std::string IrqName(uint32_t irq) override { return irqs_.Next(irq); }
  std::vector<model::ExecutableMapping> MappingsOf(uint32_t tgid) override {
    return mappings_.Next(tgid);
  }

 private:
  template <typename Key, typename Answer>
  class Answers {
   public:
    void Add(Key key, Answer answer) { kept_[key].waiting.push_back(std::move(answer)); }
    Answer Next(Key key) {
      const auto found = kept_.find(key);
      if (found == kept_.end()) return Answer{};
      auto& [waiting, last] = found->second;
      if (!waiting.empty()) {
        last = std::move(waiting.front());
        waiting.pop_front();
      }
      return last;
    }

   private:
    struct Kept {
      std::deque<Answer> waiting;
      Answer last{};
    };
    std::map<Key, Kept> kept_;
  };

  Answers<uint32_t, model::ProcessText> texts_;
  Answers<uint32_t, std::optional<fxr_task>> tasks_;
  Answers<uint64_t, std::string> cgroups_;
  Answers<uint32_t, std::string> irqs_;
  Answers<uint32_t, std::vector<model::ExecutableMapping>> mappings_;
};

}  // namespace raw_log
