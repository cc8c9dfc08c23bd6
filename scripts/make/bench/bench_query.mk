# SPDX-License-Identifier: BSD-2-Clause
# How long queries and exports of large recordings take.

## bench-query   time and memory of fxt query and fxt export for 10 million runs
.PHONY: bench-query
bench-query: $(BUILD)/fxt $(BUILD)/bench/make_switches
	scripts/bench_query --build $(BUILD)
