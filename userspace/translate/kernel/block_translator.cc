// SPDX-License-Identifier: BSD-2-Clause
#include "translate/kernel/block_translator.h"

#include <array>

#include "schema/koid.h"

namespace translate {
namespace {

constexpr uint64_t kNoSector = ~uint64_t{0};

// include/linux/blk_types.h: enum req_op
std::string_view OperationName(uint8_t operation) {
  switch (operation) {
    case 0:
      return "read";
    case 1:
      return "write";
    case 2:
      return "flush";
    case 3:
      return "discard";
    case 5:
      return "secure_erase";
    case 7:
      return "zone_append";
    case 9:
      return "write_zeroes";
    case 34:
      return "driver_in";
    case 35:
      return "driver_out";
    default:
      return "request";
  }
}

}  // namespace

model::ThreadHandle BlockTranslator::DeviceOf(std::string_view disk) {
  // Disks whose name cannot be read share a track.
  if (disk.empty()) disk = "(unnamed)";
  const auto known = devices_.find(disk);
  if (known != devices_.end()) return known->second;
  model::TaskTable& table = file_.tasks();
  if (process_ == model::kNoHandle) {
    process_ = table.PseudoProcess(schema::kDeviceProcessKoid, "block devices");
  }
  const auto number = static_cast<uint32_t>(devices_.size());
  const std::string name(disk);
  return devices_.emplace(name, table.PseudoThread(process_, schema::DeviceKoid(number), name))
      .first->second;
}

void BlockTranslator::Begin(uint64_t time, const fxr_block_long& request, std::string_view disk,
                            model::ThreadHandle interrupt_track) {
  const Open open{.id = ++last_id_,
                  .sector = request.sector,
                  .device = DeviceOf(disk),
                  .operation = static_cast<uint8_t>(request.operation),
                  .issued = request.kind == FXR_BLOCK_ISSUE};
  requests_[request.request] = open;
  const fxt::Koid thread =
      file_.KoidOf(request.tid == 0 ? interrupt_track : tasks_.Thread(request.tid));
  OpenRecord record = file_.Begin(open.device);
  const bool has_sector = request.sector != kNoSector;
  const std::array arguments = {
      fxt::Argument{record.Intern("thread"), fxt::KoidValue{thread}},
      fxt::Argument{record.Intern("bytes"), uint32_t{request.length}},
      fxt::Argument{record.Intern("flags"), uint32_t{request.operation >> 8}},
      fxt::Argument{record.Intern("sector"), uint64_t{request.sector}}};
  record.Write(fxt::Event{.type = fxt::EventType::kAsyncBegin,
                          .timestamp = time,
                          .thread = record.thread(),
                          .category = record.Ref(FXR_CATEGORY_BLOCK),
                          .name = record.Intern(OperationName(open.operation)),
                          .arguments = {arguments.data(), arguments.size() - (has_sector ? 0 : 1)},
                          .payload = open.id});
}

void BlockTranslator::End(uint64_t time, const Open& open, std::string_view argument,
                          int32_t value) {
  OpenRecord record = file_.Begin(open.device);
  const fxt::Argument written{record.Intern(argument), value};
  record.Write(fxt::Event{.type = fxt::EventType::kAsyncEnd,
                          .timestamp = time,
                          .thread = record.thread(),
                          .category = record.Ref(FXR_CATEGORY_BLOCK),
                          .name = record.Intern(OperationName(open.operation)),
                          .arguments = {&written, 1},
                          .payload = open.id});
}

bool BlockTranslator::OnRequest(uint64_t time, const fxr_block_long& request, std::string_view disk,
                                model::ThreadHandle interrupt_track) {
  const auto found = requests_.find(request.request);
  const bool ends = request.kind == FXR_BLOCK_COMPLETE || request.kind == FXR_BLOCK_MERGE;
  if (found == requests_.end()) {
    if (ends) return false;
    Begin(time, request, disk, interrupt_track);
    return true;
  }
  Open& open = found->second;
  if (request.kind == FXR_BLOCK_MERGE ||
      (request.kind == FXR_BLOCK_COMPLETE && request.left == 0)) {
    if (ends && request.kind == FXR_BLOCK_MERGE) {
      End(time, open, "merged", 1);
    } else {
      End(time, open, "error", request.error);
    }
    requests_.erase(found);
    return true;
  }
  // The end of the old request was lost, and the kernel reused its memory.
  if (!ends && open.sector != request.sector) {
    End(time, open, "lost", 1);
    Begin(time, request, disk, interrupt_track);
    return true;
  }
  // An intermediate step: issued, requeued, or partly completed.
  std::string_view station = "insert";
  if (request.kind == FXR_BLOCK_ISSUE) station = open.issued ? "issue_again" : "issue";
  if (request.kind == FXR_BLOCK_COMPLETE) station = "complete_partly";
  open.issued = open.issued || request.kind == FXR_BLOCK_ISSUE;
  if (request.kind == FXR_BLOCK_COMPLETE) open.sector += request.length / 512;
  OpenRecord record = file_.Begin(open.device);
  const fxt::Argument left{record.Intern("bytes"), uint32_t{request.length}};
  record.Write(fxt::Event{.type = fxt::EventType::kAsyncInstant,
                          .timestamp = time,
                          .thread = record.thread(),
                          .category = record.Ref(FXR_CATEGORY_BLOCK),
                          .name = record.Intern(station),
                          .arguments = {&left, 1},
                          .payload = open.id});
  return true;
}

}  // namespace translate
