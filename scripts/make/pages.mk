# SPDX-License-Identifier: BSD-2-Clause
# What the pages of `fxt report --html` and `fxt diff --html` are made of, as C++ string literals.

PAGE_FILES := $(wildcard userspace/analyze/page/*.html userspace/analyze/page/*.css userspace/analyze/page/*.js)
PAGE_LITERALS := $(patsubst userspace/%,$(BUILD)/%.inc,$(PAGE_FILES))

$(BUILD)/analyze/page/%.inc: userspace/analyze/page/%
	@mkdir -p $(@D)
	$(call brief,LITERAL)(printf 'R"page-file(' && cat $< && printf ')page-file"\n') >$@

$(BUILD)/userspace/analyze/page/assets.o: $(PAGE_LITERALS)
