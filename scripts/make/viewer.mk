# SPDX-License-Identifier: BSD-2-Clause
# What other programs make of `fxt json`.

## json-test     whether `fxt json` of a recording is JSON and agrees with `fxt info` (root)
## viewer-test   load such files into speedscope in a headless Chromium (root; make deps DEPS=viewer)
.PHONY: json-test viewer-test
json-test: $(BINARIES) $(BUILD)/capture_tests
	tests/viewer/json_test.py --build $(BUILD)

viewer-test: $(BINARIES) $(BUILD)/capture_tests
	tests/viewer/viewer_test.py --build $(BUILD)
