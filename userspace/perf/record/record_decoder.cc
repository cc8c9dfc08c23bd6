// SPDX-License-Identifier: BSD-2-Clause
#include "perf/record/record_decoder.h"

#include <fmt/core.h>
#include <sys/mman.h>

#include "perf/record/perf_abi.h"

namespace perf {

namespace {

bool Decode(util::ByteCursor cursor, const perf_event_header& header, CommRecord* comm) {
  if (!cursor.Read(&comm->pid) || !cursor.Read(&comm->tid)) return false;
  comm->name = util::TextUntilZero(cursor.rest());
  comm->exec = (header.misc & kMiscCommExec) != 0;
  return true;
}

bool DecodeTask(util::ByteCursor cursor, ForkRecord* task) {
  return cursor.Read(&task->pid) && cursor.Read(&task->parent_pid) && cursor.Read(&task->tid) &&
         cursor.Read(&task->parent_tid) && cursor.Read(&task->time);
}

void DecodeInode(util::ByteCursor identity, MmapRecord* mmap) {
  (void)(identity.Read(&mmap->device_major) && identity.Read(&mmap->device_minor) &&
         identity.Read(&mmap->inode) && identity.Read(&mmap->inode_generation));
}

bool Decode(util::ByteCursor cursor, const perf_event_header& header, MmapRecord* mmap) {
  if (!cursor.Read(&mmap->pid) || !cursor.Read(&mmap->tid) || !cursor.Read(&mmap->address) ||
      !cursor.Read(&mmap->size) || !cursor.Read(&mmap->file_offset)) {
    return false;
  }
  mmap->kernel = (header.misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL;
  if (header.type == PERF_RECORD_MMAP2) {
    util::Bytes identity;
    uint32_t flags;
    if (!cursor.Take(24, &identity) || !cursor.Read(&mmap->protection) || !cursor.Read(&flags)) {
      return false;
    }
    const size_t size = std::to_integer<size_t>(identity[0]);
    // The kernel may set the flag in a record that has the inode, see capture/mapped_build_ids.h.
    // Then the first byte is that of the major number, and mostly larger.
    if ((header.misc & PERF_RECORD_MISC_MMAP_BUILD_ID) && size <= util::BuildId::kMaxBytes) {
      mmap->build_id = util::BuildId::FromBytes(identity.subspan(4, size));
    }
    DecodeInode(util::ByteCursor(identity), mmap);
  } else {
    mmap->protection = header.misc & kMiscMmapData ? PROT_READ : PROT_READ | PROT_EXEC;
  }
  mmap->file = util::TextUntilZero(cursor.rest());
  return true;
}

bool Decode(util::ByteCursor cursor, LostRecord* lost) {
  return cursor.Read(&lost->id) && cursor.Read(&lost->count);
}

util::Error DoesNotFit(const perf_event_header& header, size_t bytes) {
  return {fmt::format("{} record of {} bytes is too short for its fields",
                      RecordTypeName(header.type), bytes),
          ""};
}

}  // namespace

util::Result<Record> DecodeRecord(const perf_event_header& header, util::Bytes body,
                                  const SampleFormat& format) {
  Record record;
  record.type = header.type;
  record.misc = header.misc;
  if (header.type == PERF_RECORD_SAMPLE) {
    util::Result<Sample> sample = DecodeSample(format, body);
    if (!sample) return sample.TakeError();
    record.where = sample->where;
    record.body = *sample;
    return record;
  }
  // The perf tool's own records have no trailer.
  if (header.type >= kRecordHeaderAttr) return record;

  util::Result<SampleId> where = DecodeTrailer(format, body);
  if (!where) return where.TakeError();
  record.where = *where;
  util::ByteCursor cursor(body.first(body.size() - format.trailer_bytes()));
  bool fits = true;
  switch (header.type) {
    case PERF_RECORD_COMM: {
      CommRecord comm;
      fits = Decode(cursor, header, &comm);
      record.body = comm;
      break;
    }
    case PERF_RECORD_FORK: {
      ForkRecord fork;
      fits = DecodeTask(cursor, &fork);
      record.body = fork;
      break;
    }
    case PERF_RECORD_EXIT: {
      ForkRecord task;
      fits = DecodeTask(cursor, &task);
      record.body = ExitRecord{task.pid, task.tid, task.time};
      break;
    }
    case PERF_RECORD_MMAP:
    case PERF_RECORD_MMAP2: {
      MmapRecord mmap;
      fits = Decode(cursor, header, &mmap);
      record.body = mmap;
      break;
    }
    case PERF_RECORD_LOST: {
      LostRecord lost;
      fits = Decode(cursor, &lost);
      record.body = lost;
      break;
    }
    case PERF_RECORD_LOST_SAMPLES: {
      LostSamplesRecord lost;
      fits = cursor.Read(&lost.count);
      record.body = lost;
      break;
    }
    case PERF_RECORD_THROTTLE:
    case PERF_RECORD_UNTHROTTLE: {
      ThrottleRecord throttle;
      fits = cursor.Read(&throttle.time);
      throttle.throttled = header.type == PERF_RECORD_THROTTLE;
      record.body = throttle;
      break;
    }
    default:
      break;
  }
  if (!fits) return DoesNotFit(header, body.size() + kRecordHeaderBytes);
  return record;
}

std::string RecordTypeName(uint32_t type) {
  static constexpr const char* kKernelNames[] = {nullptr,
                                                 "MMAP",
                                                 "LOST",
                                                 "COMM",
                                                 "EXIT",
                                                 "THROTTLE",
                                                 "UNTHROTTLE",
                                                 "FORK",
                                                 "READ",
                                                 "SAMPLE",
                                                 "MMAP2",
                                                 "AUX",
                                                 "ITRACE_START",
                                                 "LOST_SAMPLES",
                                                 "SWITCH",
                                                 "SWITCH_CPU_WIDE",
                                                 "NAMESPACES",
                                                 "KSYMBOL",
                                                 "BPF_EVENT",
                                                 "CGROUP",
                                                 "TEXT_POKE",
                                                 "AUX_OUTPUT_HW_ID",
                                                 "CALLCHAIN_DEFERRED"};
  static constexpr const char* kToolNames[] = {"HEADER_ATTR",
                                               "HEADER_EVENT_TYPE",
                                               "HEADER_TRACING_DATA",
                                               "HEADER_BUILD_ID",
                                               "FINISHED_ROUND",
                                               "ID_INDEX",
                                               "AUXTRACE_INFO",
                                               "AUXTRACE",
                                               "AUXTRACE_ERROR",
                                               "THREAD_MAP",
                                               "CPU_MAP",
                                               "STAT_CONFIG",
                                               "STAT",
                                               "STAT_ROUND",
                                               "EVENT_UPDATE",
                                               "TIME_CONV",
                                               "HEADER_FEATURE",
                                               "COMPRESSED",
                                               "FINISHED_INIT",
                                               "COMPRESSED2",
                                               "BPF_METADATA"};
  if (type > 0 && type < std::size(kKernelNames)) return kKernelNames[type];
  if (type >= kRecordHeaderAttr && type < kRecordHeaderAttr + std::size(kToolNames)) {
    return kToolNames[type - kRecordHeaderAttr];
  }
  return fmt::format("type {}", type);
}

}  // namespace perf
