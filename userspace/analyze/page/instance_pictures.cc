// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/page/instance_pictures.h"

#include <algorithm>
#include <cmath>

#include "analyze/document/render.h"
#include "analyze/draw/drawing_svg.h"
#include "measure/store/load.h"

namespace analyze {
namespace {

using document::Value;

Drawing::State StateOf(facts::Share share) {
  switch (share) {
    case facts::Share::kRunning:
      return Drawing::State::kRunning;
    case facts::Share::kRunnableWakeup:
      return Drawing::State::kWakeup;
    case facts::Share::kRunnablePreempted:
      return Drawing::State::kPreempted;
    case facts::Share::kSleeping:
      return Drawing::State::kSleeping;
    case facts::Share::kBlocked:
      return Drawing::State::kBlocked;
    case facts::Share::kStopped:
      return Drawing::State::kStopped;
    case facts::Share::kThrottled:
      return Drawing::State::kThrottled;
    default:
      return Drawing::State::kUnknown;
  }
}

facts::Share ShareOf(facts::WaitKind kind) {
  switch (kind) {
    case facts::WaitKind::kWakeup:
      return facts::Share::kRunnableWakeup;
    case facts::WaitKind::kPreempted:
      return facts::Share::kRunnablePreempted;
    case facts::WaitKind::kBlocked:
      return facts::Share::kBlocked;
    case facts::WaitKind::kSleep:
      return facts::Share::kSleeping;
    case facts::WaitKind::kThrottled:
      return facts::Share::kThrottled;
    default:
      return facts::Share::kUnknown;
  }
}

// The thread of the instance, and its wakers.
std::vector<fxt::Koid> ThreadsOf(const InstancePicture& picture) {
  std::vector<fxt::Koid> threads = {picture.instance.thread};
  for (const WakeLink& link : picture.chain) {
    if (link.waker && std::find(threads.begin(), threads.end(), *link.waker) == threads.end()) {
      threads.push_back(*link.waker);
    }
  }
  return threads;
}

Value ThreadData(fxt::Koid koid, const facts::TaskNames& names) {
  const auto* thread = names.thread(koid);
  Value data(Value::Object{{"id", koid}});
  data.Set("name", names.thread_name(koid));
  if (thread != nullptr && thread->process) {
    data.Set("process", *thread->process);
    data.Set("process_name", names.process_name(*thread->process));
  }
  return data;
}

double Rounded(double pixels) { return std::round(pixels * 100) / 100; }

// [kind, x, y, ...], as draw.js reads it.
Value ShapeData(const Shape& shape) {
  static constexpr const char* kStyles[] = {"", "strong", "centred", "thin", "dashed"};
  Value data(Value::List{});
  const auto add = [&](auto... values) { (data.Append(values), ...); };
  const auto style = static_cast<size_t>(shape.style);
  const double x = Rounded(shape.x);
  const double y = Rounded(shape.y);
  switch (shape.kind) {
    case Shape::Kind::kRect:
      add("rect", x, y, Rounded(shape.width), Rounded(shape.height), shape.colour);
      break;
    case Shape::Kind::kLine:
      add("line", x, y, Rounded(shape.width), Rounded(shape.height), shape.colour, kStyles[style]);
      break;
    case Shape::Kind::kText:
      add("text", x, y, shape.size, shape.text, shape.colour, kStyles[style]);
      break;
    case Shape::Kind::kArrowHead:
      add("head", x, y, shape.height, shape.colour);
      break;
  }
  if (!shape.tip.empty()) add(shape.tip);
  return data;
}

Value PictureData(const InstancePicture& picture, const FilePictures& of) {
  Value data(Value::Object{{"file", of.file}});
  data.Set("begin_ns", picture.instance.begin);
  data.Set("length_ns", picture.instance.length);
  data.Set("first_ns", picture.first);
  data.Set("last_ns", picture.last);
  data.Set("thread", ThreadData(picture.instance.thread, *of.names));
  Value chain(Value::List{});
  for (const WakeLink& link : picture.chain) {
    Value step(Value::Object{{"time_ns", link.time}});
    step.Set("woken", ThreadData(link.woken, *of.names));
    if (link.waker) step.Set("waker", ThreadData(*link.waker, *of.names));
    chain.Append(std::move(step));
  }
  data.Set("chain", std::move(chain));
  const Picture drawn = PictureOf(DrawingOf(picture, *of.names, of.begin), "");
  data.Set("width", drawn.width);
  data.Set("height", drawn.height);
  Value shapes(Value::List{});
  for (const Shape& shape : drawn.shapes) shapes.Append(ShapeData(shape));
  data.Set("shapes", std::move(shapes));
  return document::OnOwnLine(std::move(data));
}

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
    files.push_back({file, watcher.begin(), watcher.pictures(), watcher.names()});
  }
  return files;
}

InstancePicture InstancePictureOf(const WorstWait& wait) {
  const uint64_t margin = wait.length() / 8;
  InstancePicture picture;
  picture.instance = {wait.begin, wait.length(), wait.thread};
  picture.first = wait.begin - std::min(wait.begin, margin);
  picture.last = wait.end + std::min(margin, UINT64_MAX - wait.end);
  picture.chain = wait.chain;
  picture.states.push_back({wait.begin, wait.end, wait.thread, ShareOf(wait.kind)});
  const std::vector<fxt::Koid> threads = ThreadsOf(picture);
  for (const Interval& interval : wait.around) {
    const uint64_t begin = std::max(interval.begin, picture.first);
    const uint64_t end = std::min(interval.end, picture.last);
    if (begin >= end) continue;
    auto lane = std::find_if(picture.cpus.begin(), picture.cpus.end(),
                             [&](const auto& one) { return one.cpu == interval.cpu; });
    if (lane == picture.cpus.end()) {
      lane = picture.cpus.insert(lane, InstancePicture::Lane{interval.cpu, {}});
    }
    using Activity = InstancePicture::Activity;
    const bool runs = interval.what == Interval::What::kRun;
    lane->pieces.push_back({begin, end,
                            runs                                     ? Activity::kRun
                            : interval.what == Interval::What::kIdle ? Activity::kIdle
                                                                     : Activity::kUnknown,
                            interval.thread, runs ? end - begin : 0});
    if (runs && std::find(threads.begin(), threads.end(), interval.thread) != threads.end()) {
      picture.states.push_back({begin, end, interval.thread, facts::Share::kRunning});
    }
  }
  std::sort(picture.cpus.begin(), picture.cpus.end(),
            [](const auto& a, const auto& b) { return a.cpu < b.cpu; });
  return picture;
}

Drawing DrawingOf(const InstancePicture& picture, const facts::TaskNames& names, uint64_t begin) {
  Drawing drawing;
  drawing.first = begin;
  drawing.begin = picture.first;
  drawing.end = std::max(picture.last, picture.first + 1);
  drawing.focus = {picture.instance.begin,
                   std::min(drawing.end, picture.instance.begin + picture.instance.length)};
  const std::vector<fxt::Koid> threads = ThreadsOf(picture);
  for (const InstancePicture::Lane& from : picture.cpus) {
    Drawing::CpuLane& lane = drawing.cpus.emplace_back();
    lane.cpu = from.cpu;
    for (const InstancePicture::Piece& piece : from.pieces) {
      if (piece.what == InstancePicture::Activity::kUnknown) continue;
      const double length = static_cast<double>(std::max<uint64_t>(1, piece.end - piece.begin));
      const double busy = static_cast<double>(piece.busy_ns) / length;
      drawing.EachSlot({piece.begin, piece.end}, [&](size_t slot, double ns) {
        lane.busy[slot] += ns * busy;
        lane.idle[slot] += ns * (1 - busy);
      });
      if (piece.what != InstancePicture::Activity::kRun || length < drawing.slot_ns()) continue;
      const auto role = std::find(threads.begin(), threads.end(), piece.thread);
      lane.runs.push_back({piece.begin, piece.end, names.thread_name(piece.thread),
                           role == threads.begin() ? Drawing::Mark::kSelf
                           : role == threads.end() ? Drawing::Mark::kNone
                                                   : Drawing::Mark::kWaker});
    }
  }
  for (const fxt::Koid koid : threads) {
    Drawing::ThreadLane& lane = drawing.threads.emplace_back();
    lane.koid = koid;
    lane.tid = koid & 0x3fffff;
    lane.thread = names.thread_name(koid);
    const auto* thread = names.thread(koid);
    if (thread != nullptr && thread->process) lane.process = names.process_name(*thread->process);
    lane.slots.resize(Drawing::kSlots);
    for (const InstancePicture::State& state : picture.states) {
      if (state.thread != koid || state.share == facts::Share::kAbsent) continue;
      drawing.EachSlot({state.begin, state.end}, [&](size_t slot, double ns) {
        lane.slots[slot][static_cast<size_t>(StateOf(state.share))] += ns;
      });
    }
  }
  for (const WakeLink& link : picture.chain) {
    drawing.wakes.push_back({link.time, link.waker, link.woken});
  }
  return drawing;
}

std::string PicturesJson(const std::vector<FilePictures>& files) {
  Value list(Value::List{});
  for (const FilePictures& of : files) {
    for (const InstancePicture& picture : of.pictures) {
      if (!picture.cpus.empty()) list.Append(PictureData(picture, of));
    }
  }
  return document::RenderJson(list);
}

}  // namespace analyze
