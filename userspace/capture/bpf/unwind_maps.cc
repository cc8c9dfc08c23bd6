// SPDX-License-Identifier: BSD-2-Clause
#include "capture/bpf/unwind_maps.h"

#include <bpf/bpf.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace capture {
namespace {

size_t RoundToPages(size_t bytes) {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return (bytes + page - 1) / page * page;
}

// Maps the elements of an array; empty on failure.
template <typename Element>
std::span<Element> MapArray(int fd) {
  bpf_map_info info{};
  uint32_t size = sizeof(info);
  if (bpf_obj_get_info_by_fd(fd, &info, &size) != 0) return {};
  const size_t bytes = size_t{info.max_entries} * info.value_size;
  void* memory = mmap(nullptr, RoundToPages(bytes), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (memory == MAP_FAILED) return {};
  return {static_cast<Element*>(memory), bytes / sizeof(Element)};
}

template <typename Element>
void Unmap(std::span<Element>* elements) {
  if (!elements->empty()) munmap(elements->data(), RoundToPages(elements->size_bytes()));
  *elements = {};
}

}  // namespace

util::Result<UnwindMaps> UnwindMaps::Map(const Sources& sources) {
  UnwindMaps maps;
  maps.sources_ = sources;
  maps.words_ = MapArray<fxr_u32>(sources.words);
  maps.modules_ = MapArray<fxr_unwind_module>(sources.modules);
  maps.ranges_ = MapArray<fxr_unwind_range>(sources.ranges);
  if (maps.words_.empty() || maps.modules_.empty() || maps.ranges_.empty()) {
    return util::Error{fmt::format("cannot map the unwind tables: {}", strerror(errno)), ""};
  }
  return maps;
}

UnwindMaps& UnwindMaps::operator=(UnwindMaps&& other) noexcept {
  std::swap(sources_, other.sources_);
  std::swap(words_, other.words_);
  std::swap(modules_, other.modules_);
  std::swap(ranges_, other.ranges_);
  return *this;
}

UnwindMaps::~UnwindMaps() {
  Unmap(&words_);
  Unmap(&modules_);
  Unmap(&ranges_);
}

bool UnwindMaps::SetProcess(uint32_t tgid, const fxr_unwind_process& process) {
  return bpf_map_update_elem(sources_.processes, &tgid, &process, BPF_ANY) == 0;
}

void UnwindMaps::RemoveProcess(uint32_t tgid) { bpf_map_delete_elem(sources_.processes, &tgid); }

void UnwindMaps::ChangeAge() { __atomic_fetch_add(sources_.tables_age, 1, __ATOMIC_SEQ_CST); }

void UnwindMaps::SetUseTime(uint32_t time) {
  __atomic_store_n(sources_.use_time, time, __ATOMIC_RELAXED);
}

}  // namespace capture
