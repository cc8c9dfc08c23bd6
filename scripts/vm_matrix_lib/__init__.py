# SPDX-License-Identifier: BSD-2-Clause
"""Parts of scripts/vm_matrix."""
