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


def read(warpsage, program, gpu, rounds, launches, *options):
    """The program's lines by key: what NVML says of itself, of the idle GPU and of the busy one."""
    command = [warpsage, "run", "-q", "-o", "/dev/null", "--gpu", gpu, *options, "--", program,
               KERNEL, str(rounds), str(launches)]
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


def power_of(warpsage, gpu, rounds, seconds):
    """What `warpsage power` says of a launch that takes so long, without its cache hits, as `run` predicts."""
    command = [warpsage, "power", KERNEL, "-g", "30", "-b", "32", "--arg", "f32[4194304]=zeros",
               "--arg", f"u32:{rounds}", "--gpu", gpu, "--trace-blocks", "0", "--time-s",
               repr(seconds), "-f", "json"]
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
    checks.equal("utilization", busy["utilization"], "0 100 100" if seconds > 0.1 else "0 0 0")
    checks.equal("unknown field", field(busy, 3)[0], 3)
    checks.equal("energy by field", field(busy, 2)[1],
                 int(busy["nvmlDeviceGetTotalEnergyConsumption"]))
    checks.equal("whole watts", int(busy["nvmlDeviceGetPowerUsage"]) % 1000, 0)
    return seconds, power, temperature


def check_flat(checks, parts, seconds, power):
    """No static power: the same watts all the time."""
    busy = parts["busy"]
    watts = 1000 * round(power["gpu_w"])
    checks.equal("W at work", int(busy["nvmlDeviceGetPowerUsage"]), watts)
    checks.equal("W now", field(busy, 1), [0, watts])
    checks.near("mJ", int(busy["nvmlDeviceGetTotalEnergyConsumption"]),
                1e3 * power["gpu_w"] * seconds, 1)
    checks.near("mean of a second", field(busy, 0)[1],
                1e3 * (seconds * power["gpu_w"] + (1 - seconds) * power["idle_w"]), 501)
    checks.equal("temperature", busy["temperature"], NOT_SUPPORTED)


def check_warm(checks, parts, seconds, power, temperature):
    """(49) with the rise of (53) over 1 - mu sigma, and its time constant."""
    busy, sigma, mu = parts["busy"], 10 / 22, 0.12
    tau = 0.08 / (1 - mu * sigma)

    def rise(time):
        return temperature["rise_k"] * -math.expm1(-time / tau)

    def joules(time):
        return power["gpu_w"] * time + sigma * (temperature["rise_k"] * time - tau * rise(time))

    checks.equal("degrees", int(busy["temperature"]), round(57 + rise(seconds)))
    checks.equal("W", int(busy["nvmlDeviceGetPowerUsage"]),
                 1000 * round((joules(seconds) - joules(seconds - 0.1)) / 0.1))
    checks.equal("W now", field(busy, 1)[1], 1000 * round(power["gpu_w"] + sigma * rise(seconds)))
    checks.near("mJ", int(busy["nvmlDeviceGetTotalEnergyConsumption"]), 1e3 * joules(seconds), 1)
    status, *samples = busy["samples"].split()
    checks.equal("samples", [status, len(samples)], ["0", int(seconds / 0.1)])
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


def main():
    warpsage, program = (os.path.abspath(one) for one in sys.argv[1:3])
    checks = Checks()
    with tempfile.TemporaryDirectory() as folder:
        quick = os.path.join(folder, "quick.yaml")
        with open(quick, "w", encoding="utf-8") as file:
            file.write(QUICK)
        parts = read(warpsage, program, quick, 10000, 60)
        check_protocol(checks, parts)
        seconds, power, temperature = check_power(checks, warpsage, quick, parts, 10000, 60)
        check_warm(checks, parts, seconds, power, temperature)
        checks.equal("name", parts["busy"]["nvmlDeviceGetName"], "0 7 Quick GTX 280")
        checks.equal("MHz", [parts["busy"]["clock"], parts["busy"]["memory_clock"]],
                     ["1300", "1107"])
        checks.equal("limit", parts["busy"]["nvmlDeviceGetEnforcedPowerLimit"], "236000")
        parts = read(warpsage, program, quick, 10, 1, "--clock", "host")
        check_unknown(checks, parts)
    parts = read(warpsage, program, "gtx580", 10000, 60)
    seconds, power, _ = check_power(checks, warpsage, "gtx580", parts, 10000, 60)
    check_flat(checks, parts, seconds, power)
    parts = read(warpsage, program, "v100", 10, 1)
    check_protocol(checks, parts)
    check_unknown(checks, parts)
    if not checks.failed:
        print("PASSED")
    return checks.failed > 0


if __name__ == "__main__":
    sys.exit(main())
