# SPDX-License-Identifier: BSL-1.0
"""`scripts/reproduce`: from a fresh clone to a report."""
