# SPDX-License-Identifier: BSD-2-Clause
# The commands of docs/guide.md and docs/ci.md.

## guide-test    types what docs/guide.md says, and finds what it says (root; two minutes; make deps DEPS=regress)
## ci-test       the recipe of docs/ci.md: a planted regression fails, the same twice does not (root; two minutes)
.PHONY: guide-test ci-test
guide-test: $(BINARIES)
	@scripts/setup --try regress
	tests/guide/guide_test.py --build $(BUILD)

ci-test: $(BINARIES)
	tests/guide/ci_recipe_test.py --build $(BUILD)
