# SPDX-License-Identifier: BSL-1.0
"""`scripts/test`: every build, test and check, counted in one line."""
