// SPDX-License-Identifier: BSD-2-Clause
#include "facts/timeline/fast_path_tables.h"

#include <algorithm>
#include <string>

#include "schema/koid.h"
#include "schema/names.h"

namespace facts {

FastPathTables::Table& FastPathTables::Find(const fxt::ReaderProvider& provider) {
  const auto found = std::find_if(tables_.begin(), tables_.end(),
                                  [&](const auto& table) { return table->provider == &provider; });
  Table* table = nullptr;
  if (found != tables_.end()) {
    table = found->get();
  } else if (tables_.size() < kMaxTables) {
    table = tables_.emplace_back(std::make_unique<Table>()).get();
  } else {
    table = tables_[next_++ % kMaxTables].get();
  }
  if (table->provider != &provider || table->definitions != provider.definitions()) {
    *table = {.provider = &provider,
              .definitions = provider.definitions(),
              .is_recorder = provider.name() == schema::kRecorderName,
              .slots = {}};
  }
  return *table;
}

bool FastPathTables::Resolve(Table& table, uint8_t slot, const TimelineState& timeline) {
  if (!table.provider->has_thread(slot)) return false;
  const fxt::ReaderProvider::ThreadIds& ids = table.provider->thread(slot);
  if (schema::GenerationOfKoid(ids.thread) == schema::kLostGeneration) return false;
  const ThreadIndex index = timeline.Find(ids.thread);
  if (index == kNoThread) return false;
  table.slots[slot] = {index, ids.process};
  return true;
}

bool FastPathTables::LookUpWaker(Table& table, uint16_t name) {
  const std::string* text = table.provider->FindString(name);
  if (text == nullptr || *text != schema::argument::kWaker) return false;
  table.waker_name = name;
  return true;
}

bool FastPathTables::LookUpNetRx(Table& table, uint16_t name, uint16_t text) {
  const std::string* argument = table.provider->FindString(name);
  const std::string* value = table.provider->FindString(text);
  if (argument == nullptr || *argument != schema::argument::kVia) return false;
  if (value == nullptr || *value != schema::argument::kNetRx) return false;
  table.via_name = name;
  table.net_rx = text;
  return true;
}

}  // namespace facts
