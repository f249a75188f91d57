# SPDX-License-Identifier: Apache-2.0
"""Independent definitions of PTX instructions, written from the text of the PTX ISA."""
