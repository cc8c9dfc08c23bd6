# SPDX-License-Identifier: BSD-2-Clause
# Tests of whole captures against what the kernel itself recorded: see tests/capture/README.md.

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
