# SPDX-License-Identifier: BSD-2-Clause
# What each category and option costs, beside what others take for the same.

## bench-prices  added ns and bytes per event of every category and option, beside perf, trace-cmd and
##               bpftrace (root; make deps DEPS=bench; ROUNDS=7, about a quarter of an hour);
##               scripts/bench_prices --update puts the figures where the program and the documents have them
.PHONY: bench-prices
PRICES ?=
bench-prices: $(BUILD)/fxt-record $(BUILD)/bench/prices_load
	scripts/bench_prices --build $(BUILD) $(if $(ROUNDS),--rounds $(ROUNDS)) $(if $(PRICES),--prices '$(PRICES)')
