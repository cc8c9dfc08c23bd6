# SPDX-License-Identifier: BSD-2-Clause
# Reading speed beside a plain memory copy, and flat memory.

## bench-reader  print ns per record and GB/s of the reader next to memcpy, and its memory
.PHONY: bench-reader
bench-reader: $(BUILD)/bench/reader_bench
	$(BUILD)/bench/reader_bench
