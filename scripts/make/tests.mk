# SPDX-License-Identifier: BSD-2-Clause
# Unit tests: every tests/unit/**/*_test.cc in one program.

UNIT_SOURCES := $(sort $(shell find tests/unit -name '*.cc' 2>/dev/null))
UNIT_OBJECTS := $(patsubst %.cc,$(BUILD)/%.o,$(UNIT_SOURCES))

$(BUILD)/tests/%.o: CPPFLAGS += -Itests

# Some of them run fxt, which they look for beside them.
$(BUILD)/unit_tests: $(UNIT_OBJECTS) $(TOOL_COMMON) $(ARCHIVES) | $(BUILD)/fxt
	$(call brief,LINK)$(CXX) $(LDFLAGS) -o $@ $(UNIT_OBJECTS) $(TOOL_COMMON) $(ARCHIVES_LINK) -lgtest_main -lgtest -lgmock $(LIBS)

## unit-test     build and run the unit tests alone
.PHONY: unit-test
unit-test: $(BUILD)/unit_tests
	$(BUILD)/unit_tests --gtest_brief=1

# Two recordings, small and large damage: four times as many.
RECOVER_ROUNDS ?= 2500
## recover-test  fxt recover after 10,000 cuts and overwrites (FXT_DAMAGE_TRACE=FILE: of that too)
.PHONY: recover-test
recover-test: $(BUILD)/unit_tests
	FXT_DAMAGE_ROUNDS=$(RECOVER_ROUNDS) $(BUILD)/unit_tests --gtest_filter='RecoverDamageTest.*'
