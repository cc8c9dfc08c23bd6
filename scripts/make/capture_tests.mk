# SPDX-License-Identifier: BSD-2-Clause
# Tests of whole captures against what the kernel itself recorded: see tests/capture/README.md.

CAPTURE_SUPPORT := $(patsubst %.cc,$(BUILD)/%.o,\
                     $(sort $(wildcard tests/capture/ftrace/*.cc tests/capture/ftrace/*/*.cc \
                       tests/capture/support/*.cc)))
CAPTURE_TESTS   := $(patsubst %.cc,$(BUILD)/%.o,$(sort $(wildcard tests/capture/*.cc tests/capture/program/*.cc)))
COMPARE_TOOL    := $(patsubst %.cc,$(BUILD)/%.o,$(sort $(wildcard tests/capture/compare_tool/*.cc)))
ODD_TASKS       := $(patsubst %.cc,$(BUILD)/%.o,$(sort $(wildcard tests/capture/odd_tasks/*.cc)))

# An archive, so that each program takes what it needs of it.
$(BUILD)/tests/libcapture_support.a: $(CAPTURE_SUPPORT)
	@rm -f $@
	$(call brief,AR)$(AR) rcs $@ $^

# For guests as well: one file, and nothing of the kernel side in it.
$(BUILD)/tests/ftrace_compare: $(COMPARE_TOOL) $(BUILD)/tests/libcapture_support.a \
                               $(BUILD)/libfxt.a $(BUILD)/libutil.a
	$(call brief,LINK)$(CXX) $(LDFLAGS) $(LDFLAGS_BIN) -o $@ $^ -lz -pthread

$(BUILD)/tests/odd_tasks: $(ODD_TASKS)
	$(call brief,LINK)$(CXX) $(LDFLAGS) $(LDFLAGS_BIN) -o $@ $^ -pthread

# Its stacks are those that its source shows.
CALL_CHAINS := $(BUILD)/tests/capture/call_chains/main.o
$(CALL_CHAINS): private CXXFLAGS += -O1 -fno-optimize-sibling-calls -fno-sanitize=all
$(BUILD)/tests/call_chains: $(CALL_CHAINS)
	$(call brief,LINK)$(CXX) $(LDFLAGS) $(LDFLAGS_BIN) -o $@ $^ -pthread

$(BUILD)/capture_tests: $(CAPTURE_TESTS) $(BUILD)/tests/libcapture_support.a $(ARCHIVES)
	$(call brief,LINK)$(CXX) $(LDFLAGS) -o $@ $(CAPTURE_TESTS) $(BUILD)/tests/libcapture_support.a $(ARCHIVES_LINK) \
	  -lgtest -lgmock $(LIBS)

## capture-test  record this machine and hold the files against ftrace (root)
.PHONY: capture-test
capture-test: $(BUILD)/capture_tests $(BINARIES) $(BUILD)/tests/workload $(BUILD)/tests/odd_tasks \
              $(BUILD)/tests/ftrace_compare $(BUILD)/tests/planted $(BUILD)/tests/call_chains
	$(BUILD)/capture_tests
	BUILD=$(BUILD) python3 tests/capture/stacks_test.py
	BUILD=$(BUILD) python3 tests/capture/categories_test.py
	tests/capture/regressions_test.py --build $(BUILD)
	tests/session/session_test.py --build $(BUILD)

TRIGGER_TRIALS ?= 50
## trigger-test  plant a delay 50 times and have --trigger catch each of them (root)
.PHONY: trigger-test
trigger-test: $(BUILD)/capture_tests $(BINARIES)
	FXT_TRIGGER_TRIALS=$(TRIGGER_TRIALS) $(BUILD)/capture_tests --gtest_filter=Trigger.CatchesAPlantedDelay

## parity-test   fxt report beside perf sched of the same seconds, task by task (root, perf, a machine at rest)
.PHONY: parity-test
parity-test: $(BINARIES)
	BUILD=$(BUILD) python3 tests/capture/perf_parity_test.py
