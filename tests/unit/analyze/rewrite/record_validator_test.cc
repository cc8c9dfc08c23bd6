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

RecordingParts Recording() { return RecordingParts::Long(100); }

// The parts that are not believed.
std::vector<std::string> Doubted(RecordingParts& file) {
  std::vector<std::string> doubted;
  RecordValidator belief;
  fxt::ReaderOptions options;
  options.recover = true;
  options.validate = [&](const fxt::Reader& reader) {
    const fxt::Validity answer = belief.IsPlausible(reader);
    if (answer != fxt::Validity::kValid) doubted.push_back(file.LabelAt(reader.offset()));
    return answer;
  };
  fxt::MemorySource source(file.Bytes());
  fxt::Reader reader(source, options);
  while (reader.Next() == fxt::ReadStatus::kRecord) belief.Note(reader);
  return doubted;
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

TEST(RecordValidatorTest, ASoundRecordingIsBelieved) {
  RecordingParts file = Recording();
  EXPECT_EQ(Doubted(file), Labels{});
}

TEST(RecordValidatorTest, TimesFarFromTheirNeighboursAreNot) {
  for (const uint64_t time : {uint64_t{0}, uint64_t{900'000'000}, uint64_t{1'000'090'500},
                              uint64_t{5'000'000'000}, uint64_t{1} << 62}) {
    RecordingParts file = Recording();
    auto record = Fiftieth();
    record.timestamp = time;
    file.Replace("switch 50", record);
    EXPECT_EQ(Doubted(file), Labels{"switch 50"}) << time;
  }
}

TEST(RecordValidatorTest, SwitchesThatNobodyWritesAreNot) {
  const std::vector<std::function<void(fxt::LegacyContextSwitch&)>> changes = {
      [](auto& r) { r.incoming_priority = 200; },
      [](auto& r) { r.outgoing_priority = 100; },  // of an idle thread
      [](auto& r) { r.cpu = 7; },                  // whose idle thread it is not
      [](auto& r) { r.incoming = fxt::ThreadRef::Inline(4000, 4000); },
      [](auto& r) { r.incoming = fxt::ThreadRef::Inline(100, uint64_t{1} << 40); },
  };
  for (size_t i = 0; i < changes.size(); ++i) {
    RecordingParts file = Recording();
    auto record = Fiftieth();
    changes[i](record);
    file.Replace("switch 50", record);
    EXPECT_EQ(Doubted(file), Labels{"switch 50"}) << i;
  }
}

TEST(RecordValidatorTest, AnIndexIsDefinedOnce) {
  RecordingParts file = Recording();
  file.Before("switch 50", "again", fxt::ThreadRecord{2, testing::kApp, testing::kWorker});
  EXPECT_EQ(Doubted(file), Labels{"again"});
}

TEST(RecordValidatorTest, ASectionIsOfAProviderThatWasAnnounced) {
  RecordingParts file = Recording();
  file.Before("switch 50", "section", fxt::ProviderSection{77});
  EXPECT_EQ(Doubted(file), Labels{"section"});
}

}  // namespace
}  // namespace analyze
