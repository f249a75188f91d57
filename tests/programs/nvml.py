#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs nvml_readings under `warpsage run` on several GPUs: what NVML's stand-in says against `warpsage power` of
the same kernel and time, and against the closed form of the temperature.

    nvml.py WARPSAGE NVML_READINGS
"""
import json
import math
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
KERNEL = os.path.join(HERE, "nvml_kernel.ptx")
NOT_SUPPORTED = "-4"

# A chip that warms up within a test, of a GPU with power coefficients; one without temperature constants is the
# GTX 580, one without both the V100.
QUICK = """inherits: gtx280
name: Quick GTX 280
compute_capability: {value: "1.3", source: HONG}
temperature:
  rc_rise: {value: 0.08, unit: s, source: HONG}
  rc_decay: {value: 0.2, unit: s, source: HONG}
"""

# A GPU of today with invented coefficients, which are large because no kernel comes near a rate of 1 of memory.
MODERN = """inherits: v100
name: Warm V100
compute_capability: {value: "7.0", source: GPUDB}
power:
  idle: {value: 41, unit: W, from: assumed}
  max:
    int: {value: 2, unit: W, from: assumed}
    fp: {value: 3, unit: W, from: assumed}
    sfu: {value: 2, unit: W, from: assumed}
    alu: {value: 2, unit: W, from: assumed}
    const: {value: 1, unit: W, from: assumed}
    shared: {value: 3, unit: W, from: assumed}
    reg: {value: 1, unit: W, from: assumed}
    fds: {value: 1, unit: W, from: assumed}
    global: {value: 90000, unit: W, from: assumed}
    l1: {value: 2, unit: W, from: assumed}
    l2: {value: 900, unit: W, from: assumed}
    fp64: {value: 6, unit: W, from: assumed}
    tensor: {value: 4, unit: W, from: assumed}
  const_sm: {value: 0.1, unit: W, from: assumed}
  activation: {value: 13, unit: W, from: assumed}
  log_scaling: {value: 0, from: assumed}
  static_per_kelvin: {value: 0.3, unit: W/K, from: assumed}
temperature:
  idle: {value: 35, unit: degC, from: assumed}
  per_watt: {value: 0.2, unit: K/W, from: assumed}
  offset: {value: 2, unit: K, from: assumed}
  by_intensity: {value: 4, unit: K, from: assumed}
  rc_rise: {value: 0.05, unit: s, from: assumed}
  rc_decay: {value: 0.2, unit: s, from: assumed}
"""


def read(warpsage, program, gpu, rounds, launches, *options, sleep=()):
    """The program's lines by key: what NVML says of itself, of the idle GPU, the busy one, after a rest."""
    command = [warpsage, "run", "-q", "-o", "/dev/null", "--gpu", gpu, *options, "--", program,
               KERNEL, str(rounds), str(launches), *sleep]
    result = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    if result.returncode:
        sys.exit(f"{gpu}: {result.stdout}{result.stderr}")
    parts = {"start": {}}
    now = parts["start"]
    for line in result.stdout.splitlines():
        key, _, value = line.partition(" ")
        if key == "when":
            now = parts[value] = {}
        else:
            now[key] = value
    return parts


def power_of(warpsage, gpu, rounds, seconds, *options):
    """What `warpsage power` says of a launch that takes so long; without cache hits, as `run` predicts by default."""
    command = [warpsage, "power", KERNEL, "-g", "30", "-b", "32", "--arg", "f32[4194304]=zeros",
               "--arg", f"u32:{rounds}", "--gpu", gpu, *(options or ("--trace-blocks", "0")),
               "--time-s", repr(seconds), "-f", "json"]
    text = subprocess.run(command, capture_output=True, text=True, timeout=300, check=True).stdout
    one = json.loads(text)["machines"][0]
    return one["power"], one["temperature"]


class Checks:
    def __init__(self):
        self.failed = 0

    def equal(self, what, got, wanted):
        if got != wanted:
            print(f"{what}: {got}, not {wanted}")
            self.failed += 1

    def near(self, what, got, wanted, most):
        if not abs(got - wanted) <= most:
            print(f"{what}: {got}, not {wanted} within {most}")
            self.failed += 1


def check_protocol(checks, parts):
    """What does not depend on power."""
    start, busy = parts["start"], parts["busy"]
    checks.equal("before nvmlInit", start["before"], "1 1")
    checks.equal("nvmlInit", start["init"], "0")
    checks.equal("handles", start["handle"], "0 2")
    checks.equal("functions that are not there", start["unknown"], "0")
    checks.equal("words", start["words"], "not supported")
    checks.equal("driver", start["nvmlSystemGetDriverVersion"][:2], "0 ")
    checks.equal("calls of the driver that failed", parts["idle"]["failures"], "0")
    checks.equal("memory", busy["memory"].split()[::2], ["0", str(16 << 20)])
    checks.equal("another version", busy["memory_version"], "25")
    checks.equal("PCI", busy["pci"], "0 00000000:00:00.0 1 6")
    checks.equal("UUID", busy["uuid"], "1 6")
    checks.equal("processes", busy["processes"], f"0 1 {16 << 20}")
    checks.equal("unknown clock", busy["no_clock"], "-3")
    checks.equal("fan", busy["nvmlDeviceGetFanSpeed"], NOT_SUPPORTED)
    checks.equal("locked clocks", busy["nvmlDeviceResetGpuLockedClocks"], "-5")
    checks.equal("another handle", busy["nvmlDeviceGetPerformanceState"], "-3")
    checks.equal("nvmlShutdown", busy["end"], "1 0")


def field(part, index):
    return [int(one) for one in part["fields"].split()[1 + index].split(":")]


def check_power(checks, warpsage, gpu, parts, rounds, launches):
    """Watts idle and at work, energy, means; returns the time and what `warpsage power` says."""
    seconds = float(parts["idle"]["milliseconds"]) * 1e-3
    power, temperature = power_of(warpsage, gpu, rounds, seconds / launches)
    idle, busy = parts["idle"], parts["busy"]
    checks.equal("idle W", int(idle["nvmlDeviceGetPowerUsage"]), 1000 * round(power["idle_w"]))
    checks.equal("energy at the start", idle["nvmlDeviceGetTotalEnergyConsumption"], "0")
    checks.equal("why idle", idle["nvmlDeviceGetCurrentClocksThrottleReasons"], "1")
    checks.equal("why busy", busy["nvmlDeviceGetCurrentClocksThrottleReasons"], "0")
    checks.equal("idle samples", idle["samples"], "6")
    used = math.floor(100 * min(1, seconds / 0.1) + 0.5)
    checks.equal("utilization", busy["utilization"], f"0 {used} {used}")
    checks.equal("unknown field", field(busy, 3)[0], 3)
    checks.equal("energy by field", field(busy, 2)[1],
                 int(busy["nvmlDeviceGetTotalEnergyConsumption"]))
    checks.equal("whole watts", int(busy["nvmlDeviceGetPowerUsage"]) % 1000, 0)
    return seconds, power, temperature


def check_flat(checks, parts, seconds, power):
    """No static power: the same watts all the time."""
    busy = parts["busy"]
    idle = max(0, 0.1 - seconds) / 0.1
    mean = idle * power["idle_w"] + (1 - idle) * power["gpu_w"]
    checks.equal("W at work", int(busy["nvmlDeviceGetPowerUsage"]), 1000 * round(mean))
    checks.equal("W now", field(busy, 1), [0, 1000 * round(power["gpu_w"])])
    checks.near("mJ", int(busy["nvmlDeviceGetTotalEnergyConsumption"]),
                1e3 * power["gpu_w"] * seconds, 1)
    checks.near("mean of a second", field(busy, 0)[1],
                1e3 * (seconds * power["gpu_w"] + (1 - seconds) * power["idle_w"]), 501)
    checks.equal("temperature", busy["temperature"], NOT_SUPPORTED)


def check_warm(checks, parts, seconds, power, temperature, sigma, mu, rc_rise):
    """(49) with the rise of (53) over 1 - mu sigma, and its time constant."""
    busy, tau = parts["busy"], rc_rise / (1 - mu * sigma)

    def rise(time):
        return temperature["rise_k"] * -math.expm1(-time / tau)

    def joules(time):
        if time < 0:
            return power["idle_w"] * time
        return power["gpu_w"] * time + sigma * (temperature["rise_k"] * time - tau * rise(time))

    checks.equal("degrees", int(busy["temperature"]), round(temperature["idle_degc"] + rise(seconds)))
    checks.equal("W", int(busy["nvmlDeviceGetPowerUsage"]),
                 1000 * round((joules(seconds) - joules(seconds - 0.1)) / 0.1))
    checks.equal("W now", field(busy, 1)[1], 1000 * round(power["gpu_w"] + sigma * rise(seconds)))
    checks.near("mJ", int(busy["nvmlDeviceGetTotalEnergyConsumption"]), 1e3 * joules(seconds), 1)
    status, *samples = busy["samples"].split()
    count = int(seconds / 0.1)
    checks.equal("samples", [status, len(samples)], ["0" if count else "6", count])
    for number, sample in enumerate(samples, 1):
        stamp, watts = (int(one) for one in sample.split(":"))
        end = 0.1 * number
        checks.equal("time stamp", stamp, number * 100000)
        checks.equal("sample", watts, 1000 * round((joules(end) - joules(end - 0.1)) / 0.1))


def check_unknown(checks, parts):
    """Without coefficients there is nothing to read, and utilization still."""
    for part in (parts["idle"], parts["busy"]):
        checks.equal("W", part["nvmlDeviceGetPowerUsage"], NOT_SUPPORTED)
        checks.equal("mJ", part["nvmlDeviceGetTotalEnergyConsumption"], NOT_SUPPORTED)
        checks.equal("temperature", part["temperature"], NOT_SUPPORTED)
        checks.equal("fields", [field(part, i)[0] for i in range(4)], [3, 3, 3, 3])
        checks.equal("samples", part["samples"], "3")


def check_warming(checks, warpsage, program, machine, rounds, launches, *constants):
    """All of a GPU with power and temperature, whose launches find nothing in the L2."""
    parts = read(warpsage, program, machine, rounds, launches, "--l2", "cold")
    check_protocol(checks, parts)
    seconds, power, temperature = check_power(checks, warpsage, machine, parts, rounds, launches)
    check_warm(checks, parts, seconds, power, temperature, *constants)
    return parts["busy"]


def check_l2(checks, warpsage, program, machine, rounds, launches, sigma):
    """A launch that is not counted draws the power of what it finds in the L2."""
    first = float(read(warpsage, program, machine, rounds, 1)["idle"]["milliseconds"])
    parts = read(warpsage, program, machine, rounds, launches)
    later = (float(parts["idle"]["milliseconds"]) - first) / (launches - 1)
    power, temperature = power_of(warpsage, machine, rounds, 1e-3 * later)
    cold, _ = power_of(warpsage, machine, rounds, 1e-3 * first)
    if later > 0.95 * first or power["gpu_w"] < cold["gpu_w"] + 3:
        checks.equal("the L2", "no difference", "shorter launches with more power")
    degrees = int(parts["busy"]["temperature"]) - temperature["idle_degc"]
    checks.near("W with data in the L2", field(parts["busy"], 1)[1] / 1000,
                power["gpu_w"] + sigma * degrees, 1)


def check_model_clock(checks, warpsage, program, machine, sigma, mu, rc):
    """With --clock teg: teg's time and hits in caches, and a rest that cools the chip."""
    parts = read(warpsage, program, machine, 500, 100, "--clock", "teg", "--l2", "cold",
                 sleep=["150000"])
    seconds = float(parts["idle"]["milliseconds"]) * 1e-3
    power, temperature = power_of(warpsage, machine, 500, seconds / 100, "--l2", "cold")
    tau, rise = rc[0] / (1 - mu * sigma), temperature["rise_k"] or 0
    top = -rise * math.expm1(-seconds / tau)
    used = power["gpu_w"] * seconds + sigma * (rise * seconds - tau * top)
    idle = power["idle_w"] * 0.15 - sigma * top * rc[1] * math.expm1(-0.15 / rc[1])
    rested = parts["rested"]
    checks.equal("W by teg", field(parts["busy"], 1)[1],
                 1000 * round(power["gpu_w"] + sigma * top))
    checks.near("mJ by teg", int(parts["busy"]["nvmlDeviceGetTotalEnergyConsumption"]), 1e3 * used,
                1)
    checks.near("mJ after a rest", int(rested["nvmlDeviceGetTotalEnergyConsumption"]),
                1e3 * (used + idle), 1)
    checks.equal("W after a rest", field(rested, 1)[1],
                 1000 * round(power["idle_w"] + sigma * top * math.exp(-0.15 / rc[1])))
    checks.equal("resting", rested["nvmlDeviceGetCurrentClocksThrottleReasons"], "1")
    if rise:
        checks.equal("degrees after a rest", int(rested["temperature"]),
                     round(temperature["idle_degc"] + top * math.exp(-0.15 / rc[1])))


def main():
    warpsage, program = (os.path.abspath(one) for one in sys.argv[1:3])
    checks = Checks()
    with tempfile.TemporaryDirectory() as folder:
        machines = {}
        for name, text in (("quick", QUICK), ("modern", MODERN)):
            machines[name] = os.path.join(folder, name + ".yaml")
            with open(machines[name], "w", encoding="utf-8") as file:
                file.write(text)
        busy = check_warming(checks, warpsage, program, machines["quick"], 10000, 40, 10 / 22, 0.12,
                             0.08)
        checks.equal("name", busy["nvmlDeviceGetName"], "0 7 Quick GTX 280")
        checks.equal("MHz", [busy["clock"], busy["memory_clock"]], ["1300", "1107"])
        checks.equal("limit", busy["nvmlDeviceGetEnforcedPowerLimit"], "236000")
        check_warming(checks, warpsage, program, machines["modern"], 10000, 20, 0.3, 0.2, 0.05)
        check_l2(checks, warpsage, program, machines["modern"], 2000, 40, 0.3)
        check_model_clock(checks, warpsage, program, machines["modern"], 0.3, 0.2, (0.05, 0.2))
        check_unknown(checks, read(warpsage, program, machines["quick"], 10, 1, "--clock", "host"))
    parts = read(warpsage, program, "gtx580", 10000, 20)
    seconds, power, _ = check_power(checks, warpsage, "gtx580", parts, 10000, 20)
    check_flat(checks, parts, seconds, power)
    check_model_clock(checks, warpsage, program, "gtx580", 0, 0, (1, 1))
    parts = read(warpsage, program, "v100", 10, 1)
    check_protocol(checks, parts)
    check_unknown(checks, parts)
    if not checks.failed:
        print("PASSED")
    return checks.failed > 0


if __name__ == "__main__":
    sys.exit(main())
