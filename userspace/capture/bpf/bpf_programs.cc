// SPDX-License-Identifier: BSD-2-Clause
#include "capture/bpf/bpf_programs.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <utility>

#include "capture/bpf/skeleton.h"
#include "fxt_record/event.h"
#include "util/cpu_list.h"

namespace capture {
namespace {

size_t WholePages(size_t bytes) {
  size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return (bytes + page - 1) / page * page;
}

// Memory of a map as the kernel reports it; 0 without /proc. Not usable for memory-mapped arrays:
// kernels 5.11 to 6.3 count a key per entry.
uint64_t MapMemoryBytes(int fd) {
  std::ifstream info(fmt::format("/proc/self/fdinfo/{}", fd));
  for (std::string key; info >> key;) {
    uint64_t bytes = 0;
    if (key == "memlock:") return info >> bytes ? bytes : 0;
  }
  return 0;
}

template <typename Key>
util::Status FillFilter(bpf_map* map, const std::vector<Key>& keys) {
  uint8_t present = 1;
  for (const Key& key : keys) {
    if (int error = bpf_map__update_elem(map, &key, sizeof(key), &present, sizeof(present), 0)) {
      return util::Error{fmt::format("cannot set the task filter: {}", strerror(-error)),
                         "at most 1024 values of a kind can be given"};
    }
  }
  return util::Ok();
}

}  // namespace

BpfPrograms::BpfPrograms(const RingSizes& sizes) : sizes_(sizes) {}

BpfPrograms::~BpfPrograms() {
  if (skeleton_) Detach();
  if (controls_) munmap(controls_, controls_bytes_);
  if (followed_) munmap(followed_, followed_bytes_);
  if (slots_) munmap(const_cast<fxr_slot*>(slots_), slots_bytes_);
}

util::Result<std::unique_ptr<BpfPrograms>> BpfPrograms::Load(const ProgramOptions& options,
                                                             const KernelFeatures& features) {
  const auto sizes = SizeRings(options.ring_bytes);
  if (!sizes) return sizes.error();
  auto skeleton = Skeleton::Open(options.verbose, *features.types);
  if (!skeleton) return skeleton.TakeError();
  (*skeleton)->SetSizes(*sizes);
  (*skeleton)->SetRingUse(options.ring_use, *sizes);
  (*skeleton)->SetFeatures(features, *sizes);
  (*skeleton)->SetFilters(options);
  (*skeleton)->SetStacks(features, options, *sizes);
  (*skeleton)->SetFaults(options);
  (*skeleton)->SetWaits(features, options);
  (*skeleton)->SetRequests(options);
  (*skeleton)->SetProbes(features, options);
  (*skeleton)->SetCounters(options, *sizes);
  if (!options.counters.empty() &&
      libbpf_probe_bpf_helper(BPF_PROG_TYPE_RAW_TRACEPOINT, BPF_FUNC_perf_event_read_value,
                              nullptr) == 0) {
    return util::Error{"this kernel's BPF programs cannot read counters (--counters)",
                       "a later kernel is needed"};
  }
  // Opened first, because these errors are more specific than the loader's.
  auto counters = CounterSet::Open(options.counters);
  if (!counters) return counters.TakeError();
  (*skeleton)->ChoosePrograms(options, features);
  const char* hint = options.verbose ? "" : "-v shows what the kernel's verifier says";
  if (util::Status status = (*skeleton)->Load(*sizes, hint); !status) return status.error();

  std::unique_ptr<BpfPrograms> self(new BpfPrograms(*sizes));
  self->skeleton_ = std::move(*skeleton);
  self->filter_ = options.filter;
  self->counters_ = std::move(*counters);
  if (util::Status status = self->skeleton_->FillCounters(self->counters_); !status) {
    return status.error();
  }
  if (util::Status status = self->skeleton_->FillProbes(); !status) return status.error();
  if (util::Status status = self->Map(); !status) return status.error();
  self->skeleton_->FillSyscallCode();
#if defined(__x86_64__)
  self->FindContexts(features.interrupt_mask);
#endif
  if (util::Status status = self->SetFilter(); !status) return status.error();
  return self;
}

util::Status BpfPrograms::SetFilter() {
  const auto& maps = (*skeleton_)->maps;
  // Ids of the initial namespace are invisible in a nested one.
  for (auto* ids : {&filter_.tids, &filter_.tgids}) {
    for (uint32_t& id : *ids) {
      if (tasks_->own_level() == 0) continue;
      const auto task = tasks_->FindByOwnId(id);
      id = task ? task->task.tid : kNoTask;
    }
  }
  for (const util::Status& status :
       {FillFilter(maps.filter_tids, filter_.tids), FillFilter(maps.filter_tgids, filter_.tgids),
        FillFilter(maps.filter_cgroups, filter_.cgroups)}) {
    if (!status) return status.error();
  }
  std::vector<std::array<char, FXR_COMM_BYTES>> comms;
  for (const std::string& comm : filter_.comms) {
    std::array<char, FXR_COMM_BYTES> key{};
    std::memcpy(key.data(), comm.data(), std::min<size_t>(comm.size(), FXR_COMM_BYTES - 1));
    comms.push_back(key);
  }
  return FillFilter(maps.filter_comms, comms);
}

util::Status BpfPrograms::Map() {
  const auto& maps = (*skeleton_)->maps;
  size_t controls_bytes = WholePages(sizes_.control_count * sizeof(fxr_ring_control));
  void* controls = mmap(nullptr, controls_bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
                        bpf_map__fd(maps.ring_controls), 0);
  if (controls == MAP_FAILED) {
    return util::Error{fmt::format("cannot map the rings' controls: {}", strerror(errno)), ""};
  }
  controls_ = static_cast<fxr_ring_control*>(controls);
  controls_bytes_ = controls_bytes;
  size_t slots_bytes = WholePages(size_t{sizes_.ring_count} * ring_bytes());
  void* slots = mmap(nullptr, slots_bytes, PROT_READ, MAP_SHARED, bpf_map__fd(maps.slots), 0);
  if (slots == MAP_FAILED) {
    return util::Error{fmt::format("cannot map the rings: {}", strerror(errno)), ""};
  }
  slots_ = static_cast<const fxr_slot*>(slots);
  slots_bytes_ = slots_bytes;
  if (filter_.follows()) {
    followed_bytes_ = FXR_FOLLOWED_PAGES * sizeof(fxr_followed_page);
    void* followed = mmap(nullptr, followed_bytes_, PROT_READ | PROT_WRITE, MAP_SHARED,
                          bpf_map__fd(maps.followed_tasks), 0);
    if (followed == MAP_FAILED) {
      return util::Error{fmt::format("cannot map the followed tasks: {}", strerror(errno)), ""};
    }
    followed_ = static_cast<fxr_followed_page*>(followed);
  }
  if (skeleton_->has_unwinder()) {
    auto unwind = UnwindMaps::Map({.words = bpf_map__fd(maps.unwind_words),
                                   .modules = bpf_map__fd(maps.unwind_modules),
                                   .ranges = bpf_map__fd(maps.unwind_ranges),
                                   .processes = bpf_map__fd(maps.unwind_processes),
                                   .files = bpf_map__fd(maps.unwind_files),
                                   .python_layouts = bpf_map__fd(maps.python_layouts),
                                   .processes_age = &(*skeleton_)->bss->unwind_processes_age,
                                   .tables_age = &(*skeleton_)->bss->unwind_tables_age,
                                   .use_time = &(*skeleton_)->bss->unwind_use_time,
                                   .vdso = &(*skeleton_)->data->unwind_vdso});
    if (!unwind) return unwind.TakeError();
    unwind_ = std::move(*unwind);
  }
#if defined(__x86_64__)
  if (const int contexts = bpf_map__fd(maps.thread_contexts); contexts >= 0) {
    contexts_ = ThreadContextMap(contexts, &(*skeleton_)->bss->thread_context_processes);
  }
#endif
  auto tasks = TaskWalk::Map(skeleton_->task_walk_fd(), bpf_map__fd(maps.task_walk));
  if (!tasks) return tasks.TakeError();
  tasks_.emplace(std::move(*tasks));
  return util::Ok();
}

#if defined(__x86_64__)
// Runs find_context on `cpu`, or on any CPU if it is negative.
fxr_context_sample BpfPrograms::SampleContext(int cpu) {
  bpf_test_run_opts run{};
  run.sz = sizeof(run);
  if (cpu >= 0) {
    run.flags = BPF_F_TEST_RUN_ON_CPU;
    run.cpu = static_cast<uint32_t>(cpu);
  }
  volatile fxr_context_sample& sample = (*skeleton_)->bss->context_sample;
  sample.preempt_count = 0;
  sample.tid = 0;
  bpf_prog_test_run_opts(bpf_program__fd((*skeleton_)->progs.find_context), &run);
  return {sample.preempt_count, sample.tid};
}

void BpfPrograms::FindContexts(uint32_t interrupt_mask) {
  const uint32_t own_tid = SampleContext(-1).tid;
  bool is_wrong = false;
  for (const uint32_t cpu : util::ReadCpuList("online")) {
    if (cpu >= sizes_.control_count) continue;
    const fxr_context_sample sample = SampleContext(static_cast<int>(cpu));
    fxr_u64& address = controls_[cpu].preempt_count;
    // Also holds if the program could not run.
    if (address > FXR_PREEMPT_COUNT_HIDDEN && Contradicts(sample, own_tid, interrupt_mask)) {
      address = FXR_PREEMPT_COUNT_HIDDEN;
      is_wrong = true;
    }
    if (address <= FXR_PREEMPT_COUNT_HIDDEN) contextless_cpus_.push_back(cpu);
  }
  // For CPUs that come online later.
  __atomic_store_n(&(*skeleton_)->bss->interrupt_mask_is_wrong, is_wrong, __ATOMIC_RELEASE);
}
#endif

KernelClock BpfPrograms::clock() const {
  return KernelClock(bpf_program__fd((*skeleton_)->progs.read_clocks), &(*skeleton_)->bss->clocks);
}

KernelSymbols BpfPrograms::symbols() const { return skeleton_->symbols(); }

util::Status BpfPrograms::Attach() { return skeleton_->Attach(); }

std::vector<std::string> BpfPrograms::DescribeSkippedProbes() const {
  return skeleton_->DescribeSkippedProbes();
}

void BpfPrograms::SetPhase(fxr_phase phase) {
  __atomic_store_n(&(*skeleton_)->bss->phase, phase, __ATOMIC_SEQ_CST);
}

void BpfPrograms::BeginPythonGeneration() {
  __atomic_fetch_add(&(*skeleton_)->bss->python_age, 1, __ATOMIC_SEQ_CST);
}

uint64_t BpfPrograms::unended_sleeps() const {
  return __atomic_load_n(&(*skeleton_)->bss->unended_sleeps, __ATOMIC_RELAXED);
}

void BpfPrograms::BeginStackGeneration() {
  __atomic_fetch_add(&(*skeleton_)->bss->stack_age, 1, __ATOMIC_SEQ_CST);
}

void BpfPrograms::AnnounceConnections() {
  __atomic_fetch_add(&(*skeleton_)->bss->request_age, 1, __ATOMIC_SEQ_CST);
}

void BpfPrograms::Follow(uint32_t tid) {
  if (followed_ == nullptr || tid > FXR_TID_MASK) return;
  fxr_followed_page& page = followed_[tid >> FXR_FOLLOWED_SHIFT];
  __atomic_store_n(&page.tasks[tid % sizeof(page.tasks)], 1, __ATOMIC_RELEASE);
}

bool BpfPrograms::IsFollowed(uint32_t tid) const {
  if (followed_ == nullptr || tid > FXR_TID_MASK) return false;
  const fxr_followed_page& page = followed_[tid >> FXR_FOLLOWED_SHIFT];
  return __atomic_load_n(&page.tasks[tid % sizeof(page.tasks)], __ATOMIC_ACQUIRE) != 0;
}

void BpfPrograms::Detach() { skeleton_->Detach(); }

SlotRing BpfPrograms::MakeSlotRing(uint32_t cpu) const {
  return SlotRing(&controls_[cpu], slots_ + (size_t{cpu} << sizes_.ring_shift), sizes_.ring_shift);
}

uint64_t BpfPrograms::KernelMemoryBytes() const {
  const auto& maps = (*skeleton_)->maps;
  uint64_t bytes = slots_bytes_ + controls_bytes_ + sizes_.side_ring_bytes;
  bpf_map* map = nullptr;
  bpf_object__for_each_map(map, (*skeleton_)->obj) {
    if (map == maps.slots || map == maps.ring_controls || map == maps.side_ring) continue;
    bytes += MapMemoryBytes(bpf_map__fd(map));
  }
  bytes += unwind_.words_bytes();
  return bytes;
}

int BpfPrograms::sample_program_fd() const { return skeleton_->sample_program_fd(); }

int BpfPrograms::side_ring_fd() const { return bpf_map__fd((*skeleton_)->maps.side_ring); }

CategoryCounts BpfPrograms::RecursionMisses() const {
  CategoryCounts misses = skeleton_->RecursionMisses();
  // Read after the misses: counting one substitution too many hides a loss only until the next
  // time.
  uint64_t substituted = 0;
  for (uint32_t cpu = 0; skeleton_->has_stand_ins() && cpu < sizes_.control_count; ++cpu) {
    substituted += __atomic_load_n(&controls_[cpu].substituted, __ATOMIC_RELAXED);
  }
  uint64_t& missed = misses[FXR_CATEGORY_TASK];
  missed -= std::min(missed, substituted);
  return misses;
}

}  // namespace capture
