# SPDX-License-Identifier: BSD-2-Clause
# Benchmarks: docs/performance.md has the results.

# --- The recorder beside its peers, and its parts alone --------------------------------------------------------

## bench-micro   ns per event of the merge, the translation and the whole user side, and of the
##               encoder and the reader (BENCH_FILTER= a regular expression for the former)
.PHONY: bench-micro
BENCH_FILTER ?= .
bench-micro: $(BUILD)/bench/micro_bench $(BUILD)/bench/encoder_bench $(BUILD)/bench/reader_bench
	$(BUILD)/bench/micro_bench --benchmark_filter='$(BENCH_FILTER)' \
	  --benchmark_repetitions=5 --benchmark_report_aggregates_only=true \
	  --benchmark_out=$(BUILD)/bench/micro.json --benchmark_out_format=json
	$(BUILD)/bench/encoder_bench
	$(BUILD)/bench/reader_bench

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

# --- Writer ----------------------------------------------------------------------------------------------------

## bench-encoder print ns per record of the encoder, tables and gzip
.PHONY: bench-encoder
bench-encoder: $(BUILD)/bench/encoder_bench
	$(BUILD)/bench/encoder_bench

## thread-slots  print bytes per context switch for several ways to spend thread slots
.PHONY: thread-slots
thread-slots: $(BUILD)/bench/thread_slots
	$(BUILD)/bench/thread_slots

# --- Reports and comparisons -----------------------------------------------------------------------------------

## bench-insight time and memory of fxt info, report, summarize and diff for 10 million switches (MILLIONS=)
.PHONY: bench-insight
MILLIONS ?= 10
bench-insight: $(BUILD)/fxt $(BUILD)/bench/make_switches
	scripts/bench_insight --build $(BUILD) --millions $(MILLIONS)

# --- Categories and options ------------------------------------------------------------------------------------

## bench-prices  added ns and bytes per event of every category and option, beside perf, trace-cmd and
##               bpftrace (root; make deps DEPS=bench; ROUNDS=7, about a quarter of an hour);
##               scripts/bench_prices --update writes the figures into the program and the documents
.PHONY: bench-prices
PRICES ?=
bench-prices: $(BUILD)/fxt-record $(BUILD)/bench/prices_load
	scripts/bench_prices --build $(BUILD) $(if $(ROUNDS),--rounds $(ROUNDS)) $(if $(PRICES),--prices '$(PRICES)')

# --- Providers -------------------------------------------------------------------------------------------------

## bench-provider ns of a trace point, beside LTTng-UST in the same run (root; make deps DEPS=bench)
.PHONY: bench-provider
bench-provider: $(BUILD)/fxt-record $(BUILD)/bench/fxt_points
	@if command -v lttng >/dev/null; then $(MAKE) --no-print-directory BUILD=$(BUILD) $(BUILD)/bench/lttng_points; \
	else echo "LTTng-UST is not installed (make deps DEPS=bench): its trace points are not measured"; fi
	scripts/bench_provider --build $(BUILD)

# --- Queries and exports ---------------------------------------------------------------------------------------

## bench-query   time and memory of fxt query and fxt export for 10 million runs
.PHONY: bench-query
bench-query: $(BUILD)/fxt $(BUILD)/bench/make_switches
	scripts/bench_query --build $(BUILD)

# --- Reader ----------------------------------------------------------------------------------------------------

## bench-reader  print ns per record and GB/s of the reader next to memcpy, and its memory
.PHONY: bench-reader
bench-reader: $(BUILD)/bench/reader_bench
	$(BUILD)/bench/reader_bench

# --- Imports ---------------------------------------------------------------------------------------------------

## bench-import  a gigabyte of JSON: MB/s of one core beside the JSON parser alone, and memory (IMPORT_MB=1000)
.PHONY: bench-import
IMPORT_MB ?= 1000
bench-import: $(BUILD)/fxt $(BUILD)/bench/json_parser
	scripts/bench_import --build $(BUILD) --mb $(IMPORT_MB)
