# SPDX-License-Identifier: BSD-2-Clause
# Unit tests: every tests/unit/**/*_test.cc in one program.

UNIT_SOURCES := $(sort $(shell find tests/unit -name '*.cc' 2>/dev/null))
UNIT_OBJECTS := $(patsubst %.cc,$(BUILD)/%.o,$(UNIT_SOURCES))

$(BUILD)/tests/%.o: CPPFLAGS += -Itests

# Tests take the compiler longer than they run. What has to be fast is in the archives, but for what
# goes through many records by itself, what benchmarks have too, and what compares whole traces in
# slow guests.
TEST_OPT ?= -O0 -g1
LONG_TESTS := $(patsubst %,$(BUILD)/tests/unit/%.o,analyze/rewrite/recover_damage_test \
                fxt/bytes_per_switch_test fxt/support/random_records fxt/reader_property_test \
                fxt/reader_resync_test perf/damage_test)
TEST_OBJECTS := $(filter-out $(ENCODER_BENCH_OBJECTS) $(LONG_TESTS),$(UNIT_OBJECTS)) $(CAPTURE_TESTS)
$(TEST_OBJECTS) $(BUILD)/prelude/tests.h.gch: private OPT := $(TEST_OPT)
ifneq ($(PRELUDES),)
$(eval $(call with_prelude,tests,$(TEST_OBJECTS)))
endif

# What of the programs themselves can be tested without running them.
UNIT_TOOLS := $(patsubst %,$(BUILD)/userspace/tools/%.o,record/process/console record/process/end_signals \
                record/commands/status_view fxt/support/interrupt fxt/support/line_reader)
# Some of them run fxt, which they look for beside them.
$(BUILD)/unit_tests: $(UNIT_OBJECTS) $(UNIT_TOOLS) $(TOOL_COMMON) $(ARCHIVES) | $(BUILD)/fxt
	$(call brief,LINK)$(CXX) $(LDFLAGS) -o $@ $(UNIT_OBJECTS) $(UNIT_TOOLS) $(TOOL_COMMON) $(ARCHIVES_LINK) -lgtest_main -lgtest -lgmock $(LIBS)

## unit-test     build and run the unit tests alone
.PHONY: unit-test
unit-test: $(BUILD)/unit_tests
	scripts/run_shards $(BUILD)/unit_tests --gtest_brief=1

# Two recordings, small and large damage: four times as many.
RECOVER_ROUNDS ?= 2500
## recover-test  fxt recover after 10,000 cuts and overwrites (FXT_DAMAGE_TRACE=FILE: of that too)
.PHONY: recover-test
recover-test: $(BUILD)/unit_tests
	FXT_DAMAGE_ROUNDS=$(RECOVER_ROUNDS) $(BUILD)/unit_tests --gtest_filter='RecoverDamageTest.*'
