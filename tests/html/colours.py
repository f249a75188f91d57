#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Colours of pages of HTML, light, dark and in print, by published rules.

    tests/html/colours.py src/render/html/style.css

Contrast as WCAG 2.1 defines it: 4.5 to 1 for text (1.4.3), 3 to 1 for what a chart draws (1.4.11). The first five slots
of charts must differ for people without one kind of cones, too: by 15 in CIELAB as Machado, Oliveira and Fernandes
(2009) simulate protanopia, deuteranopia and tritanopia; 2.3 is just noticeable. The last line is `N passed, N failed`.
"""
import itertools
import math
import re
import sys

EYES = {
    "all cones": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
}
LEAST_DIFFERENCE = 15
MOST_HEAT = 0.75  # opacity of the hottest line of code


def linear(colour):
    """Red, green, blue of #rgb or #rrggbb, 0 to 1, without sRGB's curve."""
    digits = colour[1:] if len(colour) == 7 else "".join(2 * c for c in colour[1:])
    parts = [int(digits[i:i + 2], 16) / 255 for i in (0, 2, 4)]
    return [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]


def luminance(rgb):
    return 0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2]


def contrast(one, other):
    dark, light = sorted(luminance(linear(c)) for c in (one, other))
    return (light + 0.05) / (dark + 0.05)


def over(colour, ground, opacity):
    """A colour as in "200, 90, 20" over one as in "#1a2129"."""
    parts = [int(ground[i:i + 2], 16) for i in (1, 3, 5)]
    mixed = [round(opacity * int(c) + (1 - opacity) * g) for c, g in zip(colour.split(","), parts)]
    return "#" + "".join(f"{c:02x}" for c in mixed)


def lab(rgb):
    def root(t):
        return t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116
    x = root((0.4124 * rgb[0] + 0.3576 * rgb[1] + 0.1805 * rgb[2]) / 0.9505)
    y = root(luminance(rgb))
    z = root((0.0193 * rgb[0] + 0.1192 * rgb[1] + 0.9505 * rgb[2]) / 1.089)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def seen(colour, eye):
    rgb = linear(colour)
    return lab([min(1, max(0, sum(m * c for m, c in zip(row, rgb)))) for row in eye])


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        css = file.read()
    # Each block of variables changes those before it: light first, then dark or print.
    blocks = [dict(re.findall(r"--([a-z0-9-]+): (#[0-9a-f]{3,6}|[0-9, ]+);", block))
              for block in re.findall(r":root \{(.*?)\}", css, re.S)]
    counts = {True: 0, False: 0}

    def check(is_met, text):
        counts[is_met] += 1
        if not is_met:
            print("failed:", text)

    check(len(blocks) == 3, f"{len(blocks)} blocks of variables: light, dark and print expected")
    for name, block in zip(("light", "dark", "print"), blocks):
        colours = {**blocks[0], **block}
        for text, ground in itertools.product(("text", "soft", "accent"), ("page", "card")):
            ratio = contrast(colours[text], colours[ground])
            check(ratio >= 4.5, f"{name}: {text} on {ground}: {ratio:.2f} to 1")
        hottest = over(colours["hot"], (colours["card"] + colours["card"][1:])[:7], MOST_HEAT)
        ratio = contrast(colours["text"], hottest)
        check(ratio >= 4.5, f"{name}: text on the hottest line of code: {ratio:.2f} to 1")
        for slot in range(9):
            ratio = contrast(colours[f"k{slot}"], colours["card"])
            check(ratio >= 3, f"{name}: k{slot} on card: {ratio:.2f} to 1")
        for eyes, eye in EYES.items():
            for a, b in itertools.combinations(("k1", "k2", "k3", "k4", "k5"), 2):
                apart = math.dist(seen(colours[a], eye), seen(colours[b], eye))
                check(apart >= LEAST_DIFFERENCE, f"{name}: {a} and {b}, {eyes}: {apart:.1f} apart")
    print(f"{counts[True]} passed, {counts[False]} failed")
    return counts[False] > 0


if __name__ == "__main__":
    sys.exit(main())
