# SPDX-License-Identifier: BSD-2-Clause
# Targets that run tests. tests/CMakeLists.txt defines their programs.

# --- Unit tests ------------------------------------------------------------------------------------------------

## unit-test     build and run the unit tests alone
.PHONY: unit-test
# Builds even where it is one of several suites that run at once, of which no other builds in this folder.
unit-test:
	@$(SUBMAKE) BUILT= $(BUILD)/unit_tests
	scripts/run_shards $(BUILD)/unit_tests --gtest_brief=1

# The test runs this many rounds for each of two recordings and two sizes of damage.
RECOVER_ROUNDS ?= 2500
## recover-test  fxt recover after 10,000 cuts and overwrites (FXT_DAMAGE_TRACE=FILE adds a trace)
.PHONY: recover-test
recover-test: $(BUILD)/unit_tests
	FXT_DAMAGE_ROUNDS=$(RECOVER_ROUNDS) $(BUILD)/unit_tests --gtest_filter='RecoverDamageTest.*'

# --- Whole captures beside what the kernel recorded: tests/capture/README.md -----------------------------------

## record-test   record programs that count what they do: stacks, probes, counters, waits, categories, sessions (root)
.PHONY: record-test
record-test: $(BINARIES) $(BUILD)/tests/call_chains $(BUILD)/tests/odd_stacks $(BUILD)/tests/probed
	tests/capture/stacks_test.py --build $(BUILD)
	tests/capture/probes_test.py --build $(BUILD)
	tests/capture/probe_arguments_test.py --build $(BUILD)
	tests/capture/events/counters_test.py --build $(BUILD)
	tests/capture/events/waits_test.py --build $(BUILD)
	tests/capture/categories_test.py --build $(BUILD)
	tests/path/servers_test.py --build $(BUILD) $(addprefix RequestsTest.test_,python peers_are_known \
	  threads_share_connections a_pipelined_batch_is_one_request requests_without_an_answer_end)
	tests/session/session_test.py --build $(BUILD) commands

CAUSES_TESTS = capture/unwind capture/samples capture/lines capture/python capture/compiled_names capture/stack_diff capture/events/moving_faults \
               capture/events/packet_wakers capture/events/throttled capture/events/wait_objects path/path path/requests \
               path/trace_contexts capture/settings
## causes-test   record programs that know what they wait for, on whom, behind which limit and below which functions (root)
.PHONY: causes-test
causes-test: $(BINARIES) $(BUILD)/tests/waiting $(BUILD)/tests/unwound $(BUILD)/tests/unwound_static \
             $(BUILD)/tests/burners $(BUILD)/tests/burners_static $(BUILD)/tests/hostile_stacks $(BUILD)/tests/segments $(BUILD)/tests/requests
	@failed=; for test in $(CAUSES_TESTS); do \
	  echo "tests/$${test}_test.py"; tests/$${test}_test.py --build $(BUILD) || failed=1; done; test -z "$$failed"

## requests-test requests of nginx, redis, PostgreSQL, memcached, haproxy, node and Python beside a client's own count and
##               clock (root; make deps DEPS=requests)
.PHONY: requests-test
requests-test: $(BINARIES)
	@scripts/setup --try requests
	tests/path/servers_test.py --build $(BUILD)

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

# --- Sessions --------------------------------------------------------------------------------------------------

## session-test  sessions, their controller and its clients (root)
.PHONY: session-test
session-test: $(BINARIES) $(BUILD)/tests/probed
	@scripts/setup --try varlink
	tests/session/session_test.py --build $(BUILD)

# --- Providers -------------------------------------------------------------------------------------------------

PROVIDER_PROGRAMS := $(BUILD)/tests/exercise $(BUILD)/tests/hostile $(BUILD)/tests/odd_tasks $(BUILD)/examples/server

## provider-test providers that write, die or corrupt their buffers: 500 kills, 1,000 corruptions, the clock over 30
##               minutes (root; FXT_PROVIDER_CLOCK_SECONDS=1800)
## provider-test-short the same within a minute
.PHONY: provider-test provider-test-short
provider-test: $(BINARIES) libfxt-provider $(PROVIDER_PROGRAMS) $(BUILD)/unit_tests
	FXT_PROVIDER_ROUNDS=1000 $(BUILD)/unit_tests --gtest_filter='*CorruptedBuffer*'
	FXT_PROVIDER_KILLS=500 FXT_PROVIDER_LIARS=16 FXT_PROVIDER_CLOCK_SECONDS=$${FXT_PROVIDER_CLOCK_SECONDS:-1800} \
	  tests/provider/provider_test.py --build $(BUILD)

provider-test-short: $(BINARIES) libfxt-provider $(PROVIDER_PROGRAMS)
	tests/provider/provider_test.py --build $(BUILD)

## hostile-soak  hostile providers and clients of two users beside an honest session (root; HOSTILE_SOAK_SECONDS=900)
.PHONY: hostile-soak
HOSTILE_SOAK_SECONDS ?= 7200
hostile-soak: $(BINARIES) $(PROVIDER_PROGRAMS)
	tests/provider/hostile_soak.py $(BUILD) $(HOSTILE_SOAK_SECONDS)

# --- Queries and fleets ----------------------------------------------------------------------------------------

## query-test    fxt query and fxt export against fxt report, fxt info, the documentation and each other
## cache-test    fxt query --cache against fxt query
## extension-test  the tables of build/fxt_sqlite.so in sqlite3 against fxt query
.PHONY: query-test cache-test extension-test
query-test: $(BINARIES) $(BUILD)/bench/make_switches
	tests/query/query_test.py --build $(BUILD)

cache-test: $(BINARIES) $(BUILD)/bench/make_switches
	tests/query/query_test.py --build $(BUILD) cache

extension-test: $(BINARIES) $(BUILD)/fxt_sqlite.so $(BUILD)/bench/make_switches
	tests/query/query_test.py --build $(BUILD) extension

## fleet-test    captures of six hosts on two real ClickHouse servers, killed in between (root; make deps DEPS=fleet)
.PHONY: fleet-test
fleet-test: $(BINARIES)
	@scripts/setup --try fleet
	tests/fleet/fleet_test.py --build $(BUILD)
	tests/fleet/once_test.py --build $(BUILD)
	tests/fleet/regressed_test.py --build $(BUILD)

# --- Imports ---------------------------------------------------------------------------------------------------

IMPORT_ROUNDS ?= 100000

## import-test   import random Trace Event JSON and that of clang, ninja, Node, Chromium and perf, and convert it back
## import-damage 100,000 damaged files into fxt import (IMPORT_ROUNDS=100000)
.PHONY: import-test import-damage
import-test: $(BINARIES)
	tests/import/import_test.py --build $(BUILD)

import-damage: $(BUILD)/unit_tests
	FXT_DAMAGE_ROUNDS=$(IMPORT_ROUNDS) $(BUILD)/unit_tests --gtest_filter='DamagedTextTest.*'

# --- JSON in other programs and pages in a browser -------------------------------------------------------------

## json-test     `fxt json` of a recording is JSON and agrees with `fxt info` (root)
## pages-test    open the pages of `fxt report` and `fxt diff` in a headless Chromium (root)
## viewer-test   pages-test; `fxt json` loaded into speedscope, recordings and paths into Perfetto's page, in a headless
##               Chromium (root)
## open-test     `fxt open` and `fxt draw` with a headless Chromium
## view-test     `fxt view` in a headless Chromium: clicks, keys, links; what it shows beside fxt query (root)
## view-test-short  the most important of it, for `make test`; skipped without Chromium
## view-test-long  the same with 1,000 points, 100 damaged files, and a trace of 1 GB (FXT_VIEW_BYTES)
## perfetto-test `fxt export --format perfetto` read by the protobuf library (root). TRACE_PROCESSOR=PATH: Perfetto reads it, too
.PHONY: json-test pages-test viewer-test open-test view-test view-test-short view-test-long perfetto-test
view-test: $(BINARIES) $(BUILD)/tests/odd_tasks
	@scripts/setup --try viewer
	tests/viewer/view_test.py --build $(BUILD)

view-test-short: $(BINARIES)
	tests/viewer/view_test.py --build $(BUILD) Served.test_only_this_page_is_answered Served.test_files_that_are_not_traces_are_refused \
	  View.test_states_are_those_of_query View.test_a_click_shows_a_wait_and_goes_to_the_waker

view-test-long: $(BINARIES) $(BUILD)/bench/make_switches $(BUILD)/tests/odd_tasks
	@scripts/setup --try viewer
	FXT_VIEW_POINTS=1000 FXT_VIEW_BYTES=$${FXT_VIEW_BYTES:-1000000000} tests/viewer/view_test.py --build $(BUILD)

open-test: $(BINARIES)
	@scripts/setup --try viewer
	tests/viewer/open_test.py --build $(BUILD)
	tests/viewer/draw_test.py --build $(BUILD)

perfetto-test: $(BINARIES)
	@scripts/setup --try perfetto
	tests/viewer/perfetto_test.py --build $(BUILD)

json-test: $(BINARIES)
	tests/viewer/json_test.py --build $(BUILD)

pages-test: $(BINARIES)
	@scripts/setup --try viewer
	tests/viewer/pages_test.py --build $(BUILD)

viewer-test: pages-test $(BINARIES)
	tests/viewer/viewer_test.py --build $(BUILD)
	tests/viewer/perfetto_page_test.py --build $(BUILD)

# --- The commands of docs/guide.md and docs/ci.md --------------------------------------------------------------

## guide-test    run the commands of docs/guide.md and compare their output with it (root; two minutes)
## ci-test       run the recipe of docs/ci.md: it fails for a planted regression and passes without one (root; two minutes)
.PHONY: guide-test ci-test
guide-test: $(BINARIES)
	@scripts/setup --try regress
	tests/guide/guide_test.py --build $(BUILD)

ci-test: $(BINARIES)
	tests/guide/ci_recipe_test.py --build $(BUILD)

## typed-test    run the commands of README.md, docs/ and --help as they are typed there (root)
.PHONY: typed-test
typed-test: $(BINARIES) libfxt-provider
	tests/guide/typed_test.py --build $(BUILD)

# --- Comparisons: tests/regress/README.md ----------------------------------------------------------------------

## regress-record record the planted regressions and the programs of the distribution, base and slow interleaved
##               (root; about two hours; CAPTURES=build/regress)
## regress-test  compare what `fxt diff` finds in them with what was planted
## accuracy      write docs/accuracy.md from them (NOTE= a sentence about the machine)
.PHONY: regress-record regress-test accuracy
CAPTURES ?= $(BUILD)/regress
regress-record: $(BUILD)/fxt-record $(BUILD)/tests/planted
	scripts/setup regress
	tests/regress/record.py --build $(BUILD) planted $(CAPTURES)/planted
	tests/regress/record.py --build $(BUILD) programs $(CAPTURES)/programs
	tests/regress/record.py --build $(BUILD) aa $(CAPTURES)/aa

regress-test: $(BUILD)/fxt
	tests/regress/evaluate.py --build $(BUILD) $(CAPTURES)/planted $(CAPTURES)/programs --aa $(CAPTURES)/aa

accuracy: $(BUILD)/fxt $(BUILD)/tests/planted
	tests/regress/accuracy.py --build $(BUILD) $(CAPTURES)/planted $(CAPTURES)/programs --aa $(CAPTURES)/aa \
	  $(if $(NOTE),--note '$(NOTE)') >docs/accuracy.md.new && mv docs/accuracy.md.new docs/accuracy.md

# --- False findings of fxt diff --------------------------------------------------------------------------------

DIFF_DRAWS ?= 1000
## diff-calibration  print false discoveries and power of fxt diff over simulated captures (DIFF_DRAWS=1000)
.PHONY: diff-calibration
diff-calibration: $(BUILD)/unit_tests
	FXT_DIFF_DRAWS=$(DIFF_DRAWS) $(BUILD)/unit_tests --gtest_filter='CalibrationTest.*'

# --- Fuzzing with libFuzzer ------------------------------------------------------------------------------------

# clang-14 comes with clang++-14.
FUZZ_CXX     ?= $(subst clang,clang++,$(CLANG))
FUZZ_BUILD   = $(BUILD)/fuzz
FUZZ_SECONDS ?= 600
FUZZ_OPT     = -O1
FUZZ_MAKE    = $(SUBMAKE) BUILT= BUILD=$(FUZZ_BUILD) CXX='$(FUZZ_CXX)' OPT='$(FUZZ_OPT) -gline-tables-only' \
                 SAN=address,undefined,fuzzer-no-link CXXFLAGS='-fsanitize-ignorelist=$(CURDIR)/tests/fuzz/not_ours.txt'
# A message if clang or libFuzzer is missing. Evaluated by the fuzzing targets only.
FUZZ_MISSING = $(shell f=$$(mktemp) && \
  echo 'extern "C" int LLVMFuzzerTestOneInput(const char*, unsigned long) { return 0; }' | \
  $(FUZZ_CXX) -x c++ - -fsanitize=fuzzer,address -o $$f >/dev/null 2>&1 || \
  echo "$(FUZZ_CXX) cannot build with -fsanitize=fuzzer"; rm -f $$f)

# Seeds are generated again; corpus/ keeps the inputs that long runs found.
.PHONY: fuzz-seeds
fuzz-seeds: $(BUILD)/tests/make_corpus
	@rm -rf $(FUZZ_BUILD)/seeds $(FUZZ_BUILD)/participant_seeds
	$(BUILD)/tests/make_corpus $(FUZZ_BUILD)/seeds $(FUZZ_BUILD)/participant_seeds
	@mkdir -p $(FUZZ_BUILD)/corpus

# Seconds of one input, by the clock of the machine.
FUZZ_UNIT_SECONDS = 10
# The second fuzzer is no longer root when it reads its inputs, and keeps none.
FUZZ_LIMITS = -timeout=$(FUZZ_UNIT_SECONDS) -rss_limit_mb=2048 -max_len=65536 -print_final_stats=1
FUZZ_READERS = $(FUZZ_BUILD)/reader_fuzzer $(FUZZ_LIMITS) -artifact_prefix=$(FUZZ_BUILD)/
FUZZ_PARTICIPANTS = $(FUZZ_BUILD)/participant_fuzzer $(FUZZ_LIMITS) -max_len=4096 -artifact_prefix=$(FUZZ_BUILD)/
FUZZ_PROBES = $(FUZZ_BUILD)/probe_fuzzer $(FUZZ_LIMITS) -max_len=65536 -artifact_prefix=$(FUZZ_BUILD)/
# Small programs with debug information.
FUZZ_DEBUG = $(FUZZ_BUILD)/debug
.PHONY: fuzz-debug
fuzz-debug:
	@mkdir -p $(FUZZ_DEBUG) $(FUZZ_BUILD)/probe_seeds
	@for level in O0 O2; do for cc in '$(CC)' '$(CLANG)'; do name=$$(basename $$cc)-$$level; \
	  $$cc -w -g -$$level -fPIC -shared -nostdlib -o $(FUZZ_DEBUG)/calls-$$name tests/capture/arguments/calls.c; \
	  $$cc -w -g -$$level -std=c++17 -fPIC -shared -nostdlib -x c++ -o $(FUZZ_DEBUG)/names-$$name tests/capture/arguments/names.cc; done; done; \
	for file in $(FUZZ_DEBUG)/*; do { printf '\003'; cat $$file; } >$(FUZZ_BUILD)/probe_seeds/$$(basename $$file); done
	@printf '\000server::f(arg1, %%di:str, a->b.c[2]:s8)+retval:u16 if arg2 > 4096 and %%si & 0x2 or arg3 == -1' >$(FUZZ_BUILD)/probe_seeds/option

## fuzz          fuzz the reading side and the sockets (FUZZ_SECONDS=600 each), and 10,000 mutated ELF files and indexes
## fuzz-test     the same with some thousand inputs, always the same ones
.PHONY: fuzz
fuzz: fuzz-seeds fuzz-debug
	@$(MAKE) --no-print-directory fuzz-programs
	$(FUZZ_BUILD)/tests/table_mutations --count 10000 --seed 1
	$(FUZZ_BUILD)/tests/argument_mutations --count 10000 --seed 1 $(FUZZ_DEBUG)/*
	$(FUZZ_BUILD)/tests/index_mutations --count 10000 --seed 1
	$(FUZZ_READERS) -max_total_time=$(FUZZ_SECONDS) $(FUZZ_BUILD)/corpus $(FUZZ_BUILD)/seeds
	$(FUZZ_PARTICIPANTS) -max_total_time=$(FUZZ_SECONDS) $(FUZZ_BUILD)/participant_seeds
	$(FUZZ_PROBES) -max_total_time=$(FUZZ_SECONDS) $(FUZZ_BUILD)/probe_seeds

# A short run with fixed seeds of the random numbers, and of a third of the inputs, so that it mutates them in the same order
# each time. It would be compiled for twice as long with -O1, and takes a minute more without.
FUZZ_TEST_OPT := -O0
# Beside other suites, which mostly wait for what they record, one more than there are CPUs.
FUZZ_TEST_JOBS = $(shell expr $$(nproc) + 1)
FUZZ_TEST_SEEDS = $(FUZZ_BUILD)/test_seeds
# Runs a fuzzer a number of times and shows its figures, or its output if it fails.
FUZZ_TIMES = fuzz() { log=$(FUZZ_BUILD)/$$1.log; shift; "$$@" -seed=1 >$$log 2>&1 || { cat $$log; return 1; }; \
	  sed -n 's/^stat::/fuzz-test: /p' $$log; }
.PHONY: fuzz-test fuzz-test-run fuzz-programs
# Without clang there are none.
fuzz-programs:
	@if [ -z "$(FUZZ_MISSING)" ]; then \
	  $(FUZZ_MAKE) files FILES="reader_fuzzer participant_fuzzer probe_fuzzer tests/table_mutations tests/index_mutations \
	    tests/argument_mutations"; fi

fuzz-test:
	@missing="$(FUZZ_MISSING)"; \
	if [ -n "$$missing" ]; then echo "SKIPPED fuzz-test: $$missing"; \
	else $(SUBMAKE) FUZZ_BUILD=$(BUILD)/fuzz-test FUZZ_OPT=$(FUZZ_TEST_OPT) JOBS=$(FUZZ_TEST_JOBS) fuzz-test-run; fi

# Other suites may keep the fuzzers from the CPU.
fuzz-test-run: FUZZ_UNIT_SECONDS = 300
fuzz-test-run: fuzz-seeds fuzz-debug
	@$(MAKE) --no-print-directory fuzz-programs
	@rm -rf $(FUZZ_TEST_SEEDS) && mkdir $(FUZZ_TEST_SEEDS)
	@ls $(FUZZ_BUILD)/seeds | awk 'NR % 3 == 0' | sed 's,^,$(FUZZ_BUILD)/seeds/,' | xargs cp -t $(FUZZ_TEST_SEEDS)
	@$(FUZZ_TIMES); fuzz reader $(FUZZ_READERS) -runs=800 $(FUZZ_TEST_SEEDS) & reader=$$!; \
	  fuzz participant $(FUZZ_PARTICIPANTS) -runs=400 $(FUZZ_BUILD)/participant_seeds && \
	  fuzz probe $(FUZZ_PROBES) -runs=3000 $(FUZZ_BUILD)/probe_seeds && \
	  $(FUZZ_BUILD)/tests/table_mutations --count 300 && \
	  $(FUZZ_BUILD)/tests/argument_mutations --count 200 $(FUZZ_DEBUG)/* && \
	  $(FUZZ_BUILD)/tests/index_mutations --count 500; others=$$?; wait $$reader && exit $$others

## bombs         every command of fxt on made files of 10 MB that repeat one thing: memory and CPU time (20 minutes)
.PHONY: bombs
bombs: $(BUILD)/fxt
	tests/bombs/bombs.py $(BUILD)

# --- Other kernels in virtual machines -------------------------------------------------------------------------

VM_PROGRAMS := $(BINARIES) $(BUILD)/tests/workload $(BUILD)/tests/vm_probe $(BUILD)/tests/as_user \
               $(BUILD)/tests/in_namespace $(BUILD)/tests/ftrace_compare $(BUILD)/tests/probed $(BUILD)/tests/arguments \
               $(BUILD)/tests/waiting $(BUILD)/bench/prices_load $(BUILD)/tests/unwound $(BUILD)/tests/unwound_static \
               $(BUILD)/tests/burners $(BUILD)/tests/burners_static

## vm-test       the matrix of kernels in virtual machines (SKIPPED without qemu)
## vm-test-short three kernels of it, within 3 minutes
.PHONY: vm-test vm-test-short
vm-test: $(VM_PROGRAMS)
	@scripts/setup --try vm
	scripts/vm_matrix --build $(BUILD)

## vm-test-arm64 cross compile for 64-bit ARM, record in virtual machines and compare with ftrace
##               (make deps DEPS="cross vm"; minutes for each of three kernels)
VM_ARM64_MODES ?= probe,truth,categories,unwound,wakers,one_cpu
.PHONY: vm-test-arm64
vm-test-arm64:
	@scripts/cross_libraries $(CROSS_LIBRARIES)
	@$(MAKE) --no-print-directory aarch64-vm CROSS=$(abspath $(CROSS_LIBRARIES))/bin/$(CROSS_TRIPLET)
	scripts/vm_matrix --architecture arm64 --build $(CROSS_BUILD) --sysroot $(CROSS_LIBRARIES) --modes $(VM_ARM64_MODES) --time-factor 4 \
	  $(if $(VM_CACHE),--cache $(VM_CACHE))

vm-test-short: $(VM_PROGRAMS)
	@scripts/setup --try vm
	@$(MAKE) --no-print-directory vm-test-run

# Builds nothing, and so can run beside other suites, which take its time.
.PHONY: vm-test-run
vm-test-run:
	scripts/vm_matrix --build $(BUILD) --short --time-factor 3

# --- Soaks -----------------------------------------------------------------------------------------------------

## soak          record for 30 minutes under load and at rest, with figures over time (root;
##               SOAK="--duration 10m --rate 100000")
.PHONY: soak
SOAK ?=
soak: $(BUILD)/fxt-record $(BUILD)/fxt $(BUILD)/tests/workload
	scripts/soak --build $(BUILD) $(SOAK)

## session-soak  a circular session for 30 minutes with a snapshot every minute, and its memory (root;
##               SOAK_SECONDS=600 is shorter)
.PHONY: session-soak
SOAK_SECONDS ?= 1800
session-soak: $(BUILD)/fxt-record $(BUILD)/fxt $(BUILD)/tests/workload
	scripts/session_soak --build $(BUILD) --duration $(SOAK_SECONDS)

# --- Compilers, sanitizers, valgrind ---------------------------------------------------------------------------

## build-matrix  g++ 12, clang 14, 16 and 19, BPF objects of clang 14 and 19, sanitizers, valgrind, static
##               analysis, 64-bit ARM (STEPS="clang-19 thread" for some; two hours on two CPUs)
.PHONY: build-matrix
STEPS ?=
build-matrix:
	scripts/build_matrix --build $(BUILD) --make "$(MAKE)" $(STEPS)
