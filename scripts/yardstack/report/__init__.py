# SPDX-License-Identifier: BSL-1.0
"""`scripts/report`: verdicts, plots and one self-contained page from a run's folder."""
