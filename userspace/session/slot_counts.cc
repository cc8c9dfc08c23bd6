// SPDX-License-Identifier: BSD-2-Clause
#include "session/slot_counts.h"

#include <algorithm>
#include <numeric>

#include "fxt_record/slot_body.h"
#include "schema/event_info.h"
#include "schema/side_event.h"

namespace session {

void SlotCounts::Update(std::span<const capture::SlotRing> rings) {
  counted_.resize(rings.size());
  for (size_t i = 0; i < rings.size(); ++i) CountRing(rings[i], counted_[i]);
}

void SlotCounts::CountRing(const capture::SlotRing& ring, uint64_t& counted) {
  const uint64_t head = ring.LiveHead();
  const uint64_t looked_at = std::min({head - counted, kMost, ring.capacity()});
  if (looked_at == 0) return;
  std::array<uint64_t, FXR_SLOT_TYPES> types{};
  for (uint64_t position = head - looked_at; position != head; ++position) {
    const uint32_t type = fxr_type_of(ring.Read(position).commit);
    if (type < types.size()) ++types[type];
  }
  CategoryCounts found{};
  for (uint32_t type = 0; type < types.size(); ++type) {
    found[schema::SlotInfoOf(type).category] += types[type];
  }
  found[FXR_CATEGORY_OTHER] = 0;
  const auto known = std::accumulate(found.begin(), found.end(), uint64_t{0});
  const uint64_t came = head - counted;
  for (uint32_t category = 0; category < FXR_CATEGORIES && known > 0; ++category) {
    const double share = static_cast<double>(found[category]) / static_cast<double>(known);
    counts_[category] += came == looked_at
                             ? found[category]
                             : static_cast<uint64_t>(share * static_cast<double>(came));
  }
  counted = head;
}

void SlotCounts::Count(const fxr_side_header& header) {
  if ((header.flags & FXR_SIDE_NAMES_ONLY) != 0) return;
  schema::VisitSideEvent(
      header, schema::Overloaded{
                  [this](const fxr_task&) { ++counts_[FXR_CATEGORY_TASK]; },
                  [this](const fxr_exec&) { ++counts_[FXR_CATEGORY_TASK]; },
                  [this](const fxr_rename&) { ++counts_[FXR_CATEGORY_TASK]; },
                  [this](const fxr_exit&) { ++counts_[FXR_CATEGORY_TASK]; },
                  [this](const fxr_log&) { ++counts_[FXR_CATEGORY_LOG]; },
                  [this](const fxr_side_slot& event) {
                    ++counts_[schema::SlotInfoOf(fxr_type_of(event.slot.commit)).category];
                  },
                  [this](const fxr_long& event) {
                    if (event.category < FXR_CATEGORIES) ++counts_[event.category];
                  },
                  [](const auto&) {},
              });
}

}  // namespace session
