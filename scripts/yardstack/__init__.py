# SPDX-License-Identifier: BSL-1.0
"""What surrounds the measuring programs: building, running, judging, drawing, reporting."""
