# SPDX-License-Identifier: BSD-2-Clause
# Tests of whole captures against what the kernel itself recorded: see tests/capture/README.md.

CAPTURE_SUPPORT := $(patsubst %.cc,$(BUILD)/%.o,\
                     $(sort $(wildcard tests/capture/ftrace/*.cc tests/capture/ftrace/*/*.cc \
                       tests/capture/support/*.cc)))
CAPTURE_TESTS   := $(patsubst %.cc,$(BUILD)/%.o,$(sort $(wildcard tests/capture/*.cc tests/capture/comparer/*.cc \
                     tests/capture/program/*.cc)))
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

ODD_STACKS := $(BUILD)/tests/capture/odd_stacks/main.o
$(ODD_STACKS): private CXXFLAGS += -O1 -fno-optimize-sibling-calls -fno-sanitize=all
$(BUILD)/tests/odd_stacks: $(ODD_STACKS)
	$(call brief,LINK)$(CXX) $(LDFLAGS) $(LDFLAGS_BIN) -o $@ $^

# Its functions are called as often as its source says. Code that checks its own addresses is none to probe.
PROBED := $(BUILD)/tests/capture/probed/main.o
$(PROBED): private CXXFLAGS += -O1 -fno-sanitize=all
$(BUILD)/tests/probed: $(PROBED)
	$(call brief,LINK)$(CXX) $(LDFLAGS) $(LDFLAGS_BIN) -o $@ $^ -pthread

$(BUILD)/capture_tests: $(CAPTURE_TESTS) $(BUILD)/tests/libcapture_support.a $(ARCHIVES)
	$(call brief,LINK)$(CXX) $(LDFLAGS) -o $@ $(CAPTURE_TESTS) $(BUILD)/tests/libcapture_support.a $(ARCHIVES_LINK) \
	  -lgtest -lgmock $(LIBS)

## record-test   record programs that count what they do: stacks, probes, counters, waits, categories, sessions (root)
.PHONY: record-test
record-test: $(BINARIES) $(BUILD)/tests/call_chains $(BUILD)/tests/odd_stacks $(BUILD)/tests/probed
	tests/capture/stacks_test.py --build $(BUILD)
	tests/capture/probes_test.py --build $(BUILD)
	tests/capture/events/counters_test.py --build $(BUILD)
	tests/capture/events/waits_test.py --build $(BUILD)
	tests/capture/categories_test.py --build $(BUILD)
	tests/session/session_test.py --build $(BUILD) commands

## capture-test  record this machine and compare the files with ftrace and trace-cmd (root)
.PHONY: capture-test
capture-test: $(BUILD)/capture_tests $(BINARIES) $(BUILD)/tests/workload $(BUILD)/tests/odd_tasks \
              $(BUILD)/tests/ftrace_compare $(BUILD)/tests/planted
	$(BUILD)/capture_tests
	tests/capture/events/tracepoints_test.py --build $(BUILD)
	tests/capture/regressions_test.py --build $(BUILD)

TRIGGER_TRIALS ?= 50
QUIET_SECONDS  ?= 300
## trigger-test  plant a delay 50 times and have --trigger catch each of them, and none in five minutes
##               without one (root)
.PHONY: trigger-test
trigger-test: $(BUILD)/capture_tests $(BINARIES)
	FXT_TRIGGER_TRIALS=$(TRIGGER_TRIALS) FXT_QUIET_SECONDS=$(QUIET_SECONDS) $(BUILD)/capture_tests \
	  --gtest_filter='Trigger.CatchesAPlantedDelay:Trigger.NoneWithoutADelay'

CIRCULAR_SECONDS ?= 600
CIRCULAR_SIZE    ?= 64M
## circular-test ten minutes of circular recording at full rate, and its window beside ftrace's (root)
.PHONY: circular-test
circular-test: $(BUILD)/capture_tests $(BINARIES) $(BUILD)/tests/workload $(BUILD)/tests/odd_tasks
	FXT_CIRCULAR_SECONDS=$(CIRCULAR_SECONDS) FXT_CIRCULAR_SIZE=$(CIRCULAR_SIZE) $(BUILD)/capture_tests --gtest_filter='CircularWindow.*'

## parity-test   fxt report beside perf sched of the same seconds, task by task (root, perf, a machine at rest)
.PHONY: parity-test
parity-test: $(BINARIES)
	tests/capture/perf_parity_test.py --build $(BUILD)

MIXED_SECONDS ?= 10
## mixed-test    record a million events a second of all categories at once and lose none (root, MIXED_SECONDS=10)
.PHONY: mixed-test
mixed-test: $(BINARIES) $(BUILD)/bench/prices_load
	FXT_MIXED_SECONDS=$(MIXED_SECONDS) tests/capture/events/mixed_test.py --build $(BUILD)
