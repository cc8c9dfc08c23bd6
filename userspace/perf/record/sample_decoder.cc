// SPDX-License-Identifier: BSD-2-Clause
#include "perf/record/sample_decoder.h"

#include <fmt/core.h>

#include <bit>

#include "perf/record/perf_abi.h"

namespace perf {

namespace {

// Layout of the optional words of a branch stack.
struct BranchLayout {
  bool hw_idx;
  bool counters;
};

class Decoder {
 public:
  Decoder(const SampleFormat& format, util::Bytes body) : format_(format), cursor_(body) {}

  // Returns nullptr, or the name of the field that does not fit.
  const char* DecodeUpToBranches(Sample* sample);
  const char* DecodeFromBranches(const BranchLayout& layout, Sample* sample);

  bool has(uint64_t type) const { return (format_.sample_type & type) != 0; }
  const util::ByteCursor& cursor() const { return cursor_; }

 private:
  bool Word(uint64_t type, std::optional<uint64_t>* out) {
    if (!has(type)) return true;
    uint64_t value;
    if (!cursor_.Read(&value)) return false;
    *out = value;
    return true;
  }
  bool Pair(uint64_t type, std::optional<uint32_t>* first, std::optional<uint32_t>* second) {
    if (!has(type)) return true;
    uint32_t values[2];
    if (!cursor_.Read(&values)) return false;
    *first = values[0];
    if (second != nullptr) *second = values[1];
    return true;
  }
  bool Read(Sample* sample);
  bool Branches(const BranchLayout& layout, Sample* sample);
  bool Registers(uint64_t type, uint64_t mask, std::optional<RegisterDump>* out);
  bool UserStack(Sample* sample);

  const SampleFormat& format_;
  util::ByteCursor cursor_;
};

const char* Decoder::DecodeUpToBranches(Sample* sample) {
  SampleId& where = sample->where;
  if (!Word(PERF_SAMPLE_IDENTIFIER, &where.id)) return "identifier";
  if (!Word(PERF_SAMPLE_IP, &sample->ip)) return "ip";
  if (!Pair(PERF_SAMPLE_TID, &where.pid, &where.tid)) return "tid";
  if (!Word(PERF_SAMPLE_TIME, &where.time)) return "time";
  if (!Word(PERF_SAMPLE_ADDR, &sample->address)) return "addr";
  if (!Word(PERF_SAMPLE_ID, &where.id)) return "id";
  if (!Word(PERF_SAMPLE_STREAM_ID, &where.stream_id)) return "stream id";
  if (!Pair(PERF_SAMPLE_CPU, &where.cpu, nullptr)) return "cpu";
  if (!Word(PERF_SAMPLE_PERIOD, &sample->period)) return "period";
  if (has(PERF_SAMPLE_READ) && !Read(sample)) return "read values";
  if (has(PERF_SAMPLE_CALLCHAIN)) {
    uint64_t count;
    util::PackedView<uint64_t> addresses;
    if (!cursor_.Read(&count) || !cursor_.TakeArray(count, &addresses)) return "call chain";
    sample->callchain = addresses;
  }
  if (has(PERF_SAMPLE_RAW)) {
    uint32_t size;
    util::Bytes raw;
    if (!cursor_.Read(&size) || !cursor_.Take(size, &raw)) return "raw data";
    sample->raw = raw;
  }
  return nullptr;
}

bool Decoder::Read(Sample* sample) {
  const uint64_t format = format_.read_format;
  ReadValues values;
  values.read_format = format;
  values.words_per_counter =
      1 + std::popcount(format & uint64_t{PERF_FORMAT_ID | PERF_FORMAT_LOST});
  auto word = [this](std::optional<uint64_t>* out) {
    uint64_t value;
    if (!cursor_.Read(&value)) return false;
    *out = value;
    return true;
  };
  uint64_t count = 1;
  util::Bytes lone_value;
  if (format & PERF_FORMAT_GROUP) {
    if (!cursor_.Read(&count)) return false;
  } else if (!cursor_.Take(8, &lone_value)) {
    return false;
  }
  if ((format & PERF_FORMAT_TOTAL_TIME_ENABLED) && !word(&values.time_enabled)) return false;
  if ((format & PERF_FORMAT_TOTAL_TIME_RUNNING) && !word(&values.time_running)) return false;
  if (format & PERF_FORMAT_GROUP) {
    if (count > cursor_.remaining() / (8 * values.words_per_counter)) return false;
    if (!cursor_.TakeArray(count * values.words_per_counter, &values.words)) return false;
  } else {
    // The times lie between the value and its id. The view spans all of them, and the counter is
    // read from its first and last words.
    const size_t times = values.time_enabled.has_value() + values.time_running.has_value();
    if (!cursor_.Skip(8 * (values.words_per_counter - 1))) return false;
    values.words_per_counter += times;
    values.words =
        util::PackedView<uint64_t>(util::Bytes(lone_value.data(), 8 * values.words_per_counter));
  }
  sample->read = values;
  return true;
}

bool Decoder::Branches(const BranchLayout& layout, Sample* sample) {
  uint64_t count;
  BranchStack stack;
  if (!cursor_.Read(&count)) return false;
  if (layout.hw_idx) {
    uint64_t hw_idx;
    if (!cursor_.Read(&hw_idx)) return false;
    stack.hw_idx = hw_idx;
  }
  if (!cursor_.TakeArray(count, &stack.entries)) return false;
  if (layout.counters && !cursor_.TakeArray(count, &stack.counters)) return false;
  sample->branches = stack;
  return true;
}

bool Decoder::Registers(uint64_t type, uint64_t mask, std::optional<RegisterDump>* out) {
  if (!has(type)) return true;
  RegisterDump dump;
  if (!cursor_.Read(&dump.abi)) return false;
  if (dump.abi != PERF_SAMPLE_REGS_ABI_NONE &&
      !cursor_.TakeArray(std::popcount(mask), &dump.values)) {
    return false;
  }
  *out = dump;
  return true;
}

bool Decoder::UserStack(Sample* sample) {
  uint64_t size;
  util::Bytes area;
  if (!cursor_.Read(&size) || !cursor_.Take(size, &area)) return false;
  sample->user_stack = area;
  // An area of size 0 has no word for the used size.
  return size == 0 || cursor_.Read(&sample->user_stack_used);
}

const char* Decoder::DecodeFromBranches(const BranchLayout& layout, Sample* sample) {
  if (has(PERF_SAMPLE_BRANCH_STACK) && !Branches(layout, sample)) return "branch stack";
  if (!Registers(PERF_SAMPLE_REGS_USER, format_.user_registers, &sample->user_registers)) {
    return "user registers";
  }
  if (has(PERF_SAMPLE_STACK_USER) && !UserStack(sample)) return "user stack";
  if (!Word(PERF_SAMPLE_WEIGHT_TYPE, &sample->weight)) return "weight";
  if (!Word(PERF_SAMPLE_DATA_SRC, &sample->data_source)) return "data source";
  if (!Word(PERF_SAMPLE_TRANSACTION, &sample->transaction)) return "transaction";
  if (!Registers(PERF_SAMPLE_REGS_INTR, format_.interrupt_registers,
                 &sample->interrupt_registers)) {
    return "interrupt registers";
  }
  if (!Word(PERF_SAMPLE_PHYS_ADDR, &sample->physical_address)) return "physical address";
  if (!Word(PERF_SAMPLE_CGROUP, &sample->cgroup)) return "cgroup";
  if (!Word(PERF_SAMPLE_DATA_PAGE_SIZE, &sample->data_page_size)) return "data page size";
  if (!Word(PERF_SAMPLE_CODE_PAGE_SIZE, &sample->code_page_size)) return "code page size";
  if (has(PERF_SAMPLE_AUX)) {
    uint64_t size;
    util::Bytes aux;
    if (!cursor_.Read(&size) || !cursor_.Take(size, &aux)) return "aux data";
    sample->aux = aux;
  }
  sample->trailing = cursor_.rest();
  return nullptr;
}

util::Error DoesNotFit(const char* field, size_t bytes) {
  return {fmt::format("sample of {} bytes: its {} does not fit", bytes, field), ""};
}

}  // namespace

ReadValue ReadValues::ReadCounter(size_t i) const {
  ReadValue counter;
  const size_t first = i * words_per_counter;
  counter.value = words[first];
  size_t last = first + words_per_counter - 1;
  if (read_format & PERF_FORMAT_LOST) counter.lost = words[last--];
  if (read_format & PERF_FORMAT_ID) counter.id = words[last];
  return counter;
}

util::Result<Sample> DecodeSample(const SampleFormat& format, util::Bytes body) {
  Sample head;
  Decoder decoder(format, body);
  if (const char* field = decoder.DecodeUpToBranches(&head)) return DoesNotFit(field, body.size());

  const bool may_have_hw_idx = (format.branch_sample_type & PERF_SAMPLE_BRANCH_HW_INDEX) != 0;
  const bool may_have_counters = (format.branch_sample_type & kBranchSampleCounters) != 0;
  uint64_t branch_count = 0;
  if (format.has(PERF_SAMPLE_BRANCH_STACK)) {
    util::ByteCursor peek = decoder.cursor();
    if (!peek.Read(&branch_count)) return DoesNotFit("branch stack", body.size());
  }
  // The layout of the attr first, then the shorter ones that the kernel may write instead.
  const BranchLayout layouts[] = {{may_have_hw_idx, may_have_counters},
                                  {may_have_hw_idx && branch_count != 0, false}};
  std::optional<Sample> fits;
  const char* field = nullptr;
  for (const BranchLayout& layout : layouts) {
    Sample sample = head;
    Decoder attempt = decoder;
    const char* misfit = attempt.DecodeFromBranches(layout, &sample);
    if (misfit == nullptr) {
      if (sample.trailing.empty()) return sample;
      if (!fits) fits = sample;
    }
    if (field == nullptr) field = misfit;
  }
  if (fits) return *fits;
  return DoesNotFit(field, body.size());
}

util::Result<SampleId> DecodeTrailer(const SampleFormat& format, util::Bytes body) {
  SampleId where;
  const size_t size = format.trailer_bytes();
  if (size == 0) return where;
  if (body.size() < size) {
    return util::Error{
        fmt::format("record body of {} bytes is shorter than its trailer of {}", body.size(), size),
        ""};
  }
  util::ByteCursor cursor(body.last(size));
  auto word = [&](uint64_t type, std::optional<uint64_t>* out) {
    uint64_t value;
    if (format.has(type) && cursor.Read(&value)) *out = value;
  };
  uint32_t pair[2];
  if (format.has(PERF_SAMPLE_TID) && cursor.Read(&pair)) {
    where.pid = pair[0];
    where.tid = pair[1];
  }
  word(PERF_SAMPLE_TIME, &where.time);
  word(PERF_SAMPLE_ID, &where.id);
  word(PERF_SAMPLE_STREAM_ID, &where.stream_id);
  if (format.has(PERF_SAMPLE_CPU) && cursor.Read(&pair)) where.cpu = pair[0];
  word(PERF_SAMPLE_IDENTIFIER, &where.id);
  return where;
}

}  // namespace perf
