# SPDX-License-Identifier: BSD-2-Clause
# What other programs make of `fxt json`, and a browser of the pages.

## json-test     whether `fxt json` of a recording is JSON and agrees with `fxt info` (root)
## pages-test    open the pages of `fxt report` and `fxt diff` in a headless Chromium (root)
## viewer-test   that, and load such files into speedscope in a headless Chromium (root; make deps DEPS=viewer)
## open-test     what `fxt open` serves, to whom, and `fxt draw`, with a headless Chromium if there is one
.PHONY: json-test pages-test viewer-test open-test
open-test: $(BINARIES) $(BUILD)/capture_tests
	tests/viewer/open_test.py --build $(BUILD)
	tests/viewer/draw_test.py --build $(BUILD)

json-test: $(BINARIES) $(BUILD)/capture_tests
	tests/viewer/json_test.py --build $(BUILD)

pages-test: $(BINARIES) $(BUILD)/capture_tests
	tests/viewer/pages_test.py --build $(BUILD)

viewer-test: pages-test $(BINARIES) $(BUILD)/capture_tests
	tests/viewer/viewer_test.py --build $(BUILD)
