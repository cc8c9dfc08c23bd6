# SPDX-License-Identifier: BSD-2-Clause
# Reading speed beside a plain memory copy, and flat memory.

$(BUILD)/bench/reader_bench: $(BUILD)/tests/bench/reader_bench.o $(ARCHIVES_LINK)
	@mkdir -p $(@D)
	$(call brief,LINK)$(CXX) $(LDFLAGS) $(LDFLAGS_BIN) -o $@ $^ $(LIBS)

## bench-reader  print ns per record and GB/s of the reader next to memcpy, and its memory
.PHONY: bench-reader
bench-reader: $(BUILD)/bench/reader_bench
	$(BUILD)/bench/reader_bench
