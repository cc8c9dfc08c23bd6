// SPDX-License-Identifier: BSD-2-Clause
// How fast records are read, next to a plain copy of the same bytes in the same run, and that
// memory does not grow with the size of the file.
//
//   reader_bench [millions of switches, 10 if not said]
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "fxt/byte_sink.h"
#include "fxt/encoder.h"
#include "fxt/reader.h"
#include "fxt/record_buffer.h"

namespace {

using fxt::EncodeStatus;

void Must(bool ok, const char* what) {
  if (ok) return;
  std::fprintf(stderr, "reader_bench: %s\n", what);
  std::exit(1);
}
void Must(EncodeStatus status) { Must(status == EncodeStatus::kOk, "a record cannot be encoded"); }

class FdSink final : public fxt::ByteSink {
 public:
  explicit FdSink(int fd) : fd_(fd) {}
  bool Write(std::span<const std::byte> records) override {
    while (!records.empty()) {
      const ssize_t n = write(fd_, records.data(), records.size());
      if (n <= 0) return false;
      records = records.subspan(static_cast<size_t>(n));
    }
    return true;
  }

 private:
  int fd_;
};

// What a recorder's file is mostly made of: switches between threads of the thread table, 16 bytes
// each, one CPU's after the other's.
void WriteSwitches(fxt::ByteSink& sink, uint64_t count) {
  fxt::RecordBuffer buffer(sink);
  fxt::Encoder encoder(buffer);
  Must(encoder.Write(fxt::MagicNumber{}));
  Must(encoder.Write(fxt::ProviderInfo{1, "fxt-record"}));
  Must(encoder.Write(fxt::ProviderSection{1}));
  Must(encoder.Write(fxt::Initialization{1'000'000'000}));
  for (unsigned i = 1; i <= fxt::kMaxThreadIndex; ++i) {
    Must(encoder.Write(fxt::ThreadRecord{static_cast<uint8_t>(i), 1000 + i / 4, 1000 + i}));
  }
  uint64_t random = 88172645463325252;
  for (uint64_t i = 0; i < count; ++i) {
    random ^= random << 13;
    random ^= random >> 7;
    random ^= random << 17;
    Must(encoder.Write(fxt::LegacyContextSwitch{
        .timestamp = 1'000'000'000 + 700 * i,
        .cpu = static_cast<uint8_t>(random >> 8 & 7),
        .outgoing_state = random & 1 ? fxt::ThreadState::kBlocked : fxt::ThreadState::kNew,
        .outgoing = fxt::ThreadRef::Indexed(static_cast<uint8_t>(1 + (random >> 16) % 255)),
        .incoming = fxt::ThreadRef::Indexed(static_cast<uint8_t>(1 + (random >> 24) % 255)),
        .outgoing_priority = 120,
        .incoming_priority = 120}));
  }
  Must(buffer.Flush(), "the records cannot be written");
}

class MemorySink final : public fxt::ByteSink {
 public:
  bool Write(std::span<const std::byte> records) override {
    bytes.insert(bytes.end(), records.begin(), records.end());
    return true;
  }
  std::vector<std::byte> bytes;
};

struct Sum {
  uint64_t records = 0;
  uint64_t checksum = 0;  // keeps the loop honest: every switch's fields are looked at
};

Sum ReadAll(fxt::ByteSource& source) {
  fxt::Reader reader(source);
  Sum sum;
  while (reader.Next() == fxt::ReadStatus::kRecord) {
    ++sum.records;
    if (const auto* record = std::get_if<fxt::LegacyContextSwitch>(&reader.record())) {
      sum.checksum += reader.ToNanoseconds(record->timestamp) ^ record->outgoing.thread ^
                      record->incoming.thread << 20 ^ record->cpu;
    }
  }
  Must(reader.status() == fxt::ReadStatus::kEnd, "the file cannot be read");
  Must(reader.diagnostics().total() == 0, "the reader complains of its own benchmark");
  return sum;
}

double Seconds(const std::function<void()>& work) {
  double best = 1e9;
  for (int i = 0; i < 3; ++i) {
    const auto start = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    best = std::min(best, took.count());
  }
  return best;
}

void Report(const char* what, double seconds, uint64_t records, size_t bytes) {
  std::printf("%-28s %8.2f ns/record %8.2f GB/s\n", what,
              seconds * 1e9 / static_cast<double>(records),
              static_cast<double>(bytes) / seconds / 1e9);
}

int MakeFile(uint64_t switches) {
  const char* folder = std::getenv("TMPDIR");
  const int fd = open(folder != nullptr ? folder : "/var/tmp", O_TMPFILE | O_RDWR, 0600);
  Must(fd >= 0, "no temporary file can be made (set TMPDIR)");
  FdSink sink(fd);
  WriteSwitches(sink, switches);
  return fd;
}

void ReadFile(int fd, bool mapped) {
  lseek(fd, 0, SEEK_SET);
  if (!mapped) {
    fxt::FdSource source(fd);
    ReadAll(source);
    return;
  }
  std::error_code error;
  const auto source = fxt::MappedFileSource::Map(fd, error);
  Must(source != nullptr, "the file cannot be mapped");
  ReadAll(*source);
}

// Largest resident set of a process that does nothing but read the file, in KiB.
long PeakKib(int fd, bool mapped) {
  const pid_t child = fork();
  Must(child >= 0, "fork failed");
  if (child == 0) {
    ReadFile(fd, mapped);
    _exit(0);
  }
  rusage usage;
  int status = 0;
  Must(wait4(child, &status, 0, &usage) == child && status == 0, "the child failed");
  return usage.ru_maxrss;
}

bool MemoryIsFlat() {
  std::printf("\npeak resident memory of reading a file\n");
  bool flat = true;
  for (const bool mapped : {true, false}) {
    long peaks[2];
    for (int i = 0; i < 2; ++i) {
      const uint64_t switches = i == 0 ? 2'000'000 : 20'000'000;
      const int fd = MakeFile(switches);
      peaks[i] = PeakKib(fd, mapped);
      close(fd);
      std::printf("%-10s %5llu MB: %6.1f MiB\n", mapped ? "mapped" : "descriptor",
                  static_cast<unsigned long long>(switches * 16 / 1'000'000),
                  static_cast<double>(peaks[i]) / 1024);
    }
    flat = flat && peaks[1] < peaks[0] + 4096;
  }
  std::printf("memory grows with the file: %s\n", flat ? "no" : "YES");
  return flat;
}

}  // namespace

int main(int argc, char** argv) {
  const uint64_t millions = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 10;
  Must(millions > 0 && millions <= 1000, "say how many million switches, 1 to 1000");
  // First, while this process is small: a child's peak starts from its parent's.
  const bool flat = MemoryIsFlat();

  const uint64_t switches = millions * 1'000'000;
  MemorySink sink;
  WriteSwitches(sink, switches);
  const std::vector<std::byte>& bytes = sink.bytes;
  std::vector<std::byte> copy(bytes.size());
  Sum sum;
  std::printf("\n%llu million switches, %zu bytes, best of three\n",
              static_cast<unsigned long long>(millions), bytes.size());
  const double copying = Seconds([&] {
    std::memcpy(copy.data(), bytes.data(), bytes.size());
    // The copy must happen.
    asm volatile("" : : "r"(copy.data()) : "memory");
  });
  Report("memcpy", copying, switches, bytes.size());
  const double reading = Seconds([&] {
    fxt::MemorySource source(bytes);
    sum = ReadAll(source);
  });
  Must(sum.records > switches, "records are missing");
  Report("reader, from memory", reading, sum.records, bytes.size());
  const int fd = MakeFile(switches);
  Report("reader, mapped file", Seconds([&] { ReadFile(fd, true); }), sum.records, bytes.size());
  Report("reader, descriptor", Seconds([&] { ReadFile(fd, false); }), sum.records, bytes.size());
  std::printf("checksum %016llx\n", static_cast<unsigned long long>(sum.checksum));
  close(fd);
  return flat ? 0 : 1;
}
