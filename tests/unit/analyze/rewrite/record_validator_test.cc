// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/rewrite/record_validator.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "unit/analyze/recording_parts.h"

namespace analyze {
namespace {

using testing::RecordingParts;

RecordingParts ValidatedRecording() { return RecordingParts::Long(100); }

// The parts that the validator rejects.
std::vector<std::string> Rejected(RecordingParts& file) {
  std::vector<std::string> rejected;
  RecordValidator validator;
  fxt::ReaderOptions options;
  options.recover = true;
  options.validate = [&](const fxt::Reader& reader) {
    const fxt::Validity answer = validator.IsPlausible(reader);
    if (answer != fxt::Validity::kValid) rejected.push_back(file.LabelAt(reader.offset()));
    return answer;
  };
  fxt::MemorySource source(file.Bytes());
  fxt::Reader reader(source, options);
  while (reader.Next() == fxt::ReadStatus::kRecord) validator.Note(reader);
  return rejected;
}

using Labels = std::vector<std::string>;

fxt::LegacyContextSwitch Fiftieth() {
  return {1'000'070'000,
          0,
          fxt::ThreadState::kNew,
          fxt::ThreadRef::Indexed(1),
          fxt::ThreadRef::Indexed(2),
          0,
          120};
}

TEST(RecordValidatorTest, AcceptsASoundRecording) {
  RecordingParts file = ValidatedRecording();
  EXPECT_EQ(Rejected(file), Labels{});
}

TEST(RecordValidatorTest, RejectsTimesFarFromTheirNeighbours) {
  for (const uint64_t time : {uint64_t{0}, uint64_t{900'000'000}, uint64_t{1'000'090'500},
                              uint64_t{5'000'000'000}, uint64_t{1} << 62}) {
    RecordingParts file = ValidatedRecording();
    auto record = Fiftieth();
    record.timestamp = time;
    file.Replace("switch 50", record);
    EXPECT_EQ(Rejected(file), Labels{"switch 50"}) << time;
  }
}

TEST(RecordValidatorTest, RejectsImpossibleSwitches) {
  const std::vector<std::function<void(fxt::LegacyContextSwitch&)>> changes = {
      [](auto& r) { r.incoming_priority = 200; },
      [](auto& r) { r.outgoing_priority = 100; },  // of an idle thread
      [](auto& r) { r.cpu = 7; },                  // the idle thread of another CPU
      [](auto& r) { r.incoming = fxt::ThreadRef::Inline(4000, 4000); },
      [](auto& r) { r.incoming = fxt::ThreadRef::Inline(100, uint64_t{1} << 40); },
  };
  for (size_t i = 0; i < changes.size(); ++i) {
    RecordingParts file = ValidatedRecording();
    auto record = Fiftieth();
    changes[i](record);
    file.Replace("switch 50", record);
    EXPECT_EQ(Rejected(file), Labels{"switch 50"}) << i;
  }
}

TEST(RecordValidatorTest, RejectsASecondDefinitionOfAnIndex) {
  RecordingParts file = ValidatedRecording();
  file.Before("switch 50", "again", fxt::ThreadRecord{2, testing::kApp, testing::kWorker});
  EXPECT_EQ(Rejected(file), Labels{"again"});
}

TEST(RecordValidatorTest, RejectsSectionsOfUnannouncedProviders) {
  RecordingParts file = ValidatedRecording();
  file.Before("switch 50", "section", fxt::ProviderSection{77});
  EXPECT_EQ(Rejected(file), Labels{"section"});
}

}  // namespace
}  // namespace analyze
