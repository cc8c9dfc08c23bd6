# SPDX-License-Identifier: BSD-2-Clause
# What the pages of `fxt report --html` and `fxt diff --html` are made of, as C++ string literals.

PAGE_FOLDER := userspace/analyze/page/web
PAGE_FILES := $(wildcard $(PAGE_FOLDER)/*.html $(PAGE_FOLDER)/*.css $(PAGE_FOLDER)/*.js)
PAGE_LITERALS := $(patsubst $(PAGE_FOLDER)/%,$(BUILD)/analyze/page/%.inc,$(PAGE_FILES))

$(BUILD)/analyze/page/%.inc: $(PAGE_FOLDER)/%
	@mkdir -p $(@D)
	$(call brief,LITERAL)(printf 'R"page-file(' && cat $< && printf ')page-file"\n') >$@

$(BUILD)/userspace/analyze/page/assets.o $(call together,$(BUILD)/userspace/analyze/page/assets.o): $(PAGE_LITERALS)
