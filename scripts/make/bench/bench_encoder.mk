# SPDX-License-Identifier: BSD-2-Clause
# Speed of the writing side, and bytes per context switch by thread table policy.
# Google Benchmark is packaged as a shared library alone, so encoder_bench is not static.

ENCODER_BENCH_OBJECTS := $(BUILD)/tests/bench/encoder_bench.o $(BUILD)/tests/unit/fxt/support/switch_streams.o
$(BUILD)/bench/encoder_bench: $(ENCODER_BENCH_OBJECTS) $(BUILD)/libsink.a $(BUILD)/libfxt.a $(BUILD)/libutil.a
	@mkdir -p $(@D)
	$(call brief,LINK)$(CXX) $(LDFLAGS) -o $@ $^ -lbenchmark -ldeflate -lz -pthread

$(BUILD)/bench/thread_slots: $(BUILD)/tests/bench/thread_slots.o $(BUILD)/tests/unit/fxt/support/switch_streams.o $(BUILD)/libfxt.a
	@mkdir -p $(@D)
	$(call brief,LINK)$(CXX) $(LDFLAGS) $(LDFLAGS_BIN) -o $@ $^

## bench-encoder print ns per record of the encoder, tables and gzip
.PHONY: bench-encoder
bench-encoder: $(BUILD)/bench/encoder_bench
	$(BUILD)/bench/encoder_bench

## thread-slots  print bytes per context switch for several ways to spend thread slots
.PHONY: thread-slots
thread-slots: $(BUILD)/bench/thread_slots
	$(BUILD)/bench/thread_slots
