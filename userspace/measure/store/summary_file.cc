// SPDX-License-Identifier: BSD-2-Clause
#include "measure/store/summary_file.h"

#include <fmt/format.h>
#include <libdeflate.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>

#include "measure/store/summary_bytes.h"

namespace measure {
namespace {

// The bytes of text that some transports change, as in PNG's.
constexpr std::string_view kMagic(
    "\x89"
    "FXS\r\n\x1a\n",
    kSummaryMagicBytes);
constexpr uint32_t kVersion = 5;
// Behind the magic: version and size of what is compressed, of 32 bits each.
constexpr size_t kHeaderBytes = kSummaryMagicBytes + 8;
// Histograms are larger in memory than in a file: 192 MiB in pages of 64 bytes.
constexpr size_t kMaxPages = size_t{3} << 20;
// A distribution by name takes more than its five bytes: it, its name, and a node of a map.
constexpr size_t kDistributionPages = (sizeof(Distribution) + 64) / 64 + 1;
// A setting: it, its texts, and a node of a map; and each of its values.
constexpr size_t kSettingPages = (sizeof(SettingMap::value_type) + 64) / 64 + 2;
constexpr size_t kValuePages = 2;
// Purposes of sleeps: it, its texts, and a node of a map.
constexpr size_t kObjectPages = (sizeof(WaitedObject) + sizeof(Blame) + 64) / 64 + 3;
// A part of requests: it, its texts, and a node of a map.
constexpr size_t kPartPages = (sizeof(PathPart) + 64) / 64 + 3;
constexpr int kLevel = 9;

// The least that a group takes, see Put: four empty names, flags, ten numbers, the shares, four
// bytes a distribution, and the counts of system calls, of each kind of blame, of objects, limits
// and pids.
constexpr size_t kLeastGroupBytes =
    4 + 1 + 10 + facts::kShares + facts::kUnknownCauses + 4 * kDurations + 1 + kAttributions + 3;

util::Error Damaged() { return {"the summary is damaged", "make it again with fxt summarize"}; }

void Put(SummaryWriter& out, const Histogram& histogram) {
  const auto buckets = histogram.buckets();
  out.Number(buckets.size());
  uint32_t last = 0;
  for (const auto& [bucket, count] : buckets) {
    out.Number(bucket - last);
    last = bucket;
  }
  for (const auto& [bucket, count] : buckets) out.Number(count);
}

void Put(SummaryWriter& out, const Distribution& times) {
  Put(out, times.whole);
  if (!times.whole.empty()) {
    out.Number(times.whole_ns);
    out.Number(times.longest_ns);
  }
  Put(out, times.cut);
  if (!times.cut.empty()) out.Number(times.cut_ns);
  out.Number(times.unknown);
  if (times.unknown != 0) out.Number(times.unknown_ns);
  out.Number(times.worst.size());
  for (const Instance& instance : times.worst) {
    out.Number(instance.begin);
    out.Number(instance.length);
    out.Number(instance.thread);
    out.Number(instance.cpu);
  }
}

void Put(SummaryWriter& out, const std::map<std::string, Distribution>& named) {
  out.Number(named.size());
  for (const auto& [name, times] : named) {
    out.Text(name);
    Put(out, times);
  }
}

// Those that are no group are the first two numbers.
constexpr uint32_t kSpecials = 2;
uint64_t NumberOf(uint32_t group) {
  if (group == kNoGroup) return 0;
  return group == kInterrupt ? 1 : uint64_t{group} + kSpecials;
}

void Put(SummaryWriter& out, const std::map<uint32_t, Blame>& blames) {
  out.Number(blames.size());
  for (const auto& [group, blame] : blames) {
    out.Number(NumberOf(group));
    out.Number(blame.count);
    out.Number(blame.ns);
    out.Number(blame.blocked_ns);
    out.Number(blame.blocked);
  }
}

void Put(SummaryWriter& out, const Group& group) {
  for (const std::string* name :
       {&group.name.process, &group.name.thread, &group.exact_process, &group.exact_thread}) {
    out.Text(*name);
  }
  out.Byte(static_cast<uint8_t>((group.name.of_command ? 1 : 0) | (group.of_recorder ? 2 : 0)));
  for (const uint64_t value :
       {group.threads, group.switches_voluntary, group.switches_involuntary, group.wakeups,
        group.migrations, group.forked_processes, group.forked_threads, group.inversion_ns,
        group.unconserved_ns, group.affinity_ns, group.weight_ns, group.rt_throttled_ns,
        group.after_blocked_ns}) {
    out.Number(value);
  }
  for (const uint64_t share : group.share_ns) out.Number(share);
  for (const uint64_t unknown : group.unknown_ns) out.Number(unknown);
  for (const Distribution& times : group.times) Put(out, times);
  Put(out, group.syscalls);
  for (const auto& blames : group.blames) Put(out, blames);
  out.Number(group.waited_objects.size());
  for (const auto& [object, blame] : group.waited_objects) {
    out.Byte(static_cast<uint8_t>(static_cast<unsigned>(object.waits_for) << 1 |
                                  (object.blocked ? 1 : 0)));
    for (const std::string* text : {&object.syscall, &object.kind, &object.object}) out.Text(*text);
    out.Number(blame.count);
    out.Number(blame.ns);
  }
  out.Number(group.limits.size());
  for (const auto& [limit, ns] : group.limits) {
    out.Text(limit.cgroup);
    for (const uint64_t value : {limit.quota_ns, limit.period_ns, ns}) out.Number(value);
  }
  out.Number(group.pids.size());
  for (const uint64_t pid : group.pids) out.Number(pid);
}

void Put(SummaryWriter& out, const SettingMap& settings) {
  out.Number(settings.size());
  for (const auto& [key, values] : settings) {
    out.Byte(
        static_cast<uint8_t>(static_cast<unsigned>(key.scope) << 1 | (key.of_command ? 1 : 0)));
    out.Text(key.subject);
    out.Text(key.name);
    out.Byte(static_cast<uint8_t>(values.values.size() << 1 | (values.more ? 1 : 0)));
    for (const std::string& value : values.values) out.Text(value);
  }
}

void Put(SummaryWriter& out, const RequestMap& requests) {
  out.Number(requests.size());
  for (const auto& [name, stats] : requests) {
    out.Text(name);
    Put(out, stats.times);
    out.Number(stats.parts.size());
    for (const auto& [part, ns] : stats.parts) {
      out.Byte(static_cast<uint8_t>(static_cast<unsigned>(part.kind) << 1 | (part.is_own ? 1 : 0)));
      for (const std::string* text : {&part.thread, &part.waited_for, &part.object}) {
        out.Text(*text);
      }
      out.Number(ns);
    }
  }
}

// Takes a payload apart, with what it may take of memory.
class PayloadReader {
 public:
  // `pages` of those that may be taken are taken already.
  explicit PayloadReader(std::span<const std::byte> bytes, size_t pages = 0)
      : in_(bytes), pages_(pages) {}

  Capture Read() {
    Capture capture;
    for (std::string* text :
         {&capture.file, &capture.recorder, &capture.host, &capture.kernel, &capture.categories,
          &capture.filters, &capture.trigger, &capture.command}) {
      *text = in_.Text();
    }
    const uint8_t has = in_.Byte();
    if (has > 3) in_.Fail();
    if ((has & 1) != 0) capture.start_time = std::bit_cast<double>(in_.Number());
    if ((has & 2) != 0) capture.elapsed_ns = in_.Number();
    capture.cpus = static_cast<uint32_t>(in_.NumberUpTo(UINT16_MAX + 1));
    capture.begin = in_.Number();
    capture.end = capture.begin + in_.NumberUpTo(UINT64_MAX - capture.begin);
    capture.lost_events = in_.Number();
    capture.unseen_switches = in_.Number();
    const size_t cpus = in_.Count(3);
    if (cpus > UINT16_MAX + 1) in_.Fail();
    for (size_t i = 0; i < cpus && !in_.failed(); ++i) {
      Capture::Cpu& cpu = capture.by_cpu.emplace_back();
      cpu.busy_ns = in_.Number();
      cpu.idle_ns = in_.Number();
      cpu.unknown_ns = in_.Number();
    }
    Get(capture.handlers);
    groups_ = in_.Count(kLeastGroupBytes);
    for (size_t i = 0; i < groups_ && !in_.failed(); ++i) {
      Group& group = capture.groups.emplace_back();
      Get(group);
      if (i != 0 && !(capture.groups[i - 1].name < group.name)) in_.Fail();
    }
    if (!in_.failed()) Get(capture.settings);
    if (!in_.failed()) Get(capture.requests);
    capture.requests_left_out = in_.Number();
    return capture;
  }
  bool failed() const { return in_.failed() || !in_.at_end(); }
  size_t pages() const { return pages_; }

 private:
  void Get(Histogram& histogram) {
    const size_t count = in_.Count(2);
    std::vector<uint32_t> buckets(count);
    uint64_t bucket = 0;
    for (size_t i = 0; i < count && !in_.failed(); ++i) {
      const uint64_t step = in_.NumberUpTo(Histogram::kBuckets);
      if (step == 0 && i != 0) in_.Fail();
      bucket += step;
      if (bucket >= Histogram::kBuckets) return in_.Fail();
      buckets[i] = static_cast<uint32_t>(bucket);
    }
    // A page for each octave from the first to the last, and one for four large counts.
    if (count != 0) {
      TakePages(1 + (buckets.back() >> Histogram::kBucketBits) -
                (buckets.front() >> Histogram::kBucketBits) + count / 4);
    }
    for (const uint32_t each : buckets) {
      const uint64_t more = in_.Number();
      if (more == 0 || more > UINT64_MAX - histogram.count()) in_.Fail();
      if (in_.failed()) return;
      histogram.AddToBucket(each, more);
    }
  }

  void Get(Distribution& times) {
    Get(times.whole);
    if (!times.whole.empty()) {
      times.whole_ns = in_.Number();
      times.longest_ns = in_.Number();
    }
    Get(times.cut);
    if (!times.cut.empty()) times.cut_ns = in_.Number();
    times.unknown = in_.Number();
    if (times.unknown != 0) times.unknown_ns = in_.Number();
    const size_t worst = in_.NumberUpTo(Distribution::kWorst);
    for (size_t i = 0; i < worst && !in_.failed(); ++i) {
      Instance instance;
      instance.begin = in_.Number();
      instance.length = in_.Number();
      instance.thread = in_.Number();
      instance.cpu = static_cast<uint32_t>(in_.NumberUpTo(UINT32_MAX));
      if (i != 0 && instance.length > times.worst.back().length) in_.Fail();
      times.Keep(instance);
    }
  }

  void Get(std::map<std::string, Distribution>& named) {
    const size_t count = in_.Count(5);
    std::string last;
    for (size_t i = 0; i < count && !in_.failed(); ++i) {
      std::string name = in_.Text();
      if (i != 0 && name <= last) in_.Fail();
      last = name;
      TakePages(kDistributionPages);
      Get(named[std::move(name)]);
    }
  }

  void Get(std::map<uint32_t, Blame>& blames) {
    const size_t count = in_.Count(5);
    for (size_t i = 0; i < count && !in_.failed(); ++i) {
      const uint64_t number = in_.NumberUpTo(groups_ + kSpecials - 1);
      const uint32_t group = number == 0   ? kNoGroup
                             : number == 1 ? kInterrupt
                                           : static_cast<uint32_t>(number - kSpecials);
      const auto [at, fresh] = blames.try_emplace(group);
      // Groups come in order of their numbers in memory.
      if (!fresh || std::next(at) != blames.end()) in_.Fail();
      at->second.count = in_.Number();
      at->second.ns = in_.Number();
      at->second.blocked_ns = in_.Number();
      at->second.blocked = in_.Number();
    }
  }

  void Get(std::map<measure::WaitedObject, Blame>& objects) {
    constexpr size_t kLeastBytes = 6;
    const size_t count = in_.Count(kLeastBytes);
    for (size_t i = 0; i < count && !in_.failed(); ++i) {
      WaitedObject object;
      const uint8_t flags = in_.Byte();
      if (flags >> 1 >= facts::kWaitsFor) in_.Fail();
      object.blocked = (flags & 1) != 0;
      object.waits_for = static_cast<facts::WaitsFor>(flags >> 1);
      size_t bytes = 0;
      for (std::string* text : {&object.syscall, &object.kind, &object.object}) {
        *text = in_.Text();
        bytes += text->size();
      }
      TakePages(kObjectPages + bytes / 64);
      if (i != 0 && !(objects.rbegin()->first < object)) return in_.Fail();
      Blame& blame = objects.emplace_hint(objects.end(), std::move(object), Blame{})->second;
      blame.count = in_.Number();
      blame.ns = in_.Number();
    }
  }

  void Get(Group& group) {
    for (std::string* name :
         {&group.name.process, &group.name.thread, &group.exact_process, &group.exact_thread}) {
      *name = in_.Text();
    }
    const uint8_t flags = in_.Byte();
    if (flags > 3) in_.Fail();
    group.name.of_command = (flags & 1) != 0;
    group.of_recorder = (flags & 2) != 0;
    for (uint64_t* value :
         {&group.threads, &group.switches_voluntary, &group.switches_involuntary, &group.wakeups,
          &group.migrations, &group.forked_processes, &group.forked_threads, &group.inversion_ns,
          &group.unconserved_ns, &group.affinity_ns, &group.weight_ns, &group.rt_throttled_ns,
          &group.after_blocked_ns}) {
      *value = in_.Number();
    }
    for (uint64_t& share : group.share_ns) share = in_.Number();
    for (uint64_t& unknown : group.unknown_ns) unknown = in_.Number();
    for (Distribution& times : group.times) Get(times);
    Get(group.syscalls);
    for (auto& blames : group.blames) Get(blames);
    Get(group.waited_objects);
    // A merged summary has those of all captures.
    constexpr size_t kMostLimits = 4096;
    const size_t limits = in_.NumberUpTo(kMostLimits);
    for (size_t i = 0; i < limits && !in_.failed(); ++i) {
      facts::CpuLimit limit{.cgroup = in_.Text()};
      limit.quota_ns = in_.Number();
      limit.period_ns = in_.Number();
      const uint64_t ns = in_.Number();
      if (!group.limits.empty() && !(group.limits.rbegin()->first < limit)) in_.Fail();
      group.limits.emplace_hint(group.limits.end(), std::move(limit), ns);
    }
    const size_t pids = in_.NumberUpTo(Group::kPids);
    for (size_t i = 0; i < pids && !in_.failed(); ++i) {
      group.pids.push_back(in_.Number());
      if (i != 0 && group.pids[i] <= group.pids[i - 1]) in_.Fail();
    }
  }

  void Get(SettingMap& settings) {
    constexpr size_t kLeastBytes = 4;
    const size_t count = in_.Count(kLeastBytes);
    if (count > kMostSettings) in_.Fail();
    for (size_t i = 0; i < count && !in_.failed(); ++i) {
      SettingKey key;
      const uint8_t flags = in_.Byte();
      if (flags >> 1 >= schema::kSettingScopes) return in_.Fail();
      key.scope = static_cast<schema::SettingScope>(flags >> 1);
      key.of_command = (flags & 1) != 0;
      key.subject = in_.Text();
      key.name = in_.Text();
      const uint8_t values = in_.Byte();
      if (values >> 1 > SettingValues::kMost) return in_.Fail();
      TakePages(kSettingPages + key.subject.size() / 64 + key.name.size() / 64);
      if (i != 0 && !(std::prev(settings.end())->first < key)) return in_.Fail();
      SettingValues& to = settings[std::move(key)];
      to.more = (values & 1) != 0;
      for (unsigned v = 0; v < values >> 1; ++v) {
        std::string value = in_.Text();
        if (v != 0 && value <= *to.values.rbegin()) return in_.Fail();
        TakePages(kValuePages + value.size() / 64);
        to.values.insert(std::move(value));
      }
    }
  }

  void Get(RequestMap& requests) {
    constexpr size_t kLeastBytes = 6;
    constexpr size_t kLeastPartBytes = 5;
    const size_t count = in_.Count(kLeastBytes);
    for (size_t i = 0; i < count && !in_.failed(); ++i) {
      std::string name = in_.Text();
      if (i != 0 && !(requests.rbegin()->first < name)) return in_.Fail();
      TakePages(kDistributionPages + 1 + name.size() / 64);
      RequestStats& stats =
          requests.emplace_hint(requests.end(), std::move(name), RequestStats())->second;
      Get(stats.times);
      const size_t parts = in_.Count(kLeastPartBytes);
      if (parts > RequestStats::kParts) return in_.Fail();
      for (size_t p = 0; p < parts && !in_.failed(); ++p) {
        PathPart part;
        const uint8_t flags = in_.Byte();
        if (flags >> 1 >= path::kPartKinds) return in_.Fail();
        part.kind = static_cast<path::PartKind>(flags >> 1);
        part.is_own = (flags & 1) != 0;
        size_t bytes = 0;
        for (std::string* text : {&part.thread, &part.waited_for, &part.object}) {
          *text = in_.Text();
          bytes += text->size();
        }
        TakePages(kPartPages + bytes / 64);
        if (p != 0 && !(stats.parts.rbegin()->first < part)) return in_.Fail();
        stats.parts.emplace_hint(stats.parts.end(), std::move(part), in_.Number());
      }
    }
  }

  void TakePages(size_t count) {
    pages_ += count;
    if (pages_ > kMaxPages) in_.Fail();
  }

  SummaryReader in_;
  size_t groups_ = 0;
  size_t pages_;
};

}  // namespace

std::string EncodeSummaryPayload(const Capture& capture) {
  SummaryWriter out;
  for (const std::string* text :
       {&capture.file, &capture.recorder, &capture.host, &capture.kernel, &capture.categories,
        &capture.filters, &capture.trigger, &capture.command}) {
    out.Text(*text);
  }
  out.Byte(static_cast<uint8_t>((capture.start_time ? 1 : 0) | (capture.elapsed_ns ? 2 : 0)));
  if (capture.start_time) out.Number(std::bit_cast<uint64_t>(*capture.start_time));
  if (capture.elapsed_ns) out.Number(*capture.elapsed_ns);
  out.Number(capture.cpus);
  out.Number(capture.begin);
  out.Number(capture.length());
  out.Number(capture.lost_events);
  out.Number(capture.unseen_switches);
  out.Number(capture.by_cpu.size());
  for (const Capture::Cpu& cpu : capture.by_cpu) {
    out.Number(cpu.busy_ns);
    out.Number(cpu.idle_ns);
    out.Number(cpu.unknown_ns);
  }
  Put(out, capture.handlers);
  out.Number(capture.groups.size());
  for (const Group& group : capture.groups) Put(out, group);
  Put(out, capture.settings);
  Put(out, capture.requests);
  out.Number(capture.requests_left_out);
  return out.bytes();
}

util::Result<Capture> DecodeSummaryPayload(std::span<const std::byte> bytes) {
  PayloadReader reader(bytes);
  Capture capture = reader.Read();
  if (reader.failed()) return Damaged();
  return capture;
}

bool IsSummary(std::span<const std::byte> bytes) {
  return bytes.size() >= kMagic.size() &&
         std::memcmp(bytes.data(), kMagic.data(), kMagic.size()) == 0;
}

std::string EncodeSummary(const Capture& capture) {
  const std::string payload = EncodeSummaryPayload(capture);
  const std::unique_ptr<libdeflate_compressor, decltype(&libdeflate_free_compressor)> compressor(
      libdeflate_alloc_compressor(kLevel), &libdeflate_free_compressor);
  std::string file(kMagic);
  for (const uint32_t word : {kVersion, static_cast<uint32_t>(payload.size())}) {
    for (unsigned shift = 0; shift < 32; shift += 8) {
      file.push_back(static_cast<char>(word >> shift));
    }
  }
  file.resize(kHeaderBytes + libdeflate_zlib_compress_bound(compressor.get(), payload.size()));
  const size_t size =
      libdeflate_zlib_compress(compressor.get(), payload.data(), payload.size(),
                               file.data() + kHeaderBytes, file.size() - kHeaderBytes);
  file.resize(kHeaderBytes + size);
  return file;
}

util::Result<Capture> DecodeSummary(std::span<const std::byte> bytes) {
  auto all = DecodeSummaries(bytes);
  if (!all) return all.TakeError();
  if (all->size() != 1) return Damaged();
  return std::move(all->front());
}

util::Result<std::vector<Capture>> DecodeSummaries(std::span<const std::byte> bytes) {
  if (!IsSummary(bytes)) return util::Error{"not a summary of fxt summarize", ""};
  if (bytes.size() > kMaxSummaryBytes) return Damaged();
  const std::unique_ptr<libdeflate_decompressor, decltype(&libdeflate_free_decompressor)>
      decompressor(libdeflate_alloc_decompressor(), &libdeflate_free_decompressor);
  std::vector<Capture> captures;
  std::vector<std::byte> payload;
  size_t unpacked = 0;
  size_t pages = 0;
  while (!bytes.empty()) {
    if (!IsSummary(bytes) || bytes.size() < kHeaderBytes) return Damaged();
    uint32_t words[2];
    std::memcpy(words, bytes.data() + kMagic.size(), sizeof(words));
    if (words[0] != kVersion) {
      return util::Error{
          fmt::format("a summary of version {}; this fxt reads {}", words[0], kVersion),
          "make it again with this fxt summarize"};
    }
    bytes = bytes.subspan(kHeaderBytes);
    const size_t size = words[1];
    unpacked += size;
    // Deflate packs a thousandfold at most.
    if (unpacked > kMaxSummaryBytes || size / 1040 > bytes.size()) return Damaged();
    payload.resize(size);
    // With no room for an answer it is an error if the size is another one.
    size_t used = 0;
    const libdeflate_result result = libdeflate_zlib_decompress_ex(
        decompressor.get(), bytes.data(), bytes.size(), payload.data(), size, &used, nullptr);
    if (result != LIBDEFLATE_SUCCESS) return Damaged();
    PayloadReader reader(payload, pages);
    captures.push_back(reader.Read());
    if (reader.failed()) return Damaged();
    pages = reader.pages();
    bytes = bytes.subspan(used);
  }
  return captures;
}

}  // namespace measure
