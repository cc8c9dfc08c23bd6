// SPDX-License-Identifier: BSD-2-Clause
#include "capture/bpf/unwind_maps.h"

#include <bpf/bpf.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "util/unique_fd.h"

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

constexpr size_t kChunkBytes = size_t{FXR_UNWIND_CHUNK_WORDS} * sizeof(fxr_u32);

// Reserves the addresses of all words of an array of chunks; empty on failure.
std::span<fxr_u32> ReserveWords(int fd) {
  bpf_map_info info{};
  uint32_t size = sizeof(info);
  if (bpf_obj_get_info_by_fd(fd, &info, &size) != 0) return {};
  const size_t bytes = info.max_entries * kChunkBytes;
  void* memory =
      mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return {};
  return {static_cast<fxr_u32*>(memory), bytes / sizeof(fxr_u32)};
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
  maps.words_ = ReserveWords(sources.words);
  maps.chunks_.resize(maps.words_.size() / FXR_UNWIND_CHUNK_WORDS);
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
  std::swap(chunks_, other.chunks_);
  std::swap(python_layouts_, other.python_layouts_);
  std::swap(modules_, other.modules_);
  std::swap(ranges_, other.ranges_);
  return *this;
}

UnwindMaps::~UnwindMaps() {
  Unmap(&words_);
  Unmap(&modules_);
  Unmap(&ranges_);
}

bool UnwindMaps::ProvideWords(uint32_t first, uint32_t count) {
  if (count == 0) return true;
  for (uint32_t chunk = first / FXR_UNWIND_CHUNK_WORDS;
       chunk <= (first + count - 1) / FXR_UNWIND_CHUNK_WORDS; ++chunk) {
    if (chunk >= chunks_.size()) return false;
    if (chunks_[chunk]) continue;
    bpf_map_create_opts options{};
    options.sz = sizeof(options);
    options.map_flags = BPF_F_MMAPABLE;
    // The array and the mapping keep it.
    const util::UniqueFd map(bpf_map_create(BPF_MAP_TYPE_ARRAY, "unwind_chunk", sizeof(uint32_t),
                                            sizeof(fxr_unwind_block), FXR_UNWIND_CHUNK_BLOCKS,
                                            &options));
    if (!map) return false;
    void* place = words_.data() + size_t{chunk} * FXR_UNWIND_CHUNK_WORDS;
    if (mmap(place, kChunkBytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, map.get(), 0) ==
        MAP_FAILED) {
      return false;
    }
    const int fd = map.get();
    if (bpf_map_update_elem(sources_.words, &chunk, &fd, BPF_ANY) != 0) return false;
    chunks_[chunk] = true;
  }
  return true;
}

void UnwindMaps::WriteWords(uint32_t first, std::span<const fxr_u32> words) {
  fxr_u32* place = words_.data() + first;
  // The kernel writes by its own mapping of all memory. To touch each page by this process's
  // mapping takes up to 30 times as long in virtual machines with shadow page tables.
  const iovec from{const_cast<fxr_u32*>(words.data()), words.size_bytes()};
  const iovec to{place, words.size_bytes()};
  if (process_vm_writev(getpid(), &from, 1, &to, 1, 0) ==
      static_cast<ssize_t>(words.size_bytes())) {
    return;
  }
  std::ranges::copy(words, place);
}

uint64_t UnwindMaps::words_bytes() const {
  return static_cast<uint64_t>(std::ranges::count(chunks_, true)) * kChunkBytes;
}

bool UnwindMaps::SetProcess(uint32_t tgid, const fxr_unwind_process& process) {
  const bool is_set = bpf_map_update_elem(sources_.processes, &tgid, &process, BPF_ANY) == 0;
  __atomic_fetch_add(sources_.processes_age, 1, __ATOMIC_SEQ_CST);
  return is_set;
}

void UnwindMaps::RemoveProcess(uint32_t tgid) {
  bpf_map_delete_elem(sources_.processes, &tgid);
  __atomic_fetch_add(sources_.processes_age, 1, __ATOMIC_SEQ_CST);
}

void UnwindMaps::SetFile(const fxr_unwind_file& file, uint32_t module) {
  bpf_map_update_elem(sources_.files, &file, &module, BPF_ANY);
}

void UnwindMaps::RemoveFile(const fxr_unwind_file& file) {
  bpf_map_delete_elem(sources_.files, &file);
}

void UnwindMaps::SetVdso(uint32_t module) {
  __atomic_store_n(sources_.vdso, module, __ATOMIC_RELAXED);
}

std::optional<uint32_t> UnwindMaps::AddPythonLayout(const fxr_python_layout& layout) {
  const auto same = [&](const fxr_python_layout& known) {
    return std::memcmp(&known, &layout, sizeof(layout)) == 0;
  };
  const auto found = std::ranges::find_if(python_layouts_, same);
  const auto number = static_cast<uint32_t>(found - python_layouts_.begin());
  if (found != python_layouts_.end()) return number;
  if (number >= FXR_PYTHON_LAYOUTS ||
      bpf_map_update_elem(sources_.python_layouts, &number, &layout, BPF_ANY) != 0) {
    return std::nullopt;
  }
  python_layouts_.push_back(layout);
  return number;
}

void UnwindMaps::ChangeAge() { __atomic_fetch_add(sources_.tables_age, 1, __ATOMIC_SEQ_CST); }

void UnwindMaps::SetUseTime(uint32_t time) {
  __atomic_store_n(sources_.use_time, time, __ATOMIC_RELAXED);
}

}  // namespace capture
