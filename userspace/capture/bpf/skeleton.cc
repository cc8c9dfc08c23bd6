// SPDX-License-Identifier: BSD-2-Clause
#include "capture/bpf/skeleton.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <fmt/format.h>
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "capture/bpf/syscall_code.h"
#include "capture/bpf/wait_calls.h"
#include "capture/btf/type_subset.h"
#include "schema/event_info.h"

namespace capture {
namespace {

int PrintToStderr(libbpf_print_level, const char* format, va_list arguments) {
  return vfprintf(stderr, format, arguments);
}

int PrintNothing(libbpf_print_level, const char*, va_list) { return 0; }

constexpr const char* kTaskWalkProgram = "walk_tasks";
constexpr const char* kSampleProgram = "stack_sample";

// Tasks per CPU between the first and the last program of a tracepoint at once.
constexpr uint32_t kMarksPerCpu = 256;
// Threads with a stack_sleep entry, of 1 KiB each.
constexpr uint32_t kMaxSleepers = 16384;
// Open calls of filtered probes; the least recent ones end without their return.
constexpr uint32_t kMaxFilteredCalls = 65536;
// Stacks, and code objects, that BPF knows the collector to have; a power of two.
constexpr uint32_t kMaxKnownIds = 16384;
// Threads of CPython, of 1 KiB each, where their memory must be allocated before.
constexpr uint32_t kMaxAllocatedPythonThreads = 1024;
// Limits of the unwind tables; see include/fxt_record/unwind.h.
constexpr uint32_t kMaxUnwindProcesses = 8192;
constexpr uint32_t kMaxUnwindRanges = 128 * 1024;
constexpr uint32_t kMaxUnwindModules = 8192;
constexpr uint32_t kMaxUnwindChunks = 32;  // of 1 MiB
constexpr uint32_t kUnwindShapes = 8192;   // a power of two
// Maps other than the rings, and programs.
constexpr uint64_t kOtherLockedBytes = 4 << 20;

// True if the limit on locked memory forbids a map of this many slots but allows a small one.
// Before 5.11 the kernel counts maps as locked memory of the user.
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

util::Error ExplainLoadFailure(int error, const RingSizes& sizes, const std::string& hint) {
  if (error == -EPERM && LocksTooMuch(sizes.slots())) {
    return util::Error{
        "the rings do not fit into this user's limit of locked memory",
        fmt::format(
            "raise it with `ulimit -l {}`, run it as root, or ask for smaller rings with "
            "--buffer-size (Linux 5.11 and later do not have this limit)",
            (sizes.slots() * sizeof(fxr_slot) + sizes.side_ring_bytes + kOtherLockedBytes) >> 10)};
  }
  if (error == -ENOMEM) {
    return util::Error{fmt::format("not enough kernel memory for {} rings of {} KiB",
                                   sizes.ring_count, sizes.ring_bytes() >> 10),
                       "ask for smaller ones with --buffer-size"};
  }
  return ExplainRefusal(-error, hint);
}

}  // namespace

util::Result<std::unique_ptr<Skeleton>> Skeleton::Open(bool verbose, const KernelTypes& types) {
  libbpf_set_print(verbose ? PrintToStderr : PrintNothing);
  std::unique_ptr<Skeleton> self(new Skeleton);
  self->handler_.emplace(types);
  if (!self->handler_->registered()) return util::Error{"cannot set up the BPF loader", ""};
  if (util::Status status = self->OpenObject(types); !status) return status.error();
  return self;
}

util::Status Skeleton::OpenObject(const KernelTypes& types) {
  types_ = util::UniqueFd(memfd_create("fxr_types", MFD_CLOEXEC));
  const std::string path = fmt::format("/proc/self/fd/{}", types_.get());
  bpf_object_open_opts options{};
  options.sz = sizeof(options);
  // Without /proc libbpf parses all kernel BTF, which is slower.
  const bool readable = types_ && access(path.c_str(), R_OK) == 0;
  if (readable) options.btf_custom_path = path.c_str();
  bpf_ = recorder_bpf::open(&options);
  if (!bpf_) return util::Error{fmt::format("cannot open the BPF object: {}", strerror(errno)), ""};
  return readable ? WriteTypes(types) : util::Ok();
}

util::Status Skeleton::WriteTypes(const KernelTypes& types) {
  std::unordered_set<std::string_view> names;
  const btf* own = bpf_object__btf(bpf_->obj);
  for (uint32_t id = 1; id < btf__type_cnt(own); ++id) {
    const std::string_view name = btf__name_by_offset(own, btf__type_by_id(own, id)->name_off);
    // A ___suffix distinguishes our variants of one kernel type.
    if (!name.empty()) names.insert(name.substr(0, name.find("___")));
  }
  const std::string subset = SubsetOfTypes(types, names);
  if (write(types_.get(), subset.data(), subset.size()) != static_cast<ssize_t>(subset.size())) {
    return util::Error{fmt::format("cannot keep the kernel's types: {}", strerror(errno)), ""};
  }
  return util::Ok();
}

Skeleton::~Skeleton() {
  Detach();
  recorder_bpf::destroy(bpf_);
}

void Skeleton::SetSizes(const RingSizes& sizes) {
  bpf_map__set_max_entries(bpf_->maps.slots, static_cast<uint32_t>(sizes.slots()));
  bpf_map__set_max_entries(bpf_->maps.ring_controls, sizes.control_count);
  bpf_map__set_max_entries(bpf_->maps.side_ring, static_cast<uint32_t>(sizes.side_ring_bytes));
  auto& settings = *bpf_->rodata;
  settings.slots_per_ring_shift = sizes.ring_shift;
  settings.slot_mask = static_cast<uint32_t>(sizes.slots_per_ring() - 1);
  settings.slots_full = sizes.slots_per_ring() - FXR_RING_SLACK;
  settings.ring_count = sizes.ring_count;
  settings.slots_wakeup_fill = sizes.slots_per_ring() / 4;
  settings.side_wakeup_bytes = static_cast<uint32_t>(sizes.side_ring_bytes / 4);
}

void Skeleton::SetRingUse(RingUse use, const RingSizes& sizes) {
  auto& settings = *bpf_->rodata;
  if (use == RingUse::kOverwritten) settings.slots_full = settings.slots_wakeup_fill = UINT64_MAX;
  // The last slot that a ring accepts.
  if (use == RingUse::kFilledOnce) {
    settings.slots_wakeup_fill = sizes.slots_per_ring() - FXR_RING_SLACK - 1;
  }
}

void Skeleton::SetFeatures(const KernelFeatures& features, const RingSizes& sizes) {
  auto& settings = *bpf_->rodata;
  settings.programs_have_stand_ins = features.preemptible_tracepoints;
  // Tasks leave marks per CPU where they run, so absent CPUs need no room.
  if (features.preemptible_tracepoints) {
    bpf_map__set_max_entries(bpf_->maps.marks, sizes.ring_count * kMarksPerCpu);
  }
  // Before Linux 6.1 the allocator may not be called everywhere.
  has_allocator_ = features.types->Find(KernelTypes::Kind::kStruct, "bpf_mem_alloc") != 0;
  if (has_allocator_) {
    bpf_map__set_map_flags(bpf_->maps.throttled_tasks, BPF_F_NO_PREALLOC);
  }
  settings.switch_has_state_argument = features.switch_has_state_argument;
  settings.block_has_queue_argument = features.block_has_queue_argument;
  settings.oom_has_task_argument = features.oom_has_task_argument;
  settings.reclaim_flags_are_first = features.reclaim_flags_are_first;
  if (features.per_cpu) {
    settings.per_cpu_offsets_known = true;
    settings.runqueues_offset = features.per_cpu->runqueues;
    settings.cpu_number_offset = features.per_cpu->cpu_number;
    settings.preempt_count_offset = features.per_cpu->preempt_count;
  }
  settings.interrupt_mask = features.interrupt_mask;
  if (features.rdonly_cast) {
    settings.refcount_struct_id =
        features.types->Find(KernelTypes::Kind::kStruct, "refcount_struct");
    settings.timespec64_id = features.types->Find(KernelTypes::Kind::kStruct, "timespec64");
  }
}

void Skeleton::SetFilters(const ProgramOptions& options) {
  auto& settings = *bpf_->rodata;
  const auto shrink_unused = [](bpf_map* map, const auto& values) {
    if (values.empty()) bpf_map__set_max_entries(map, 1);
  };
  shrink_unused(bpf_->maps.filter_tids, options.filter.tids);
  shrink_unused(bpf_->maps.filter_tgids, options.filter.tgids);
  shrink_unused(bpf_->maps.filter_comms, options.filter.comms);
  shrink_unused(bpf_->maps.filter_cgroups, options.filter.cgroups);
  settings.filter_is_on = !options.filter.empty();
  settings.filter_by_tid = !options.filter.tids.empty();
  settings.filter_by_tgid = !options.filter.tgids.empty();
  settings.filter_by_comm = !options.filter.comms.empty();
  settings.filter_by_cgroup = !options.filter.cgroups.empty();
  settings.filter_by_followed = options.filter.follows();
  settings.follow_named = options.filter.follow;
  if (options.filter.follows()) {
    bpf_map__set_max_entries(bpf_->maps.followed_tasks, FXR_FOLLOWED_PAGES);
  }
  settings.filter_syscalls = !options.syscall_numbers.empty();
  for (uint32_t number : options.syscall_numbers) {
    size_t word = number / 64;
    if (word < std::size(settings.syscalls_wanted)) {
      settings.syscalls_wanted[word] |= uint64_t{1} << (number % 64);
    }
  }
}

void Skeleton::SetStacks(const KernelFeatures& features, const ProgramOptions& options,
                         const RingSizes& sizes) {
  const bool stacks = options.wants_stacks();
  const bool sleeps = stacks && (options.stack.off || options.stack.wake);
  for (bpf_map* map : {bpf_->maps.sleeps, bpf_->maps.kernel_scans, bpf_->maps.kernel_halves,
                       bpf_->maps.python_threads}) {
    bpf_map__set_autocreate(map, sleeps);
  }
  for (bpf_map* map :
       {bpf_->maps.stack_scratch, bpf_->maps.known_stacks, bpf_->maps.unwind_states,
        bpf_->maps.unwind_rules, bpf_->maps.unwind_processes, bpf_->maps.unwind_ranges,
        bpf_->maps.unwind_modules, bpf_->maps.unwind_words, bpf_->maps.unwind_shapes,
        bpf_->maps.unwind_files, bpf_->maps.vma_walks, bpf_->maps.python_states,
        bpf_->maps.python_layouts, bpf_->maps.python_places, bpf_->maps.python_codes}) {
    bpf_map__set_autocreate(map, stacks);
  }
  has_unwinder_ = stacks;
  has_samples_ = has_unwinder_ && options.stack.on;
  // See bpf/unwind.h.
  const uint32_t lanes = (has_samples_ ? 2 : 1) * sizes.control_count;
  for (bpf_map* map : {bpf_->maps.stack_scratch, bpf_->maps.unwind_states, bpf_->maps.unwind_rules,
                       bpf_->maps.python_states, bpf_->maps.vma_walks}) {
    bpf_map__set_max_entries(map, lanes);
  }
  bpf_map__set_max_entries(bpf_->maps.kernel_scans, sizes.control_count);
  bpf_map__set_max_entries(bpf_->maps.kernel_halves, sizes.control_count);
  bpf_map__set_max_entries(bpf_->maps.known_stacks, kMaxKnownIds);
  bpf_map__set_max_entries(bpf_->maps.python_codes, kMaxKnownIds);
  bpf_map__set_max_entries(bpf_->maps.unwind_processes, kMaxUnwindProcesses);
  bpf_map__set_max_entries(bpf_->maps.unwind_files, kMaxUnwindModules);
  bpf_map__set_max_entries(bpf_->maps.unwind_ranges, kMaxUnwindRanges);
  bpf_map__set_max_entries(bpf_->maps.unwind_modules, kMaxUnwindModules);
  bpf_map__set_max_entries(bpf_->maps.unwind_words, kMaxUnwindChunks);
  bpf_map__set_max_entries(bpf_->maps.unwind_shapes, kUnwindShapes);
  bpf_map__set_max_entries(bpf_->maps.sleeps, kMaxSleepers);
  // Entries come with the first sleep of a thread and stay, so that allocating each when it comes
  // costs nothing later.
  if (has_allocator_) {
    bpf_map__set_map_flags(bpf_->maps.unwind_processes, BPF_F_NO_PREALLOC);
    bpf_map__set_map_flags(bpf_->maps.unwind_files, BPF_F_NO_PREALLOC);
    bpf_map__set_map_flags(bpf_->maps.sleeps, BPF_F_NO_PREALLOC);
    bpf_map__set_map_flags(bpf_->maps.python_threads, BPF_F_NO_PREALLOC);
    bpf_map__set_max_entries(bpf_->maps.python_threads, kMaxSleepers);
  } else {
    bpf_map__set_max_entries(bpf_->maps.python_threads, kMaxAllocatedPythonThreads);
  }
  auto& settings = *bpf_->rodata;
  settings.stack_min_ns = options.stack.min_sleep;
  settings.stack_wants_off = options.stack.off;
  settings.unwind_shape_mask = kUnwindShapes - 1;
  settings.known_ids_mask = kMaxKnownIds - 1;
  settings.first_sample_lane = sizes.control_count;
  settings.has_task_registers =
      stacks && features.types->Find(KernelTypes::Kind::kFunction, "bpf_task_pt_regs") != 0;
#if defined(__aarch64__)
  settings.page_shift =
      static_cast<uint32_t>(std::bit_width(static_cast<uint64_t>(sysconf(_SC_PAGESIZE))) - 1);
  // The stack is at the upper end of the addresses that programs get without asking for more.
  settings.user_code_mask = std::bit_ceil(reinterpret_cast<uintptr_t>(&sleeps)) - 1;
#endif
  wants_syscall_code_ = sleeps && options.stack.off;
}

void Skeleton::FillSyscallCode() {
  if (!wants_syscall_code_) return;
  const SyscallCode code = FindSyscallCode(symbols());
  bpf_->bss->syscall_code = code.begin;
  bpf_->bss->syscall_code_bytes = code.bytes;
}

KernelSymbols Skeleton::symbols() const {
  if (!has_symbols_) return {};
  return KernelSymbols::Of(bpf_program__fd(bpf_->progs.find_symbol), &bpf_->bss->symbol_query);
}

void Skeleton::SetWaits(const KernelFeatures& features, const ProgramOptions& options) {
  const bool wanted = options.categories.test(FXR_CATEGORY_WAIT);
  for (bpf_map* map : {bpf_->maps.wait_since, bpf_->maps.wait_notes, bpf_->maps.wait_scratch,
                       bpf_->maps.wait_stoppers, bpf_->maps.wait_faults, bpf_->maps.wait_throttled,
                       bpf_->maps.wait_vma_walks}) {
    bpf_map__set_autocreate(map, wanted);
  }
  if (!wanted) return;
  bpf_map__set_max_entries(bpf_->maps.wait_since, WaitPages());
  auto& settings = *bpf_->rodata;
  settings.wait_min_units = static_cast<uint32_t>(kMinRecordedWait >> 10);
  settings.wait_has_registers =
      features.types->Find(KernelTypes::Kind::kFunction, "bpf_task_pt_regs") != 0;
  FillWaitCalls(settings.wait_calls);
}

void Skeleton::SetRequests(const ProgramOptions& options) {
  const bool wanted = options.categories.test(FXR_CATEGORY_REQUEST);
  bpf_map__set_autocreate(bpf_->maps.request_sockets, wanted);
  bpf_map__set_autocreate(bpf_->maps.thread_contexts, wanted);
  if (!wanted || !options.request_names.any()) return;
  auto& settings = *bpf_->rodata;
  settings.request_reads_text = true;
  FillRequestCalls(settings.request_calls);
}

void Skeleton::SetFaults(const ProgramOptions& options) {
  const bool wanted = options.categories.test(FXR_CATEGORY_FAULT);
  bpf_map__set_autocreate(bpf_->maps.last_faults, wanted);
  bpf_map__set_autocreate(bpf_->maps.fault_scratch, wanted);
  bpf_map__set_autocreate(bpf_->maps.suspended_faults, wanted);
}

void Skeleton::SetProbes(const KernelFeatures& features, const ProgramOptions& options) {
  probes_ = options.probes;
  const auto has = [&](probes::Probe::Kind kind, bool with_spec) {
    return std::ranges::any_of(probes_, [=](const auto& probe) {
      return probe.kind == kind && probe.has_spec() == with_spec;
    });
  };
  const bool usdt = has(probes::Probe::Kind::kUsdt, false) || has(probes::Probe::Kind::kUsdt, true);
  // Maps of libbpf, see usdt.bpf.h.
  for (const char* name : {"__bpf_usdt_specs", "__bpf_usdt_ip_to_spec_id"}) {
    bpf_map__set_autocreate(bpf_object__find_map_by_name(bpf_->obj, name), usdt);
  }
  const auto& all = bpf_->progs;
  for (const bool with_spec : {false, true}) {
    if (has(probes::Probe::Kind::kUsdt, with_spec)) {
      probe_programs_.usdt.at(with_spec) = with_spec ? all.probe_usdt_values : all.probe_usdt;
    }
    if (has(probes::Probe::Kind::kFunction, with_spec)) {
      probe_programs_.function.at(with_spec) =
          with_spec ? ProbePrograms::Call{all.probe_entry_values, all.probe_return_values}
                    : ProbePrograms::Call{all.probe_entry, all.probe_return};
    }
    if (has(probes::Probe::Kind::kKernel, with_spec)) {
      const auto call =
          with_spec
              ? ProbePrograms::Call{all.kernel_probe_entry_values, all.kernel_probe_return_values}
              : ProbePrograms::Call{all.kernel_probe_entry, all.kernel_probe_return};
      probe_programs_.kernel.at(with_spec) = call;
      probe_programs_.kernel_is_multi = features.HasFprobes();
      for (bpf_program* each : {call.entry, call.on_return}) {
        kernel_probes_.push_back(each);
        category_of_[each] = FXR_CATEGORY_PROBE;
        if (probe_programs_.kernel_is_multi)
          bpf_program__set_expected_attach_type(each, BPF_TRACE_KPROBE_MULTI);
      }
    }
  }
  const bool has_specs = std::ranges::any_of(probes_, &probes::Probe::has_spec);
  bpf_map__set_autocreate(bpf_->maps.probe_specs, has_specs);
  bpf_map__set_autocreate(bpf_->maps.probe_passed, has_specs);
  bpf_map__set_max_entries(bpf_->maps.probe_specs,
                           std::max<uint32_t>(1, static_cast<uint32_t>(probes_.size())));
  const bool has_filters =
      std::ranges::any_of(probes_, [](const auto& probe) { return !probe.filter.empty(); });
  bpf_map__set_max_entries(bpf_->maps.probe_passed, has_filters ? kMaxFilteredCalls : 1);
  // Attaches to the selected processes where the filter allows it, so that others pay nothing. The
  // programs filter in any case.
  const TaskFilter& filter = options.filter;
  if (!filter.follows() && filter.comms.empty() && filter.cgroups.empty()) {
    probed_ = filter.tgids;
    probed_.insert(probed_.end(), filter.tids.begin(), filter.tids.end());
  }
}

util::Status Skeleton::FillProbes() {
  const int map = bpf_map__fd(bpf_->maps.probe_specs);
  for (uint32_t i = 0; i < probes_.size(); ++i) {
    if (!probes_[i].has_spec()) continue;
    const fxr_probe_spec spec = probes::MakeSpec(probes_[i]);
    if (bpf_map_update_elem(map, &i, &spec, BPF_ANY) != 0) {
      return util::Error{fmt::format("cannot set the arguments of a probe: {}", strerror(errno)),
                         ""};
    }
  }
  return util::Ok();
}

void Skeleton::SetCounters(const ProgramOptions& options, const RingSizes& sizes) {
  const bool wanted = !options.counters.empty() && options.categories.test(FXR_CATEGORY_COUNTER);
  bpf_map__set_autocreate(bpf_->maps.counter_events, wanted);
  bpf_map__set_autocreate(bpf_->maps.counter_readings, wanted);
  bpf_map__set_max_entries(bpf_->maps.counter_events, sizes.control_count * FXR_MAX_COUNTERS);
  bpf_->rodata->counter_count = static_cast<uint32_t>(options.counters.size());
}

util::Status Skeleton::FillCounters(const CounterSet& counters) {
  const int map = bpf_map__fd(bpf_->maps.counter_events);
  for (const CounterSet::Event& event : counters.events()) {
    const uint32_t key = event.cpu * FXR_MAX_COUNTERS + event.counter;
    const int fd = event.fd.get();
    if (bpf_map_update_elem(map, &key, &fd, BPF_ANY) != 0) {
      return util::Error{
          fmt::format("the kernel does not let BPF programs read counters: {}", strerror(errno)),
          ""};
    }
  }
  return util::Ok();
}

void Skeleton::Use(const std::string& name, fxr_category category,
                   std::vector<bpf_program*>* group) {
  bpf_program* used = bpf_object__find_program_by_name(bpf_->obj, name.c_str());
  bpf_program__set_autoload(used, true);
  if (group) group->push_back(used);
  category_of_[used] = category;
}

void Skeleton::UseTracepoint(const Tracepoint& tracepoint, const KernelFeatures& features) {
  const std::string program(tracepoint.tracepoint);
  if (tracepoint.may_be_missing() && features.missing_tracepoints.contains(program)) return;
  // The end of a send stands in for its begin.
  if (program == "sock_send_length" &&
      !features.missing_tracepoints.contains("tcp_sendmsg_locked")) {
    return;
  }
  switch (tracepoint.way) {
    case Tracepoint::Way::kSlot:
    case Tracepoint::Way::kMaySlot:
      // The program has two forms, see bpf/ring.h.
      return Use(features.atomic_fetch ? program : program + "_flag", tracepoint.category,
                 &events_);
    case Tracepoint::Way::kSide:
    case Tracepoint::Way::kMaySide:
      return Use(program, tracepoint.category, &events_);
    case Tracepoint::Way::kPerf:
      major_faults_ = SampledEvent::Open(PERF_COUNT_SW_PAGE_FAULTS_MAJ);
      if (major_faults_.empty()) return;
      return Use(features.atomic_fetch ? program : program + "_flag", tracepoint.category,
                 &sampled_);
    case Tracepoint::Way::kBeside:
    case Tracepoint::Way::kMayBeside: {
      // A span needs its end event.
      if (tracepoint.category == FXR_CATEGORY_FAULT && major_faults_.empty()) return;
      const std::string beside =
          fmt::format("{}_{}", schema::CategoryName(tracepoint.category), program);
      const bool precedes = tracepoint.category == FXR_CATEGORY_WAIT;
      const bool has_forms =
          bpf_object__find_program_by_name(bpf_->obj, (beside + "_flag").c_str()) != nullptr;
      Use(has_forms && !features.atomic_fetch ? beside + "_flag" : beside, tracepoint.category,
          &events_);
      // A wait's event precedes the wakeup that ends it.
      if (precedes) std::rotate(events_.begin(), events_.end() - 1, events_.end());
      return;
    }
    case Tracepoint::Way::kIdentity:
      if (features.missing_tracepoints.contains(program)) return;
      Use(program, tracepoint.category, &identity_);
      for (const char* suffix : {"_2", "_3", "_4"}) {
        if (features.preemptible_tracepoints) {
          Use(program + suffix, tracepoint.category, &stand_ins_);
        }
      }
  }
}

void Skeleton::ChoosePrograms(const ProgramOptions& options, const KernelFeatures& features) {
  bpf_program* program = nullptr;
  bpf_object__for_each_program(program, bpf_->obj) bpf_program__set_autoload(program, false);
  auto& settings = *bpf_->rodata;
  settings.categories_used = options.categories.to_ullong() | uint64_t{1} << FXR_CATEGORY_TASK;
  if (!options.probes.empty()) settings.categories_used |= uint64_t{1} << FXR_CATEGORY_PROBE;
  for (const Tracepoint& each : AllTracepoints()) {
    if (each.way == Tracepoint::Way::kIdentity || options.Wants(each)) {
      settings.categories_used |= uint64_t{1} << each.category;
      UseTracepoint(each, features);
    }
  }
  if (has_samples_) Use(kSampleProgram, FXR_CATEGORY_STACK, nullptr);
  if (features.cgroup_moves) Use("cgroup_attach_task", FXR_CATEGORY_TASK, &identity_);
  const auto is_waking = [](const Tracepoint& each) { return each.tracepoint == "sched_waking"; };
  const auto waking = std::ranges::find_if(SchedEvents(), is_waking);
  if (features.net_rx_senders && options.Wants(*waking)) {
    for (const char* name :
         {"net_rx_softirq_raise", "net_rx_softirq_entry", "net_rx_irq_handler_entry"}) {
      Use(name, FXR_CATEGORY_SCHED, &net_rx_);
    }
  }
  if (options.categories.test(FXR_CATEGORY_WAIT) &&
      MayRunAtReturn(*features.types, "blk_throtl_bio")) {
    Use("wait_blk_throttle", FXR_CATEGORY_WAIT, &returns_);
  }
  for (const bool with_spec : {false, true}) {
    const ProbePrograms::Call& function = probe_programs_.function.at(with_spec);
    const ProbePrograms::Call& kernel = probe_programs_.kernel.at(with_spec);
    for (bpf_program* each : {function.entry, function.on_return, kernel.entry, kernel.on_return,
                              probe_programs_.usdt.at(with_spec)}) {
      if (each) bpf_program__set_autoload(each, true);
    }
  }
  for (const char* name : {"read_clocks", "find_context", kTaskWalkProgram}) {
    Use(name, FXR_CATEGORY_TASK, nullptr);
  }
  // The categories whose events have addresses of functions.
  const auto wants = [&](fxr_category category) { return options.categories.test(category); };
  has_symbols_ =
      features.symbol_lookup &&
      (wants(FXR_CATEGORY_STACK) || wants(FXR_CATEGORY_WAIT) || wants(FXR_CATEGORY_WORKQUEUE) ||
       wants(FXR_CATEGORY_TIMER) || wants(FXR_CATEGORY_LOCK) || wants(FXR_CATEGORY_IPI));
  if (has_symbols_) Use("find_symbol", FXR_CATEGORY_TASK, nullptr);
}

util::Status Skeleton::Load(const RingSizes& sizes, const std::string& hint) {
  const int error = recorder_bpf::load(bpf_);
  handler_.reset();
  types_.reset();
  return error == 0 ? util::Ok() : ExplainLoadFailure(error, sizes, hint);
}

util::Status Skeleton::Attach(const std::vector<bpf_program*>& programs) {
  for (bpf_program* program : programs) {
    util::UniqueFd link(bpf_link_create(bpf_program__fd(program), 0, BPF_TRACE_RAW_TP, nullptr));
    if (!link) {
      const int error = errno;
      if (error == EMFILE) return ExplainRefusal(error, "");
      return util::Error{fmt::format("cannot attach BPF program {}: {}", bpf_program__name(program),
                                     strerror(error)),
                         ""};
    }
    links_.push_back(std::move(link));
  }
  return util::Ok();
}

util::Status Skeleton::Attach() {
  // Programs that emit already come last, because the rings are not drained during the attach.
  if (util::Status status =
          probe_links_.Attach(probe_programs_, probes_, probed_, &skipped_probes_);
      !status) {
    return status;
  }
  for (bpf_program* program : sampled_) major_faults_.Attach(bpf_program__fd(program));
  if (util::Status status = Attach(net_rx_); !status) return status;
  // Kernels without trampolines for functions (arm64 before 6.0) lack what these add.
  for (bpf_program* program : returns_) {
    util::UniqueFd link(bpf_link_create(bpf_program__fd(program), 0, BPF_TRACE_FEXIT, nullptr));
    if (link) links_.push_back(std::move(link));
  }
  if (util::Status status = Attach(events_); !status) return status;
  // Programs of a tracepoint run in the order of attaching.
  if (util::Status status = Attach(identity_); !status) return status;
  return Attach(stand_ins_);
}

std::vector<std::string> Skeleton::DescribeSkippedProbes() const {
  return skipped_probes_.Describe(probes_);
}

void Skeleton::Detach() {
  probe_links_.Detach();
  while (!links_.empty()) links_.pop_back();
  major_faults_ = {};
}

int Skeleton::task_walk_fd() const {
  return bpf_program__fd(bpf_object__find_program_by_name(bpf_->obj, kTaskWalkProgram));
}

int Skeleton::sample_program_fd() const {
  return has_samples_ ? bpf_program__fd(bpf_->progs.stack_sample) : -1;
}

CategoryCounts Skeleton::RecursionMisses() const {
  CategoryCounts misses{};
  for (const auto* group : {&identity_, &events_, &kernel_probes_}) {
    for (bpf_program* program : *group) {
      bpf_prog_info info{};
      uint32_t size = sizeof(info);
      if (bpf_obj_get_info_by_fd(bpf_program__fd(program), &info, &size) == 0) {
        misses[category_of_.at(program)] += info.recursion_misses;
      }
    }
  }
  return misses;
}

}  // namespace capture
