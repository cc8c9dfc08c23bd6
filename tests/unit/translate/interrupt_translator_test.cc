// SPDX-License-Identifier: BSD-2-Clause
#include "translate/interrupt_translator.h"

#include <gtest/gtest.h>

#include "unit/translate/capture_script.h"

namespace translate {
namespace {

using testing::CaptureScript;
using Lines = std::vector<std::string>;

class InterruptTranslatorTest : public ::testing::Test {
 public:
  InterruptTranslatorTest& Irq(uint64_t time, uint32_t cpu, uint32_t irq) {
    script_.Slot(time, cpu, FXR_SLOT_IRQ_ENTRY, fxr_pack_irq_entry({irq}));
    return *this;
  }
  InterruptTranslatorTest& IrqEnd(uint64_t time, uint32_t cpu, uint32_t irq) {
    script_.Slot(time, cpu, FXR_SLOT_IRQ_EXIT, fxr_pack_irq_exit({irq, 1}));
    return *this;
  }
  InterruptTranslatorTest& Softirq(uint64_t time, uint32_t cpu, uint8_t vector) {
    script_.Slot(time, cpu, FXR_SLOT_SOFTIRQ_ENTRY, fxr_pack_softirq_entry({vector}));
    return *this;
  }
  InterruptTranslatorTest& SoftirqEnd(uint64_t time, uint32_t cpu, uint8_t vector) {
    script_.Slot(time, cpu, FXR_SLOT_SOFTIRQ_EXIT, fxr_pack_softirq_exit({vector}));
    return *this;
  }
  InterruptTranslatorTest& Lose(uint64_t time, uint32_t cpu, fxr_category category) {
    script_.Slot(time, cpu, FXR_SLOT_LOSS, fxr_pack_loss({3, category}));
    return *this;
  }
  // The lines without the koids of the tracks.
  Lines Written() {
    Lines lines;
    for (const std::string& line : script_.Lines("irq")) {
      if (!line.starts_with("object") && line.find("lost_events") == std::string::npos) {
        const size_t koid = line.rfind('/', line.find(':'));
        lines.push_back(line.substr(0, koid) + line.substr(line.find(' ', koid)));
      }
    }
    return lines;
  }
  uint64_t unmatched() { return script_.translator().stats().unmatched_ends; }

  CaptureScript script_;
};

TEST_F(InterruptTranslatorTest, HandlersNestAndEachEndsWithItsName) {
  Irq(10, 0, 9).Irq(12, 0, 33).IrqEnd(14, 0, 33).IrqEnd(16, 0, 9);
  EXPECT_EQ(Written(), (Lines{"10 begin irq/0 irq:irq 9 acpi", "12 begin irq/0 irq:irq 33",
                              "14 end irq/0 irq:irq 33", "16 end irq/0 irq:irq 9 acpi"}));
}

TEST_F(InterruptTranslatorTest, CountsEndsWithoutBegins) {
  IrqEnd(10, 0, 9).SoftirqEnd(11, 0, 1).IrqEnd(12, 700, 9);
  EXPECT_TRUE(Written().empty());
  EXPECT_EQ(unmatched(), 3u);
}

// An open duration would enclose all later events of the CPU.
TEST_F(InterruptTranslatorTest, LossEndsOpenHandlers) {
  Irq(10, 0, 9).Irq(11, 1, 9).Lose(20, 0, FXR_CATEGORY_IRQ).IrqEnd(21, 1, 9);
  Irq(30, 0, 33).IrqEnd(40, 0, 33);
  EXPECT_EQ(Written(), (Lines{"10 begin irq/0 irq:irq 9 acpi", "11 begin irq/1 irq:irq 9 acpi",
                              "20 end irq/0 irq:irq 9 acpi", "21 end irq/1 irq:irq 9 acpi",
                              "30 begin irq/0 irq:irq 33", "40 end irq/0 irq:irq 33"}));
  EXPECT_EQ(unmatched(), 0u);
}

TEST_F(InterruptTranslatorTest, LossOfOneCategoryKeepsTheOther) {
  Irq(10, 0, 9).Softirq(11, 0, 1).Lose(20, 0, FXR_CATEGORY_SOFTIRQ).IrqEnd(30, 0, 9);
  // Its entry may be lost, or be the one before the loss.
  SoftirqEnd(31, 0, 1);
  EXPECT_EQ(Written(), (Lines{"10 begin irq/0 irq:irq 9 acpi", "11 begin softirq/0 softirq:TIMER",
                              "20 end softirq/0 softirq:TIMER", "30 end irq/0 irq:irq 9 acpi"}));
  EXPECT_EQ(unmatched(), 1u);
}

// A loss that belongs to no CPU affects all CPUs.
TEST_F(InterruptTranslatorTest, LossWithoutACpuAffectsAllCpus) {
  Softirq(10, 0, 1).Softirq(11, 3, 9);
  script_.translator().OnLoss(-1, 20, FXR_CATEGORY_SOFTIRQ, 5);
  EXPECT_EQ(Written(), (Lines{"10 begin softirq/0 softirq:TIMER", "11 begin softirq/3 softirq:RCU",
                              "20 end softirq/0 softirq:TIMER", "20 end softirq/3 softirq:RCU"}));
}

TEST_F(InterruptTranslatorTest, VectorsOfLaterKernelsHaveAName) {
  Softirq(10, 0, 9).SoftirqEnd(11, 0, 9).Softirq(20, 0, 31).SoftirqEnd(21, 0, 31);
  EXPECT_EQ(Written(),
            (Lines{"10 begin softirq/0 softirq:RCU", "11 end softirq/0 softirq:RCU",
                   "20 begin softirq/0 softirq:softirq", "21 end softirq/0 softirq:softirq"}));
}

}  // namespace
}  // namespace translate
