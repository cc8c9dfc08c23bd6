// SPDX-License-Identifier: BSD-2-Clause
#include "util/isolated_worker.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "util/isolation.h"

namespace util {
namespace {

using Bytes = IsolatedWorker::Bytes;

UniqueFd FileOf(std::string_view text) {
  UniqueFd file(memfd_create("test", MFD_CLOEXEC));
  EXPECT_EQ(write(file.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
  return file;
}

// Does what the file says.
bool Obey(int file, Bytes* reply) {
  char text[16] = {};
  if (pread(file, text, sizeof(text) - 1, 0) <= 0) return false;
  const std::string_view order = text;
  if (order == "abort") abort();
  if (order == "exit") _exit(0);
  if (order == "loop") {
    for (volatile bool on = true; on;) {
    }
  }
  if (order == "memory") reply->resize(size_t{3} << 30);
  if (order == "long") reply->resize(2000);
  if (order == "open") {
    const bool refused = open("/etc/passwd", O_RDONLY) < 0 && errno == EPERM;
    reply->push_back(std::byte{refused});
    return true;
  }
  if (order == "user") reply->push_back(std::byte{geteuid() == 0});
  if (order == "bad") return false;
  if (order == "pid") {
    const pid_t own = getpid();
    const auto* bytes = reinterpret_cast<const std::byte*>(&own);
    reply->assign(bytes, bytes + sizeof(own));
    return true;
  }
  reply->insert(reply->end(), {std::byte{1}, std::byte{2}});
  return true;
}

std::unique_ptr<IsolatedWorker> StartWorker(uint64_t call_ns = 60'000'000'000) {
  auto worker =
      IsolatedWorker::Start(Obey, {.reply_bytes = 1000, .call_ns = call_ns, .crashes = 10});
  EXPECT_TRUE(worker.ok());
  return std::move(*worker);
}

std::optional<Bytes> Call(IsolatedWorker& worker, std::string_view order) {
  const UniqueFd file = FileOf(order);
  return worker.Call(file.get());
}

// Processes below `parent`, which end while they are counted or not.
size_t CountDescendants(pid_t parent) {
  std::multimap<pid_t, pid_t> children;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    // PID (NAME) STATE PARENT
    std::string text;
    std::getline(std::ifstream(entry.path() / "stat"), text);
    const size_t name_end = text.rfind(')');
    if (name_end == std::string::npos) continue;
    char state = 0;
    pid_t above = 0;
    std::istringstream(text.substr(name_end + 1)) >> state >> above;
    if (state != 'Z') children.emplace(above, std::stoi(text));
  }
  size_t count = 0;
  std::vector<pid_t> next = {parent};
  while (!next.empty()) {
    const auto [begin, end] = children.equal_range(next.back());
    next.pop_back();
    for (auto child = begin; child != end; ++child, ++count) next.push_back(child->second);
  }
  return count;
}

TEST(IsolatedWorkerTest, TheFirstCallStartsTheWorker) {
  const size_t before = CountDescendants(getpid());
  const auto worker = StartWorker();
  EXPECT_EQ(CountDescendants(getpid()), before + 1);
  EXPECT_TRUE(Call(*worker, "good").has_value());
  EXPECT_EQ(CountDescendants(getpid()), before + 2);
}

TEST(IsolatedWorkerTest, AnswersCallsOneAfterTheOther) {
  const auto worker = StartWorker();
  for (int i = 0; i < 100; ++i)
    ASSERT_EQ(Call(*worker, "good"), (Bytes{std::byte{1}, std::byte{2}}));
  EXPECT_EQ(Call(*worker, "bad"), std::nullopt);
  EXPECT_EQ(worker->Call(-1), std::nullopt);
  EXPECT_EQ(worker->crashes(), 0u);
}

TEST(IsolatedWorkerTest, GoesOnAfterACrash) {
  const auto worker = StartWorker();
  for (uint64_t i = 1; i <= 3; ++i) {
    EXPECT_EQ(Call(*worker, "abort"), std::nullopt);
    EXPECT_EQ(worker->crashes(), i);
    EXPECT_TRUE(Call(*worker, "good").has_value());
  }
}

TEST(IsolatedWorkerTest, EndsACallThatTakesTooLong) {
  const auto worker = StartWorker(300'000'000);
  EXPECT_EQ(Call(*worker, "loop"), std::nullopt);
  EXPECT_EQ(worker->crashes(), 1u);
  // On a busy machine the next worker may need longer than a call may take.
  for (int i = 0; i < 8 && !Call(*worker, "good").has_value(); ++i) {
  }
  EXPECT_TRUE(Call(*worker, "good").has_value());
}

TEST(IsolatedWorkerTest, LimitsMemoryAndReplies) {
  const auto worker = StartWorker();
  EXPECT_EQ(Call(*worker, "long"), std::nullopt);
  EXPECT_EQ(worker->crashes(), 0u);
  if (!kIsSanitized) {
    EXPECT_EQ(Call(*worker, "memory"), std::nullopt);
    EXPECT_EQ(worker->crashes(), 1u);
  }
  EXPECT_TRUE(Call(*worker, "good").has_value());
}

TEST(IsolatedWorkerTest, HasNoRights) {
  const auto worker = StartWorker();
  const auto user = Call(*worker, "user");
  ASSERT_TRUE(user && !user->empty());
  EXPECT_EQ(user->front(), std::byte{0});
  if (kIsSanitized) GTEST_SKIP() << "a build with sanitizers refuses no calls";
  EXPECT_EQ(Call(*worker, "open"), Bytes{std::byte{1}});
}

TEST(IsolatedWorkerTest, AWorkerThatExitsIsReplaced) {
  const auto worker = StartWorker();
  EXPECT_EQ(Call(*worker, "exit"), std::nullopt);
  EXPECT_EQ(worker->crashes(), 1u);
  EXPECT_TRUE(Call(*worker, "good").has_value());
}

TEST(IsolatedWorkerTest, LeavesNoProcessBehind) {
  auto worker = StartWorker();
  const auto reply = Call(*worker, "pid");
  ASSERT_TRUE(reply && reply->size() == sizeof(pid_t));
  pid_t pid = 0;
  memcpy(&pid, reply->data(), sizeof(pid));
  ASSERT_EQ(kill(pid, 0), 0);
  worker.reset();
  EXPECT_EQ(kill(pid, 0), -1);
}

TEST(IsolatedWorkerTest, ServesNothingAfterTooManyCrashes) {
  const auto worker = StartWorker();
  for (int i = 0; i <= 10; ++i) EXPECT_EQ(Call(*worker, "abort"), std::nullopt);
  EXPECT_EQ(Call(*worker, "good"), std::nullopt);
}

}  // namespace
}  // namespace util
