// SPDX-License-Identifier: BSD-2-Clause
#include "capture/python_frames.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

#include "fxt_record/python.h"
#include "schema/script_frame.h"

namespace capture {
namespace {

constexpr uint64_t kKernelFrame = 0xffffffff81000000;
constexpr uint32_t kAscii = 1 << 2 | 1 << 5 | 1 << 6;
constexpr uint32_t kTwoBytes = 2 << 2 | 1 << 5;

// Python 3.10: each of these instructions is on the next line.
constexpr uint8_t kCodeLines[] = {2, 0, 2, 1, 2, 1};

class PythonFramesTest : public ::testing::Test {
 protected:
  // Events as the programs send them.
  static fxr_long& Event(std::vector<uint64_t>& words, size_t bytes) {
    words.assign(bytes / sizeof(uint64_t), 0);
    auto& event = *reinterpret_cast<fxr_long*>(words.data());
    event.header.type = FXR_SIDE_LONG;
    event.header.size = static_cast<fxr_u32>(bytes);
    event.category = FXR_CATEGORY_STACK;
    return event;
  }
  void Code(uint64_t id, uint32_t head, std::string_view name, std::string_view file,
            uint32_t traceable = 0) {
    constexpr size_t kBytes = FXR_PYTHON_NAME_BYTES + FXR_PYTHON_FILE_BYTES + 512;
    std::vector<uint64_t> words;
    fxr_long& event = Event(words, FXR_LONG_SIZE(python_code, kBytes));
    fxr_python_code_long fields{};
    fields.id = id;
    fields.minor = 10;
    fields.name_head = head;
    fields.name_bytes = static_cast<fxr_u32>(name.size());
    fields.file_head = kAscii;
    fields.file_bytes = static_cast<fxr_u32>(file.size());
    fields.first_line = 10;
    fields.traceable = traceable;
    fields.lines_bytes = sizeof(kCodeLines);
    fxr_pack_python_code(&event, fields, kBytes);
    auto* bytes = static_cast<char*>(fxr_python_code_bytes(&event));
    std::ranges::copy(name, bytes);
    std::ranges::copy(file, bytes + FXR_PYTHON_NAME_BYTES);
    std::memcpy(bytes + FXR_PYTHON_NAME_BYTES + FXR_PYTHON_FILE_BYTES, kCodeLines,
                sizeof(kCodeLines));
    EXPECT_EQ(python_.Take(event.header), nullptr);
  }
  static uint64_t Frame(uint64_t id, uint64_t instruction, bool ends_run) {
    return id << FXR_PYTHON_ID_SHIFT | instruction << 1 | (ends_run ? FXR_PYTHON_RUN_END : 0);
  }
  // The frames of the stack as it goes on; -1 in front without a stack.
  std::vector<uint64_t> Stack(const std::vector<uint64_t>& user,
                              const std::vector<uint64_t>& python,
                              uint8_t end = FXR_STACK_END_ENTRY, size_t kernel = 1) {
    std::vector<uint64_t> frames = user;
    frames.insert(frames.end(), python.begin(), python.end());
    frames.insert(frames.end(), kernel, kKernelFrame);
    std::vector<uint64_t> words;
    fxr_long& event = Event(words, FXR_LONG_SIZE(stack, frames.size() * 8));
    fxr_stack_long fields{};
    fields.tid = 7;
    fields.user_frames = static_cast<fxr_u32>(user.size());
    fields.python_frames = static_cast<fxr_u16>(python.size());
    fields.end = end;
    fxr_pack_stack(&event, fields, static_cast<fxr_u32>(frames.size() * 8));
    std::ranges::copy(frames, static_cast<uint64_t*>(fxr_stack_bytes(&event)));
    const fxr_side_header* taken = python_.Take(event.header);
    if (taken == nullptr) return {UINT64_MAX};
    const auto& whole = *reinterpret_cast<const fxr_long*>(taken);
    EXPECT_NE(fxr_unpack_stack(&whole, &last_), 0);
    const auto* first = static_cast<const uint64_t*>(fxr_long_bytes(&whole));
    std::vector<uint64_t> result(first, first + whole.bytes / 8);
    EXPECT_EQ(last_.tid, 7u);
    EXPECT_EQ(last_.user_frames + kernel, result.size());
    return result;
  }
  uint64_t Function(std::string_view name, uint64_t line) const {
    return schema::ScriptFrame(schema::ScriptFunctionId(name, "app.py", 10), 10, line);
  }

  std::shared_ptr<model::ScriptFunctions> functions_ = std::make_shared<model::ScriptFunctions>();
  PythonFrames python_{functions_};
  fxr_stack_long last_{};
};

TEST_F(PythonFramesTest, RunsTakeThePlaceOfTheEvaluationLoop) {
  Code(1, kAscii, "main", "app.py");
  Code(2, kAscii, "key", "app.py");
  Code(3, kAscii, "helper", "app.py");
  // sleep <- helper <- key, called by C code <- main
  const auto frames =
      Stack({0x1000, 0x2000 | FXR_PYTHON_MARK, 0x3000, 0x2000 | FXR_PYTHON_MARK, 0x4000},
            {Frame(3, 1, false), Frame(2, 0, true), Frame(1, 2, true)});
  EXPECT_EQ(frames, (std::vector<uint64_t>{0x1000, Function("helper", 11), Function("key", 10),
                                           0x3000, Function("main", 12), 0x4000, kKernelFrame}));
}

TEST_F(PythonFramesTest, RunsWithoutANativeFrameAreNotLost) {
  Code(1, kAscii, "main", "app.py");
  const std::vector<uint64_t> python = {Frame(1, 0, true)};
  // Nothing is missing in the stack, so the frame stays below the entry only if no loop was found.
  EXPECT_EQ(Stack({0x1000, 0x2000}, python),
            (std::vector<uint64_t>{0x1000, 0x2000, Function("main", 10), kKernelFrame}));
  EXPECT_EQ(
      Stack({0x1000, 0x2000 | FXR_PYTHON_MARK, 0x3000}, {Frame(1, 1, true), Frame(1, 0, true)}),
      (std::vector<uint64_t>{0x1000, Function("main", 11), Function("main", 10), 0x3000,
                             kKernelFrame}));
  EXPECT_EQ(Stack({0x1000, 0x2000 | FXR_PYTHON_MARK, 0x3000},
                  {Frame(1, 1, true), Frame(1, 0, true)}, FXR_STACK_END_NO_TABLE),
            (std::vector<uint64_t>{0x1000, Function("main", 11), 0x3000, Function("main", 10),
                                   kKernelFrame}));
}

TEST_F(PythonFramesTest, ALoopWithoutARunStaysNative) {
  Code(1, kAscii, "main", "app.py");
  EXPECT_EQ(Stack({0x2000 | FXR_PYTHON_MARK, 0x2008 | FXR_PYTHON_MARK}, {Frame(1, 0, true)}),
            (std::vector<uint64_t>{Function("main", 10), 0x2008, kKernelFrame}));
}

TEST_F(PythonFramesTest, StacksWithoutPythonPassUnchanged) {
  EXPECT_EQ(Stack({0x1000, 0x2000}, {}), (std::vector<uint64_t>{0x1000, 0x2000, kKernelFrame}));
}

TEST_F(PythonFramesTest, ACodeObjectThatIsNotKnownHasNoName) {
  const auto frames = Stack({0x2000 | FXR_PYTHON_MARK}, {Frame(5, 0, true)});
  ASSERT_EQ(frames.size(), 2u);
  EXPECT_TRUE(schema::IsScriptFrame(frames[0]));
  EXPECT_FALSE(functions_->Find(frames[0]).has_value());
}

TEST_F(PythonFramesTest, AnotherCodeObjectWithTheSameAddressHasItsOwnName) {
  Code(1, kAscii, "main", "app.py");
  Code(1 ^ 0x55, kAscii, "other", "app.py");
  EXPECT_EQ(Stack({0x2000 | FXR_PYTHON_MARK}, {Frame(1 ^ 0x55, 0, true)})[0],
            Function("other", 10));
}

TEST_F(PythonFramesTest, AFunctionThatHasNotBegunHasNoFrame) {
  Code(1, kAscii, "main", "app.py", 2);
  EXPECT_EQ(Stack({0x1000, 0x2000 | FXR_PYTHON_MARK}, {Frame(1, 1, true)}),
            (std::vector<uint64_t>{0x1000, kKernelFrame}));
}

TEST_F(PythonFramesTest, NamesBecomeUtf8) {
  using namespace std::string_view_literals;
  Code(1, kTwoBytes, "\x44\x04\x21\x00"sv, "app.py");
  const auto frames = Stack({0x2000 | FXR_PYTHON_MARK}, {Frame(1, 0, true)});
  EXPECT_EQ(functions_->Find(frames[0])->name, "\xd1\x84!");
}

TEST_F(PythonFramesTest, StacksAreCutToWhatARecordHolds) {
  Code(1, kAscii, "main", "app.py");
  std::vector<uint64_t> python(127, Frame(1, 0, false));
  python.back() |= FXR_PYTHON_RUN_END;
  std::vector<uint64_t> user(127, 0x1000);
  user.front() |= FXR_PYTHON_MARK;
  EXPECT_EQ(Stack(user, python, FXR_STACK_END_ENTRY, 100).size(), 255u);
  EXPECT_EQ(last_.end, FXR_STACK_END_DEEP);
}

TEST_F(PythonFramesTest, OldCodeObjectsStayForOneGeneration) {
  Code(1, kAscii, "main", "app.py");
  for (uint64_t id = 2; !python_.BeginGeneration(); ++id) Code(id, kAscii, "f", "app.py");
  EXPECT_EQ(Stack({0x2000 | FXR_PYTHON_MARK}, {Frame(1, 0, true)})[0], Function("main", 10));
}

}  // namespace
}  // namespace capture
