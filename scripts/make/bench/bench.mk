# SPDX-License-Identifier: BSD-2-Clause
# Benchmarks: the recorder beside its peers, and its parts alone. See docs/performance.md.

## bench-micro   ns per event of the merge, the translation and the whole user side, and of the
##               encoder and the reader (BENCH_FILTER= a regular expression for the former)
.PHONY: bench-micro
BENCH_FILTER ?= .
# Written beside what they measure, in make files of their own.
BENCH_OTHERS := $(if $(wildcard tests/bench/encoder_bench.cc),bench-encoder) \
                $(if $(wildcard tests/bench/reader_bench.cc),bench-reader)
bench-micro: $(BUILD)/bench/micro_bench
	$(BUILD)/bench/micro_bench --benchmark_filter='$(BENCH_FILTER)' \
	  --benchmark_repetitions=5 --benchmark_report_aggregates_only=true \
	  --benchmark_out=$(BUILD)/bench/micro.json --benchmark_out_format=json
	$(foreach other,$(BENCH_OTHERS),$(MAKE) --no-print-directory BUILD=$(BUILD) $(other) &&) true

## bench         the recorder beside perf, trace-cmd and bpftrace (root; ROUNDS=9, about an hour)
## bench-quick   the same with three rounds of small workloads (about ten minutes)
##               WORKLOADS= and RECORDERS= choose some, RESULTS= is the JSON file that is kept
.PHONY: bench bench-quick
ROUNDS    ?=
WORKLOADS ?=
RECORDERS ?=
RESULTS   ?= $(BUILD)/bench/peers.json
BENCH_PEERS = scripts/bench_peers --build $(BUILD) --output $(RESULTS) $(if $(ROUNDS),--rounds $(ROUNDS)) \
              $(if $(WORKLOADS),--workloads '$(WORKLOADS)') $(if $(RECORDERS),--recorders '$(RECORDERS)')
bench: $(BUILD)/fxt-record $(BUILD)/tests/workload
	$(BENCH_PEERS)
bench-quick: $(BUILD)/fxt-record $(BUILD)/tests/workload
	$(BENCH_PEERS) --quick

## bench-programs time spent in each BPF program under ping-pong (root)
.PHONY: bench-programs
bench-programs: $(BUILD)/fxt-record
	scripts/bench_programs --build $(BUILD)

## bench-sessions recording into memory beside streaming: the programs, the collector, snapshots (root)
.PHONY: bench-sessions
bench-sessions: $(BUILD)/fxt-record $(BUILD)/fxt $(BUILD)/tests/workload
	scripts/bench_sessions --build $(BUILD) --output $(BUILD)/bench/sessions.json
