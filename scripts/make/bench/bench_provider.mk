# SPDX-License-Identifier: BSD-2-Clause
# What a trace point of libfxt-provider costs, beside one of LTTng-UST.

## bench-provider ns of a trace point, beside LTTng-UST in the same run (root; make deps DEPS=bench)
.PHONY: bench-provider
bench-provider: $(BUILD)/fxt-record $(BUILD)/bench/fxt_points
	@if ! command -v lttng >/dev/null; then echo "without LTTng-UST: it is not installed (make deps DEPS=bench)"; \
	else $(MAKE) --no-print-directory BUILD=$(BUILD) $(BUILD)/bench/lttng_points; fi
	scripts/bench_provider --build $(BUILD)
