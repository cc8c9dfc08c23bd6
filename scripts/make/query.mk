# SPDX-License-Identifier: BSD-2-Clause
# Traces as tables.

## query-test    fxt query, its extension and fxt export against fxt report, fxt info, the documentation and
##               one another
.PHONY: query-test
query-test: $(BINARIES) $(BUILD)/fxt_sqlite.so $(BUILD)/bench/make_switches $(BUILD)/capture_tests
	tests/query/query_test.py --build $(BUILD)
