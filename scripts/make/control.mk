# SPDX-License-Identifier: BSD-2-Clause
# Sessions and their controller.

## session-test  sessions, their controller and its clients (root)
.PHONY: session-test
session-test: $(BINARIES) $(BUILD)/tests/probed
	@scripts/setup --try varlink
	tests/session/session_test.py --build $(BUILD)
