# SPDX-License-Identifier: BSD-3-Clause
"""`python -m dynascope FILE...` opens the window."""

from dynascope import window

window()
