# SPDX-License-Identifier: BSD-2-Clause
# Speed of the writing side, and bytes per context switch by thread table policy.

## bench-encoder print ns per record of the encoder, tables and gzip
.PHONY: bench-encoder
bench-encoder: $(BUILD)/bench/encoder_bench
	$(BUILD)/bench/encoder_bench

## thread-slots  print bytes per context switch for several ways to spend thread slots
.PHONY: thread-slots
thread-slots: $(BUILD)/bench/thread_slots
	$(BUILD)/bench/thread_slots
