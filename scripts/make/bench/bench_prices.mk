# SPDX-License-Identifier: BSD-2-Clause
# What each category and option costs, beside what others take for the same.

PRICES_LOAD := $(patsubst %.cc,$(BUILD)/%.o,$(sort $(wildcard tests/bench/prices/*.cc)))
# Its function is where it stands, at a place in the file that a probe finds.
$(PRICES_LOAD): private CPPFLAGS += -Itests
$(PRICES_LOAD): private CXXFLAGS += -O1 -fno-omit-frame-pointer -fno-sanitize=all
$(BUILD)/bench/prices_load: $(PRICES_LOAD)
	@mkdir -p $(@D)
	$(call brief,LINK)$(CXX) $(LDFLAGS) $(LDFLAGS_BIN) -o $@ $^ -lutil -pthread

## bench-prices  added ns and bytes per event of every category and option, beside perf, trace-cmd and
##               bpftrace (root; make deps DEPS=bench; ROUNDS=7, about a quarter of an hour);
##               scripts/bench_prices --update puts the figures where the program and the documents have them
.PHONY: bench-prices
PRICES ?=
bench-prices: $(BUILD)/fxt-record $(BUILD)/bench/prices_load
	scripts/bench_prices --build $(BUILD) $(if $(ROUNDS),--rounds $(ROUNDS)) $(if $(PRICES),--prices '$(PRICES)')
