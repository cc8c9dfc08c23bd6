// SPDX-License-Identifier: BSD-2-Clause
#include "unwind/table_maker.h"

#include <elf.h>
#include <fcntl.h>

#include <cstring>
#include <utility>
#include <vector>

#include "symbols/elf_file.h"
#include "util/unique_fd.h"

namespace unwind {
namespace {

using Bytes = util::IsolatedWorker::Bytes;

bool MakeReply(int file, Bytes* reply) {
  auto elf = symbols::ElfFile::FromDescriptor(util::UniqueFd(fcntl(file, F_DUPFD_CLOEXEC, 0)));
  if (!elf) return false;
    // Rules of other machines are not those of the programs.
#if defined(__x86_64__)
  constexpr uint16_t kMachine = EM_X86_64;
#elif defined(__aarch64__)
  constexpr uint16_t kMachine = EM_AARCH64;
#else
  constexpr uint16_t kMachine = EM_NONE;
#endif
  *reply = EncodeTable(elf->machine() == kMachine ? UnwindTable::Read(*elf) : UnwindTable());
  return true;
}

}  // namespace

Bytes EncodeTable(const UnwindTable& table) {
  if (table.empty()) return {};
  const UnwindTable::Shape shape = table.shape();
  Bytes bytes(sizeof(shape) + table.words().size_bytes());
  std::memcpy(bytes.data(), &shape, sizeof(shape));
  std::memcpy(bytes.data() + sizeof(shape), table.words().data(), table.words().size_bytes());
  return bytes;
}

std::optional<UnwindTable> DecodeTable(std::span<const std::byte> bytes) {
  if (bytes.empty()) return UnwindTable();
  UnwindTable::Shape shape;
  if (bytes.size() < sizeof(shape) || (bytes.size() - sizeof(shape)) % sizeof(fxr_u32) != 0)
    return std::nullopt;
  std::memcpy(&shape, bytes.data(), sizeof(shape));
  auto words =
      std::make_shared<std::vector<fxr_u32>>((bytes.size() - sizeof(shape)) / sizeof(fxr_u32));
  if (!words->empty())
    std::memcpy(words->data(), bytes.data() + sizeof(shape), bytes.size() - sizeof(shape));
  const std::span<const fxr_u32> view(words->data(), words->size());
  return UnwindTable::Restore(shape, view, std::move(words));
}

util::Result<std::unique_ptr<TableMaker>> TableMaker::Start() {
  auto worker = util::IsolatedWorker::Start(MakeReply, {});
  if (!worker) return worker.TakeError();
  return std::unique_ptr<TableMaker>(new TableMaker(std::move(*worker)));
}

std::optional<UnwindTable> TableMaker::Make(int file) {
  const auto reply = worker_->Call(file);
  return reply ? DecodeTable(*reply) : std::nullopt;
}

}  // namespace unwind
