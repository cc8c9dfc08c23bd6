// SPDX-License-Identifier: BSD-2-Clause
#include "settings/queueing_disciplines.h"

#include <fmt/format.h>
#include <linux/netlink.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <sys/socket.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "util/unique_fd.h"

namespace settings {
namespace {

// The parts of a message or of a nested attribute, by type.
class Attributes {
 public:
  Attributes(const char* begin, size_t size) {
    size_t at = 0;
    while (at + sizeof(rtattr) <= size) {
      rtattr head;
      std::memcpy(&head, begin + at, sizeof(head));
      if (head.rta_len < sizeof(head) || head.rta_len > size - at) break;
      parts_.push_back({static_cast<uint16_t>(head.rta_type & NLA_TYPE_MASK),
                        begin + at + sizeof(head), head.rta_len - sizeof(head)});
      at += RTA_ALIGN(head.rta_len);
    }
  }
  struct Part {
    uint16_t type = 0;
    const char* bytes = nullptr;
    size_t size = 0;
  };
  const Part* Find(uint16_t type) const {
    for (const Part& part : parts_) {
      if (part.type == type) return &part;
    }
    return nullptr;
  }
  template <typename T>
  std::optional<T> Get(uint16_t type) const {
    const Part* part = Find(type);
    if (part == nullptr || part->size < sizeof(T)) return std::nullopt;
    T value;
    std::memcpy(&value, part->bytes, sizeof(value));
    return value;
  }

 private:
  std::vector<Part> parts_;
};

// Effects of the discipline on packets besides queueing.
std::string Effects(const std::string& kind, const Attributes::Part* options) {
  std::string text;
  if (options == nullptr) return text;
  if (kind == "netem" && options->size >= sizeof(tc_netem_qopt)) {
    tc_netem_qopt netem;
    std::memcpy(&netem, options->bytes, sizeof(netem));
    const size_t head = NLA_ALIGN(sizeof(netem));
    const Attributes more(options->bytes + head, options->size > head ? options->size - head : 0);
    const auto percent = [](uint32_t of) { return 100.0 * of / UINT32_MAX; };
    // Kernels from 4.15 on, in ns.
    if (const auto delay = more.Get<int64_t>(TCA_NETEM_LATENCY64); delay && *delay != 0) {
      text += fmt::format(" delay {} us", *delay / 1000);
    }
    if (const auto jitter = more.Get<int64_t>(TCA_NETEM_JITTER64); jitter && *jitter != 0) {
      text += fmt::format(" jitter {} us", *jitter / 1000);
    }
    if (netem.loss != 0) text += fmt::format(" loss {:.3g}%", percent(netem.loss));
    if (netem.duplicate != 0) text += fmt::format(" duplicate {:.3g}%", percent(netem.duplicate));
    if (const auto rate = more.Get<tc_netem_rate>(TCA_NETEM_RATE); rate && rate->rate != 0) {
      text += fmt::format(" rate {} B/s", rate->rate);
    }
  } else if (kind == "tbf") {
    const Attributes parts(options->bytes, options->size);
    const auto large = parts.Get<uint64_t>(TCA_TBF_RATE64);
    const auto small = parts.Get<tc_tbf_qopt>(TCA_TBF_PARMS);
    if (large || small) {
      text += fmt::format(" rate {} B/s", large ? *large : uint64_t{small->rate.rate});
    }
  }
  return text;
}

struct Device {
  std::string root;
  std::map<std::string, size_t> classes;
};

void AddDiscipline(const nlmsghdr& head, const char* message, std::map<int, Device>& devices) {
  constexpr size_t kFixed = NLMSG_LENGTH(sizeof(tcmsg));
  if (head.nlmsg_len < kFixed) return;
  tcmsg of;
  std::memcpy(&of, message + NLMSG_HDRLEN, sizeof(of));
  const size_t begin = NLMSG_SPACE(sizeof(of));
  const Attributes parts(message + begin, head.nlmsg_len > begin ? head.nlmsg_len - begin : 0);
  const Attributes::Part* kind = parts.Find(TCA_KIND);
  if (kind == nullptr) return;
  std::string name(kind->bytes, strnlen(kind->bytes, kind->size));
  name += Effects(name, parts.Find(TCA_OPTIONS));
  Device& device = devices[of.tcm_ifindex];
  if (of.tcm_parent == TC_H_ROOT) {
    device.root = name;
  } else {
    ++device.classes[name];
  }
}

}  // namespace

std::map<std::string, std::string> ReadQueueingDisciplines() {
  std::map<std::string, std::string> texts;
  const util::UniqueFd fd(socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE));
  if (!fd) return texts;
  struct {
    nlmsghdr head;
    tcmsg of;
  } request{};
  request.head.nlmsg_len = sizeof(request);
  request.head.nlmsg_type = RTM_GETQDISC;
  request.head.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
  if (send(fd.get(), &request, sizeof(request), 0) != sizeof(request)) return texts;
  std::map<int, Device> devices;
  alignas(nlmsghdr) std::array<char, 65536> buffer;
  // A machine with many devices sends many parts; the kernel ends with NLMSG_DONE.
  constexpr int kMostParts = 1000;
  bool done = false;
  for (int part = 0; part < kMostParts && !done; ++part) {
    const ssize_t got = recv(fd.get(), buffer.data(), buffer.size(), 0);
    if (got <= 0) break;
    const auto size = static_cast<size_t>(got);
    for (size_t at = 0; at + sizeof(nlmsghdr) <= size && !done;) {
      nlmsghdr head;
      std::memcpy(&head, buffer.data() + at, sizeof(head));
      if (head.nlmsg_len < sizeof(head) || head.nlmsg_len > size - at) break;
      done = head.nlmsg_type == NLMSG_DONE || head.nlmsg_type == NLMSG_ERROR;
      if (head.nlmsg_type == RTM_NEWQDISC) AddDiscipline(head, buffer.data() + at, devices);
      at += NLMSG_ALIGN(head.nlmsg_len);
    }
  }
  for (const auto& [index, device] : devices) {
    std::array<char, IF_NAMESIZE> name{};
    if (if_indextoname(static_cast<unsigned>(index), name.data()) == nullptr) continue;
    std::string text = device.root;
    for (const auto& [kind, count] : device.classes) {
      if (!text.empty()) text += ", ";
      text += count == 1 ? kind : fmt::format("{} {}", count, kind);
    }
    texts.emplace(name.data(), std::move(text));
  }
  return texts;
}

}  // namespace settings
