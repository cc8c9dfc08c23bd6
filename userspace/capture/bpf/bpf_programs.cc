// SPDX-License-Identifier: BSD-2-Clause
#include "capture/bpf/bpf_programs.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>

#include "fxt_record/event.h"

#include "bpf/recorder.skel.h"
#include "util/cpu_list.h"

namespace capture {
namespace {

int PrintToStderr(libbpf_print_level, const char* format, va_list arguments) {
  return vfprintf(stderr, format, arguments);
}

int PrintNothing(libbpf_print_level, const char*, va_list) { return 0; }

// A hot program has two forms, see bpf/ring.h.
struct HotProgram {
  fxr_category category;
  const char* name;
};

constexpr HotProgram kHotPrograms[] = {
    {FXR_CATEGORY_SCHED, "sched_switch"},     {FXR_CATEGORY_SCHED, "sched_waking"},
    {FXR_CATEGORY_SCHED, "sched_wakeup_new"}, {FXR_CATEGORY_SCHED, "sched_migrate_task"},
    {FXR_CATEGORY_IRQ, "irq_handler_entry"},  {FXR_CATEGORY_IRQ, "irq_handler_exit"},
    {FXR_CATEGORY_SOFTIRQ, "softirq_entry"},  {FXR_CATEGORY_SOFTIRQ, "softirq_exit"},
    {FXR_CATEGORY_SYSCALL, "sys_enter"},      {FXR_CATEGORY_SYSCALL, "sys_exit"},
};

constexpr const char* kIdentityPrograms[] = {"sched_process_fork", "sched_process_exec",
                                             "task_rename", "sched_process_exit"};

constexpr const char* kTaskWalkProgram = "walk_tasks";

// Tasks that can be between the first and the last program of a tracepoint at once.
constexpr uint32_t kMarksPerCpu = 256;
// Like a slot ring, it has to last for a quarter of a second without the collector, here of a storm
// of 30,000 tasks that come and go on each CPU every second, some of which execute programs.
constexpr uint64_t kSideRingBytesPerCpu = 2 << 20;
constexpr uint64_t kMaxSideRingBytes = 16 << 20;

size_t WholePages(size_t bytes) {
  size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return (bytes + page - 1) / page * page;
}

// Maps other than the rings, and programs.
constexpr uint64_t kOtherLockedBytes = 4 << 20;

// What the kernel says a map takes; 0 without /proc. For the maps that are memory of the size that
// was asked for it is no good: from 5.11 to 6.3 the kernel reckons a key with each of their
// entries.
uint64_t MapMemoryBytes(int fd) {
  std::ifstream info(fmt::format("/proc/self/fdinfo/{}", fd));
  for (std::string key; info >> key;) {
    uint64_t bytes = 0;
    if (key == "memlock:") return info >> bytes ? bytes : 0;
  }
  return 0;
}

// Whether it is the limit on locked memory that forbids a map of so many slots, which other maps
// are not forbidden by: before 5.11 the kernel counts maps as memory their user has locked.
bool LocksTooMuch(uint64_t slots) {
  rlimit limit{};
  if (getrlimit(RLIMIT_MEMLOCK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return false;
  bpf_map_create_opts options{};
  options.sz = sizeof(options);
  options.map_flags = BPF_F_MMAPABLE;
  util::UniqueFd small(
      bpf_map_create(BPF_MAP_TYPE_ARRAY, "fxr_probe", 4, sizeof(fxr_slot), 1, &options));
  if (!small) return errno == EPERM && limit.rlim_cur < 65536;
  util::UniqueFd large(bpf_map_create(BPF_MAP_TYPE_ARRAY, "fxr_probe", 4, sizeof(fxr_slot),
                                      static_cast<uint32_t>(slots), &options));
  return !large && errno == EPERM;
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

uint64_t DefaultRingBytes(uint32_t cpus) {
  constexpr uint64_t kTotal = 128 << 20;
  constexpr uint64_t kMost = 8 << 20;
  constexpr uint64_t kLeast = 1 << 20;
  return std::clamp(std::bit_floor(kTotal / std::max(cpus, 1u)), kLeast, kMost);
}

struct BpfPrograms::Skeleton {
  recorder_bpf* bpf = nullptr;
  std::vector<bpf_link*> links;
  std::vector<bpf_program*> identity;
  std::vector<bpf_program*> stand_ins;  // of these, see bpf/task.bpf.c
  std::vector<bpf_program*> events;
  std::map<const bpf_program*, uint32_t> category_of;

  ~Skeleton() {
    for (bpf_link* link : links) bpf_link__destroy(link);
    recorder_bpf::destroy(bpf);
  }
  util::Status Attach(const std::vector<bpf_program*>& programs) {
    for (bpf_program* program : programs) {
      bpf_link* link = bpf_program__attach(program);
      if (!link) {
        const int error = errno;
        if (error == EMFILE) return ExplainRefusal(error, "");
        return util::Error{fmt::format("cannot attach BPF program {}: {}",
                                       bpf_program__name(program), strerror(error)),
                           ""};
      }
      links.push_back(link);
    }
    return util::Ok();
  }
};

BpfPrograms::BpfPrograms() : skeleton_(std::make_unique<Skeleton>()) {}

BpfPrograms::~BpfPrograms() {
  Detach();
  if (controls_) munmap(controls_, controls_bytes_);
  if (followed_) munmap(followed_, followed_bytes_);
  if (slots_) munmap(const_cast<fxr_slot*>(slots_), slots_bytes_);
}

util::Result<std::unique_ptr<BpfPrograms>> BpfPrograms::Load(const ProgramOptions& options,
                                                             const KernelFeatures& features) {
  libbpf_set_print(options.verbose ? PrintToStderr : PrintNothing);
  std::unique_ptr<BpfPrograms> self(new BpfPrograms());
  Skeleton& skeleton = *self->skeleton_;
  skeleton.bpf = recorder_bpf::open();
  if (!skeleton.bpf) {
    return util::Error{fmt::format("cannot open the BPF object: {}", strerror(errno)), ""};
  }
  const auto& maps = skeleton.bpf->maps;
  auto& settings = *skeleton.bpf->rodata;

  self->control_count_ = util::ReadCpuList("possible").back() + 1;
  self->ring_count_ = std::min(util::ReadCpuList("present").back() + 1, self->control_count_);
  uint64_t ring_bytes =
      options.ring_bytes ? options.ring_bytes : DefaultRingBytes(self->ring_count_);
  self->ring_shift_ =
      static_cast<unsigned>(std::countr_zero(std::bit_ceil(ring_bytes / sizeof(fxr_slot))));
  // A person who asks for small rings gets small ones all over.
  self->side_ring_bytes_ =
      std::min(std::bit_ceil(self->ring_count_ *
                             std::clamp<uint64_t>(ring_bytes, 4096, kSideRingBytesPerCpu)),
               kMaxSideRingBytes);

  uint64_t slots = uint64_t{1} << self->ring_shift_;
  if (slots * self->ring_count_ > UINT32_MAX) {
    return util::Error{fmt::format("{} rings of {} MiB are more than one map can hold",
                                   self->ring_count_, self->ring_bytes() >> 20),
                       "ask for smaller ones with --buffer-size"};
  }
  bpf_map__set_max_entries(maps.slots, static_cast<uint32_t>(slots * self->ring_count_));
  bpf_map__set_max_entries(maps.ring_controls, self->control_count_);
  bpf_map__set_max_entries(maps.side_ring, static_cast<uint32_t>(self->side_ring_bytes_));
  self->has_stand_ins_ = features.preemptible_tracepoints;
  settings.programs_have_stand_ins = self->has_stand_ins_;
  // Tasks mark where they run: CPUs that are not there need no room.
  if (self->has_stand_ins_) bpf_map__set_max_entries(maps.marks, self->ring_count_ * kMarksPerCpu);
  settings.slots_per_ring_shift = self->ring_shift_;
  settings.ring_count = self->ring_count_;
  settings.slots_wakeup_fill = slots / 4;
  settings.side_wakeup_bytes = static_cast<uint32_t>(self->side_ring_bytes_ / 4);
  settings.switch_has_state_argument = features.switch_has_state_argument;
  if (features.per_cpu) {
    settings.per_cpu_places_known = true;
    settings.runqueues_place = features.per_cpu->runqueues;
    settings.cpu_number_place = features.per_cpu->cpu_number;
    settings.preempt_count_place = features.per_cpu->preempt_count;
  }
  settings.has_rdonly_cast = features.rdonly_cast;
  settings.filter_by_tid = !options.filter.tids.empty();
  settings.filter_by_tgid = !options.filter.tgids.empty();
  settings.filter_by_comm = !options.filter.comms.empty();
  settings.filter_by_cgroup = !options.filter.cgroups.empty();
  settings.filter_by_followed = options.filter.follows();
  settings.follow_named = options.filter.follow;
  if (options.filter.follows()) {
    bpf_map__set_max_entries(maps.followed_tasks, FXR_FOLLOWED_PAGES);
    self->followed_bytes_ = FXR_FOLLOWED_PAGES * sizeof(fxr_followed_page);
  }
  settings.filter_syscalls = !options.syscall_numbers.empty();
  for (uint32_t number : options.syscall_numbers) {
    size_t word = number / 64;
    if (word < std::size(settings.syscalls_wanted)) {
      settings.syscalls_wanted[word] |= uint64_t{1} << (number % 64);
    }
  }

  bpf_program* program = nullptr;
  bpf_object__for_each_program(program, skeleton.bpf->obj)
      bpf_program__set_autoload(program, false);
  auto use = [&](const std::string& name, std::vector<bpf_program*>* group,
                 uint32_t category = FXR_CATEGORY_TASK) {
    bpf_program* used = bpf_object__find_program_by_name(skeleton.bpf->obj, name.c_str());
    bpf_program__set_autoload(used, true);
    if (group) group->push_back(used);
    skeleton.category_of[used] = category;
  };
  for (const HotProgram& hot : kHotPrograms) {
    if (!options.categories.test(hot.category)) continue;
    std::string name = hot.name;
    if (hot.category == FXR_CATEGORY_SCHED && !options.sched_events.empty() &&
        std::none_of(options.sched_events.begin(), options.sched_events.end(),
                     [&](const std::string& event) {
                       return name == "sched_" + event || name == "sched_" + event + "_task";
                     })) {
      continue;
    }
    if (!features.atomic_fetch) name += "_flag";
    use(name, &skeleton.events, hot.category);
  }
  if (options.categories.test(FXR_CATEGORY_LOG)) use("console", &skeleton.events, FXR_CATEGORY_LOG);
  for (const char* name : kIdentityPrograms) {
    if (features.missing_tracepoints.contains(name)) continue;
    use(name, &skeleton.identity);
    for (const char* suffix : {"_2", "_3", "_4"}) {
      if (self->has_stand_ins_) use(name + std::string(suffix), &skeleton.stand_ins);
    }
  }
  use("read_clocks", nullptr);
  use("find_context", nullptr);
  if (features.cgroup_moves) use("cgroup_attach_task", &skeleton.identity);
  use(kTaskWalkProgram, nullptr);

  if (int error = recorder_bpf::load(skeleton.bpf)) {
    if (error == -EPERM && LocksTooMuch(slots * self->ring_count_)) {
      return util::Error{
          "the rings do not fit into this user's limit of locked memory",
          fmt::format("raise it with `ulimit -l {}`, run it as root, or ask for smaller rings with "
                      "--buffer-size (Linux 5.11 and later do not have this limit)",
                      (slots * self->ring_count_ * sizeof(fxr_slot) + self->side_ring_bytes_ +
                       kOtherLockedBytes) >>
                          10)};
    }
    if (error == -ENOMEM) {
      return util::Error{fmt::format("not enough kernel memory for {} rings of {} KiB",
                                     self->ring_count_, self->ring_bytes() >> 10),
                         "ask for smaller ones with --buffer-size"};
    }
    return ExplainRefusal(-error,
                          options.verbose ? "" : "-v shows what the kernel's verifier says");
  }
  if (util::Status status = self->Map(); !status) return status.error();
  if (util::Status status = self->SetFilter(options.filter); !status) return status.error();
  return self;
}

util::Status BpfPrograms::SetFilter(const TaskFilter& wanted) {
  const auto& maps = skeleton_->bpf->maps;
  filter_ = wanted;
  // Nobody outside of the namespace has these ids there.
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
  const auto& maps = skeleton_->bpf->maps;
  size_t controls_bytes = WholePages(control_count_ * sizeof(fxr_ring_control));
  void* controls = mmap(nullptr, controls_bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
                        bpf_map__fd(maps.ring_controls), 0);
  if (controls == MAP_FAILED) {
    return util::Error{fmt::format("cannot map the rings' controls: {}", strerror(errno)), ""};
  }
  controls_ = static_cast<fxr_ring_control*>(controls);
  controls_bytes_ = controls_bytes;
  size_t slots_bytes = WholePages(size_t{ring_count_} * ring_bytes());
  void* slots = mmap(nullptr, slots_bytes, PROT_READ, MAP_SHARED, bpf_map__fd(maps.slots), 0);
  if (slots == MAP_FAILED) {
    return util::Error{fmt::format("cannot map the rings: {}", strerror(errno)), ""};
  }
  slots_ = static_cast<const fxr_slot*>(slots);
  slots_bytes_ = slots_bytes;
  if (followed_bytes_ > 0) {
    void* followed = mmap(nullptr, followed_bytes_, PROT_READ | PROT_WRITE, MAP_SHARED,
                          bpf_map__fd(maps.followed_tasks), 0);
    if (followed == MAP_FAILED) {
      return util::Error{fmt::format("cannot map the followed tasks: {}", strerror(errno)), ""};
    }
    followed_ = static_cast<fxr_followed_page*>(followed);
  }
  const bpf_program* walk = bpf_object__find_program_by_name(skeleton_->bpf->obj, kTaskWalkProgram);
  auto tasks = TaskWalk::Map(bpf_program__fd(walk), bpf_map__fd(maps.task_walk));
  if (!tasks) return tasks.TakeError();
  tasks_.emplace(std::move(*tasks));
  return util::Ok();
}

void BpfPrograms::FindContexts() {
#if defined(__x86_64__)
  for (const uint32_t cpu : util::ReadCpuList("online")) {
    if (cpu >= control_count_) continue;
    bpf_test_run_opts run{};
    run.sz = sizeof(run);
    run.flags = BPF_F_TEST_RUN_ON_CPU;
    run.cpu = cpu;
    bpf_prog_test_run_opts(bpf_program__fd(skeleton_->bpf->progs.find_context), &run);
    // Also where it could not be run.
    if (controls_[cpu].preempt_count <= FXR_PREEMPT_COUNT_HIDDEN) contextless_cpus_.push_back(cpu);
  }
#endif
}

KernelClock BpfPrograms::clock() const {
  return KernelClock(bpf_program__fd(skeleton_->bpf->progs.read_clocks),
                     &skeleton_->bpf->bss->clocks);
}

util::Status BpfPrograms::Attach() {
  // Those that already emit come last: nobody drains the rings while this takes its time.
  if (util::Status status = skeleton_->Attach(skeleton_->events); !status) return status;
  // Programs of a tracepoint run in the order in which they were attached.
  if (util::Status status = skeleton_->Attach(skeleton_->identity); !status) return status;
  return skeleton_->Attach(skeleton_->stand_ins);
}

void BpfPrograms::SetPhase(fxr_phase phase) {
  __atomic_store_n(&skeleton_->bpf->bss->phase, phase, __ATOMIC_SEQ_CST);
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

void BpfPrograms::Detach() {
  while (!skeleton_->links.empty()) {
    bpf_link__destroy(skeleton_->links.back());
    skeleton_->links.pop_back();
  }
}

SlotRing BpfPrograms::MakeSlotRing(uint32_t cpu) const {
  return SlotRing(&controls_[cpu], slots_ + (size_t{cpu} << ring_shift_), ring_shift_);
}

uint64_t BpfPrograms::KernelMemoryBytes() const {
  const auto& maps = skeleton_->bpf->maps;
  uint64_t bytes = slots_bytes_ + controls_bytes_ + side_ring_bytes_;
  bpf_map* map = nullptr;
  bpf_object__for_each_map(map, skeleton_->bpf->obj) {
    if (map == maps.slots || map == maps.ring_controls || map == maps.side_ring) continue;
    bytes += MapMemoryBytes(bpf_map__fd(map));
  }
  return bytes;
}

int BpfPrograms::side_ring_fd() const { return bpf_map__fd(skeleton_->bpf->maps.side_ring); }

CategoryCounts BpfPrograms::RecursionMisses() const {
  CategoryCounts misses{};
  for (const auto* group : {&skeleton_->identity, &skeleton_->events}) {
    for (bpf_program* program : *group) {
      bpf_prog_info info{};
      uint32_t size = sizeof(info);
      if (bpf_obj_get_info_by_fd(bpf_program__fd(program), &info, &size) == 0) {
        misses[skeleton_->category_of.at(program)] += info.recursion_misses;
      }
    }
  }
  // Read after the misses: one more than was missed would hide a loss only until the next time.
  uint64_t made_up = 0;
  for (uint32_t cpu = 0; has_stand_ins_ && cpu < control_count_; ++cpu) {
    made_up += __atomic_load_n(&controls_[cpu].made_up, __ATOMIC_RELAXED);
  }
  uint64_t& missed = misses[FXR_CATEGORY_TASK];
  missed -= std::min(missed, made_up);
  return misses;
}

}  // namespace capture
