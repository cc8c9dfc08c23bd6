// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/page/instance_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "facts/object_names.h"
#include "measure/store/load.h"
#include "text/json_writer.h"

namespace analyze {
namespace {

using Picture = InstancePicture;

constexpr std::array<const char*, 4> kInstantWhats = {"run", "idle", "unknown", "many"};

class InstanceWriter {
 public:
  InstanceWriter(text::JsonWriter& json, const Picture& picture, const facts::ObjectNames& names)
      : json_(json), picture_(picture), names_(names) {}

  void Write(std::string_view file) {
    json_.Line().BeginObject().Key("file").String(file);
    json_.Key("begin_ns").Unsigned(picture_.instance.begin);
    json_.Key("length_ns").Unsigned(picture_.instance.length);
    json_.Key("first_ns").Unsigned(picture_.first).Key("last_ns").Unsigned(picture_.last);
    Thread("thread", picture_.instance.thread);
    Chain();
    Cpus();
    Threads();
    json_.EndObject();
  }

 private:
  void Thread(const char* key, fxt::Koid koid) {
    const auto* thread = names_.thread(koid);
    json_.Key(key).BeginObject().Key("id").Unsigned(koid);
    json_.Key("name").String(thread == nullptr ? std::string_view() : thread->name);
    if (thread != nullptr && thread->process) {
      json_.Key("process").Unsigned(*thread->process);
      json_.Key("process_name").String(names_.process_name(*thread->process));
    }
    json_.EndObject();
  }

  void Chain() {
    json_.Key("chain").BeginArray();
    for (const WakeLink& link : picture_.chain) {
      json_.BeginObject().Key("time_ns").Unsigned(link.time);
      Thread("woken", link.woken);
      if (link.waker) Thread("waker", *link.waker);
      json_.EndObject();
    }
    json_.EndArray();
  }

  void Cpus() {
    json_.Key("cpus").BeginArray();
    for (const Picture::Lane& lane : picture_.cpus) {
      json_.Line().BeginObject().Key("cpu").Unsigned(lane.cpu).Key("pieces").BeginArray();
      for (const Picture::Piece& piece : lane.pieces) {
        json_.BeginObject().Key("what").String(kInstantWhats[static_cast<size_t>(piece.what)]);
        json_.Key("begin_ns").Unsigned(piece.begin).Key("end_ns").Unsigned(piece.end);
        if (piece.what == Picture::What::kMany) json_.Key("busy_ns").Unsigned(piece.busy_ns);
        if (piece.what == Picture::What::kRun) Thread("thread", piece.thread);
        json_.EndObject();
      }
      json_.EndArray().EndObject();
    }
    json_.EndArray();
  }

  void Threads() {
    std::vector<fxt::Koid> threads = {picture_.instance.thread};
    for (const WakeLink& link : picture_.chain) {
      const bool known =
          !link.waker || std::find(threads.begin(), threads.end(), *link.waker) != threads.end();
      if (!known) threads.push_back(*link.waker);
    }
    json_.Key("threads").BeginArray();
    for (const fxt::Koid thread : threads) {
      json_.Line().BeginObject();
      Thread("thread", thread);
      json_.Key("states").BeginArray();
      for (const Picture::State& state : picture_.states) {
        if (state.thread != thread) continue;
        json_.BeginObject().Key("state").String(
            facts::kShareNames[static_cast<size_t>(state.share)]);
        json_.Key("begin_ns").Unsigned(state.begin).Key("end_ns").Unsigned(state.end).EndObject();
      }
      json_.EndArray().EndObject();
    }
    json_.EndArray();
  }

  text::JsonWriter& json_;
  const Picture& picture_;
  const facts::ObjectNames& names_;
};

}  // namespace

std::vector<FilePictures> ReadPictures(
    const std::map<std::string, std::vector<Instance>>& by_file) {
  std::vector<FilePictures> files;
  for (const auto& [file, instances] : by_file) {
    if (file == "-" || instances.empty()) continue;
    InstanceWatcher watcher(instances);
    measure::LoadOptions load;
    load.collector.watcher = &watcher;
    load.collector.to = watcher.until();
    if (!measure::Load(file, load)) continue;
    files.push_back({file, watcher.pictures(), watcher.names()});
  }
  return files;
}

std::string PicturesJson(const std::vector<FilePictures>& files) {
  fmt::memory_buffer out;
  text::JsonWriter json(out);
  json.BeginArray();
  for (const FilePictures& of : files) {
    for (const InstancePicture& picture : of.pictures) {
      if (!picture.cpus.empty()) InstanceWriter(json, picture, of.names).Write(of.file);
    }
  }
  json.EndArray();
  return fmt::to_string(out);
}

}  // namespace analyze
