// SPDX-License-Identifier: BSD-2-Clause
// Measures the reading of records beside a copy of the same bytes, and checks that memory does not
// grow with the size of the file.
//
//   reader_bench [millions of switches, default 10]
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bench/fd_sink.h"
#include "fxt/encoder.h"
#include "fxt/reader.h"
#include "fxt/record_buffer.h"
#include "source/gzip_source.h"

namespace {

using fxt::EncodeStatus;

void Must(bool ok, const char* what) {
  if (ok) return;
  std::fprintf(stderr, "reader_bench: %s\n", what);
  std::exit(1);
}
void Must(EncodeStatus status) { Must(status == EncodeStatus::kOk, "a record cannot be encoded"); }

// Switches of 16 bytes between threads of the thread table, one CPU after another, as in most of a
// recording.
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
  uint64_t checksum = 0;  // keeps the compiler from removing the reads
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

double CpuSeconds() {
  timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

// Returns the CPU time of the best of five runs, which reduces the effect of other load.
double Seconds(const std::function<void()>& work) {
  double best = 1e9;
  for (int i = 0; i < 5; ++i) {
    const double start = CpuSeconds();
    work();
    best = std::min(best, CpuSeconds() - start);
  }
  return best;
}

void Report(const char* what, double seconds, uint64_t records, size_t bytes) {
  std::printf("%-28s %8.2f ns/record %8.2f GB/s\n", what,
              seconds * 1e9 / static_cast<double>(records),
              static_cast<double>(bytes) / seconds / 1e9);
}

class GzipFileSink final : public fxt::ByteSink {
 public:
  explicit GzipFileSink(int fd) : file_(gzdopen(dup(fd), "wb1")) {}
  ~GzipFileSink() override { Must(gzclose(file_) == Z_OK, "the records cannot be compressed"); }
  bool Write(std::span<const std::byte> records) override {
    const auto bytes = static_cast<unsigned>(records.size());
    return gzwrite(file_, records.data(), bytes) == static_cast<int>(bytes);
  }

 private:
  gzFile file_;
};

enum class Way { kMapped, kPipe, kGzip };

const char* NameOf(Way way) {
  switch (way) {
    case Way::kMapped:
      return "mapped file";
    case Way::kPipe:
      return "pipe";
    case Way::kGzip:
      return "gzip file";
  }
  return "?";
}

int MakeFile(uint64_t switches, Way way = Way::kMapped) {
  const char* folder = std::getenv("TMPDIR");
  const int fd = open(folder != nullptr ? folder : "/var/tmp", O_TMPFILE | O_RDWR, 0600);
  Must(fd >= 0, "no temporary file can be made (set TMPDIR)");
  if (way == Way::kGzip) {
    GzipFileSink sink(fd);
    WriteSwitches(sink, switches);
  } else {
    bench::FdSink sink(fd);
    WriteSwitches(sink, switches);
  }
  return fd;
}

void ReadFile(int fd, Way way) {
  switch (way) {
    case Way::kMapped: {
      std::error_code error;
      const auto source = fxt::MappedFileSource::Map(fd, error);
      Must(source != nullptr, "the file cannot be mapped");
      ReadAll(*source);
      break;
    }
    case Way::kPipe: {
      fxt::FdSource source(fd);
      ReadAll(source);
      break;
    }
    case Way::kGzip: {
      lseek(fd, 0, SEEK_SET);
      source::GzipSource source(std::make_unique<fxt::FdSource>(fd));
      ReadAll(source);
      break;
    }
  }
}

// Returns the peak resident set of a process that only reads the switches, in KiB.
long PeakKib(uint64_t switches, Way way) {
  int fds[2] = {-1, -1};
  pid_t writer = -1;
  if (way == Way::kPipe) {
    Must(pipe(fds) == 0, "no pipe");
    writer = fork();
    Must(writer >= 0, "fork failed");
    if (writer == 0) {
      bench::FdSink sink(fds[1]);
      WriteSwitches(sink, switches);
      _exit(0);
    }
    close(fds[1]);
  } else {
    fds[0] = MakeFile(switches, way);
  }
  const pid_t child = fork();
  Must(child >= 0, "fork failed");
  if (child == 0) {
    ReadFile(fds[0], way);
    _exit(0);
  }
  close(fds[0]);
  rusage usage;
  int status = 0;
  Must(wait4(child, &status, 0, &usage) == child && status == 0, "the child failed");
  if (writer > 0) Must(waitpid(writer, &status, 0) == writer && status == 0, "the writer failed");
  return usage.ru_maxrss;
}

bool MemoryIsFlat() {
  constexpr uint64_t kSwitches[2] = {1'000'000, 40'000'000};
  std::printf("\npeak resident memory of reading\n");
  bool flat = true;
  for (const Way way : {Way::kMapped, Way::kPipe, Way::kGzip}) {
    long peaks[2];
    for (int i = 0; i < 2; ++i) {
      peaks[i] = PeakKib(kSwitches[i], way);
      std::printf("%-12s %3llu million switches: %6.1f MiB\n", NameOf(way),
                  static_cast<unsigned long long>(kSwitches[i] / 1'000'000),
                  static_cast<double>(peaks[i]) / 1024);
    }
    flat = flat && peaks[1] < peaks[0] + 2048;
  }
  std::printf("memory grows with the number of records: %s\n", flat ? "no" : "YES");
  return flat;
}

}  // namespace

int main(int argc, char** argv) {
  const uint64_t millions = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 10;
  Must(millions > 0 && millions <= 1000, "say how many million switches, 1 to 1000");
  // This comes first: the peak of a child includes that of its parent.
  const bool flat = MemoryIsFlat();

  const uint64_t switches = millions * 1'000'000;
  MemorySink sink;
  WriteSwitches(sink, switches);
  const std::vector<std::byte>& bytes = sink.bytes;
  std::vector<std::byte> copy(bytes.size());
  Sum sum;
  std::printf("\n%llu million switches, %zu bytes, CPU time of the best of five runs\n",
              static_cast<unsigned long long>(millions), bytes.size());
  const double copying = Seconds([&] {
    std::memcpy(copy.data(), bytes.data(), bytes.size());
    // The compiler must not remove the copy.
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
  Report("reader, mapped file", Seconds([&] { ReadFile(fd, Way::kMapped); }), sum.records,
         bytes.size());
  const double read = Seconds([&] {
    lseek(fd, 0, SEEK_SET);
    ReadFile(fd, Way::kPipe);
  });
  Report("reader, read()", read, sum.records, bytes.size());
  std::printf("checksum %016llx\n", static_cast<unsigned long long>(sum.checksum));
  close(fd);
  return flat ? 0 : 1;
}
