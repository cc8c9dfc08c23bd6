// SPDX-License-Identifier: BSD-2-Clause
// A program that uses the installed library: writes a trace to the file in its argument, reads it
// and prints the counts.
#include <fxt/archive_writer.h>
#include <fxt/byte_source.h>
#include <fxt/provider_writer.h>
#include <fxt/reader.h>

#include <cstdio>
#include <span>
#include <string>
#include <variant>

namespace {

class FileSink final : public fxt::ByteSink {
 public:
  explicit FileSink(std::FILE* file) : file_(file) {}
  bool Write(std::span<const std::byte> records) override {
    return std::fwrite(records.data(), 1, records.size(), file_) == records.size();
  }

 private:
  std::FILE* file_;
};

bool WriteTrace(std::FILE* file) {
  FileSink sink(file);
  fxt::ArchiveWriter archive(sink);
  fxt::ProviderWriter writer(archive, "another program");
  const fxt::ThreadKey main_thread{.handle = 1, .process = 100, .thread = 101};
  const fxt::ThreadKey worker{.handle = 2, .process = 100, .thread = 102};
  const fxt::StringId category = writer.Declare("work");
  const fxt::StringId name = writer.Declare("step");
  bool fine = true;
  for (uint64_t step = 0; step < 10; ++step) {
    const fxt::Ticks time = 1000 * step;
    fine &= writer.WriteEvent(fxt::EventType::kDurationBegin, time, main_thread, category, name) ==
            fxt::EncodeStatus::kOk;
    fine &= writer.WriteEvent(fxt::EventType::kDurationEnd, time + 500, main_thread, category,
                              name) == fxt::EncodeStatus::kOk;
    fine &= writer.WriteContextSwitch(time + 500, 0, fxt::ThreadState::kBlocked, main_thread,
                                      worker, 120, 120) == fxt::EncodeStatus::kOk;
    fine &= writer.WriteContextSwitch(time + 600, 0, fxt::ThreadState::kBlocked, worker,
                                      main_thread, 120, 120) == fxt::EncodeStatus::kOk;
  }
  return archive.Flush() && fine;
}

bool ReadTrace(std::FILE* file) {
  fxt::FdSource source(fileno(file));
  fxt::Reader reader(source);
  int events = 0;
  int switches = 0;
  while (reader.Next() == fxt::ReadStatus::kRecord) {
    if (const auto* event = std::get_if<fxt::Event>(&reader.record())) {
      events += event->name.text == "step" && event->thread.thread == 101;
    } else if (std::holds_alternative<fxt::LegacyContextSwitch>(reader.record())) {
      ++switches;
    }
  }
  std::printf("%s: %d events, %d switches%s\n", std::string(reader.provider().name()).c_str(),
              events, switches, reader.error_message().c_str());
  return reader.status() == fxt::ReadStatus::kEnd && !reader.truncated();
}

}  // namespace

int main(int argc, char** argv) {
  std::FILE* file = argc == 2 ? std::fopen(argv[1], "wb+") : nullptr;
  if (file == nullptr) {
    std::fprintf(stderr, "usage: %s TRACE-TO-WRITE\n", argv[0]);
    return 2;
  }
  const bool written = WriteTrace(file) && std::fflush(file) == 0;
  std::rewind(file);
  const bool fine = written && ReadTrace(file);
  return std::fclose(file) == 0 && fine ? 0 : 1;
}
