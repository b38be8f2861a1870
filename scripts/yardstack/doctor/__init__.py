# SPDX-License-Identifier: BSL-1.0
"""`scripts/doctor`: what this machine allows, and the command that would change it."""
