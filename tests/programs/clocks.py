#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs clock_readings under `warpsage run --clock teg` on several GPUs: what a micro-benchmark measures with clocks
and events against the figures of the machine files, with and without jitter, for any number of threads.

    clocks.py WARPSAGE CLOCK_READINGS
"""
import json
import os
import subprocess
import sys
import tempfile

# A GPU that no figure of the program was chosen for.
INVENTED = """inherits: v100
name: Invented
compute_capability: {value: "7.0", from: assumed}
clock:
  core: {value: 1370, unit: MHz, from: assumed}
l1:
  latency: {value: 41, unit: cycle, from: assumed}
l2:
  latency: {value: 263, unit: cycle, from: assumed}
dram:
  latency: {value: 611, unit: cycle, from: assumed}
latency:
  fp32.fma: {value: 7, unit: cycle, from: assumed}
"""


def figures_of(warpsage, gpu):
    text = subprocess.run([warpsage, "machines", "show", gpu, "-f", "json"], capture_output=True,
                          text=True, check=True).stdout
    values = json.loads(text)["values"].items()
    return {key: one["value"] for key, one in values if one["value"] is not None}


def run(warpsage, program, gpu, figures, *options):
    sizes = [str(round(figures.get(key, 0))) for key in ("l1.size", "l2.size")]
    command = [warpsage, "run", "-o", "/dev/null", "--clock", "teg", "--l2", "cold", "--gpu", gpu,
               *options, "--", program, *sizes]
    result = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    if result.returncode:
        sys.exit(f"{gpu}: {result.stdout}{result.stderr}")
    return dict(line.split(" ", 1) for line in result.stdout.splitlines())


class Checks:
    failed = 0

    def equal(self, what, got, wanted):
        if got != wanted:
            print(f"{what}: {got}, not {wanted}")
            self.failed += 1

    def near(self, what, got, wanted, part):
        if not abs(got - wanted) <= part * abs(wanted):
            print(f"{what}: {got}, not {wanted} within {part:g} of it")
            self.failed += 1


def check_latencies(checks, gpu, read, figures, part):
    """Differences of two lengths of dependent instructions. `part`: exact if 0."""
    wanted = {"fma": figures["latency.fp32.fma"], "dram": figures["dram.latency"]}
    if "l1" in read:
        wanted["l1"] = figures["l1.latency"]
    if "l2" in read:
        wanted["l2"] = figures.get("l2.latency", figures["dram.latency"])
    for name, value in wanted.items():
        checks.near(f"{gpu} {name}", float(read[name]), value, part)


def check_times(checks, gpu, read, figures):
    """Events, clock and globaltimer run alike."""
    cycle_us = 1e6 / figures["clock.core"]
    checks.near(f"{gpu} event", float(read["event_us"]), float(read["clock_cycles"]) * cycle_us,
                1e-5)
    # Both ends are whole nanoseconds; one instruction lies between the clock and the timer.
    checks.near(f"{gpu} globaltimer", float(read["timer_ns"]) * 1e-3,
                float(read["all_cycles"]) * cycle_us, 1e-3)
    checks.equal(f"{gpu} clocks of two launches ascend", read["ascends"], "1")
    # A loop that waits for a number of cycles takes them, launch and first fetch aside.
    spins = [float(read[f"spin_us{i}"]) / cycle_us for i in range(2)]
    checks.equal(f"{gpu} spins end", 100000 <= float(read["spin_cycles"]) < 100200, True)
    checks.equal(f"{gpu} time of spins {spins}", all(100000 <= x < 104000 for x in spins), True)
    large = float(read["large_us"]) / cycle_us
    checks.equal(f"{gpu} first of {large:.0f} cycles", 400 <= float(read["large_cycles"]) < large,
                 True)
    checks.equal(f"{gpu} time asleep", float(read["slept_ms"]), 100003)


def check_memory(checks, gpu, read, figures):
    """In-place updates and atomics happen once; each block has an SM of its own."""
    checks.equal(f"{gpu} wrong elements", read["wrong"], "0")
    checks.equal(f"{gpu} wrong elements on the host", read["wrong_on_host"], "0")
    checks.equal(f"{gpu} added", read["added"], "3072")
    checks.equal(f"{gpu} nsmid", int(read["nsmid"]), round(figures["sm.count"]))
    sms = [int(one) for one in read["smids"].split()]
    checks.equal(f"{gpu} different SMs {sms}", len(set(sms)), len(sms))
    checks.equal(f"{gpu} SMs in range", max(sms) < figures["sm.count"], True)


def check_jitter(checks, warpsage, program, gpu, figures, exact):
    read = run(warpsage, program, gpu, figures, "--clock-jitter", "1%")
    again = run(warpsage, program, gpu, figures, "--clock-jitter", "1%", "--threads", "1")
    checks.equal(f"{gpu} jitter twice", again, read)
    checks.equal(f"{gpu} jitter differs", read["dram"] != exact["dram"], True)
    checks.near(f"{gpu} dram with jitter", float(read["dram"]), float(exact["dram"]), 0.03)
    checks.near(f"{gpu} sleep with jitter", float(read["slept_ms"]), 100003, 0.01)
    checks.equal(f"{gpu} clocks with jitter ascend", read["ascends"], "1")
    checks.equal(f"{gpu} memory with jitter", (read["wrong"], read["added"]), ("0", "3072"))


def main():
    warpsage, program = sys.argv[1:3]
    checks = Checks()
    with tempfile.TemporaryDirectory() as folder:
        invented = os.path.join(folder, "invented.yaml")
        with open(invented, "w", encoding="utf-8") as file:
            file.write(INVENTED)
        for gpu in ("v100", "gtx580", "gtx280", invented):
            figures = figures_of(warpsage, gpu)
            read = run(warpsage, program, gpu, figures)
            check_latencies(checks, gpu, read, figures, 0)
            check_times(checks, gpu, read, figures)
            check_memory(checks, gpu, read, figures)
            checks.equal(f"{gpu} one thread",
                         run(warpsage, program, gpu, figures, "--threads", "1"), read)
        figures = figures_of(warpsage, "v100")
        check_jitter(checks, warpsage, program, "v100", figures,
                     run(warpsage, program, "v100", figures))
    return 1 if checks.failed else 0


if __name__ == "__main__":
    sys.exit(main())
