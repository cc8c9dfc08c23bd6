# SPDX-License-Identifier: BSD-2-Clause
# `fxt json` in other programs, and the pages in a browser.

## json-test     `fxt json` of a recording is JSON and agrees with `fxt info` (root)
## pages-test    open the pages of `fxt report` and `fxt diff` in a headless Chromium (root)
## viewer-test   pages-test, and `fxt json` loaded into speedscope in a headless Chromium (root)
## open-test     `fxt open` and `fxt draw` with a headless Chromium
.PHONY: json-test pages-test viewer-test open-test
open-test: $(BINARIES)
	@scripts/setup --try viewer
	tests/viewer/open_test.py --build $(BUILD)
	tests/viewer/draw_test.py --build $(BUILD)

json-test: $(BINARIES)
	tests/viewer/json_test.py --build $(BUILD)

pages-test: $(BINARIES)
	@scripts/setup --try viewer
	tests/viewer/pages_test.py --build $(BUILD)

viewer-test: pages-test $(BINARIES)
	tests/viewer/viewer_test.py --build $(BUILD)
