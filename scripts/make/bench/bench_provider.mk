# SPDX-License-Identifier: BSD-2-Clause
# What a trace point of libfxt-provider costs, beside one of LTTng-UST.

BENCH_PROVIDER_FLAGS := -std=gnu11 -O2 -Iinclude -Itests/bench/provider

$(BUILD)/bench/fxt_points: tests/bench/provider/fxt_points.c tests/bench/provider/measure.h $(BUILD)/libfxt-provider.a
	@mkdir -p $(@D)
	$(call brief,LINK)$(CC) $(BENCH_PROVIDER_FLAGS) -o $@ $(filter %.c %.a,$^) -pthread

$(BUILD)/bench/lttng_points: tests/bench/provider/lttng_points.c tests/bench/provider/lttng_events.h tests/bench/provider/measure.h
	@mkdir -p $(@D)
	$(call brief,LINK)$(CC) $(BENCH_PROVIDER_FLAGS) -o $@ $< -llttng-ust -ldl -pthread

## bench-provider ns of a trace point, beside LTTng-UST in the same run (root; make deps DEPS=bench)
.PHONY: bench-provider
bench-provider: $(BUILD)/fxt-record $(BUILD)/bench/fxt_points
	@if ! command -v lttng >/dev/null; then echo "without LTTng-UST: it is not installed (make deps DEPS=bench)"; \
	else $(MAKE) --no-print-directory BUILD=$(BUILD) $(BUILD)/bench/lttng_points; fi
	scripts/bench_provider --build $(BUILD)
