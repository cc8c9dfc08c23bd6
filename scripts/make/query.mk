# SPDX-License-Identifier: BSD-2-Clause
# Traces as tables.

## query-test    fxt query, its extension and fxt export against fxt report, fxt info, the documentation and each other
.PHONY: query-test
query-test: $(BINARIES) $(BUILD)/fxt_sqlite.so $(BUILD)/bench/make_switches
	tests/query/query_test.py --build $(BUILD)

## fleet-test    captures of six hosts on two real ClickHouse servers, killed in between (root; make deps DEPS=fleet)
.PHONY: fleet-test
fleet-test: $(BINARIES)
	@scripts/setup --try fleet
	tests/fleet/fleet_test.py --build $(BUILD)
	tests/fleet/once_test.py --build $(BUILD)
	tests/fleet/regressed_test.py --build $(BUILD)
