#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Energies of GPUs that nobody has measured, from those of the V100 and the thermal design power.

    tools/derive-energy.py build/warpsage            compare with the files and with GPUs whose energies are known
    tools/derive-energy.py build/warpsage --write    write the sections `energy` and the voltages into the files

One GPU of a family (its chip or process) is assumed to draw, with all fp32 lanes and DRAM busy at the highest
clock, the share of its TDP that the V100 draws; all energies but DRAM's then follow by one factor from the V100's
(doc/models/energy-per-instruction.md#derived-energies). The others of the family have the same energies, and
constant power by their own TDP.
"""
import json
import os
import re
import subprocess
import sys

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "machines")
# Whose energies are not derived: source, and whether they hold at the least voltage or at any.
KNOWN = {"v100": ("POWERV100", True), "k40c": ("GPUJOULE", False)}
# The one whose TDP is set by the chip, not by the form of the card; then those that share its energies.
FAMILIES = {
    "k40c": ["k40c", "k80", "gtx680"],
    "8800gtx": ["8800gtx", "8800gt", "fx5600"],
    "gtx285": ["gtx285", "gtx280"],
    "gtx580": ["gtx580"],
    "titanx-maxwell": ["titanx-maxwell", "gtx980"],
    "p100-sxm2": ["p100-sxm2", "p100-pcie"],
    "v100": ["v100", "qv100"],
    "rtx2080ti": ["rtx2080ti", "rtx2060", "t4"],
    "a100-sxm4-40gb": ["a100-sxm4-40gb", "a100-sxm4-80gb", "a100-pcie-40gb"],
    "rtx3090": ["rtx3090", "rtx3080", "rtx3070", "rtx3060", "a40", "a6000", "a4000"],
    "rtx4090": ["rtx4090", "rtx4080", "rtx4070", "rtx4060", "l40", "l40s", "l4"],
    "h100-sxm": ["h100-sxm", "h100-pcie", "h200"],
    "b200": ["b200"],
}
# Their clock sweeps by ipp-power are the thesis': no voltages, and energies at the highest one.
WITHOUT_VOLTAGES = ["gtx280", "gtx580"]
SCALED = ["sm_cycle", "fp32", "fp16", "fp64", "int", "multiply", "logic", "sfu", "shared", "l1", "l2"]
VOLTS_SQUARED = (1.0625 / 0.7125) ** 2  # at the highest clock, of the V100
KNEE = 860 / 1530  # of the highest clock, of the V100
TENSOR_SHARE = 0.97  # of the TDP with the tensor cores and 30 % of DRAM busy: the V100's with its 1.2 pJ
# J/B of DRAM: HBM2 and GDDR5 by FGDRAM; GDDR6 and GDDR6X by Micron's 7.5 and 7.25 pJ a bit, quoted from memory.
HBM, GDDR5, GDDR6 = 31.8e-12, 112e-12, 60e-12


def figures(program, name):
    text = subprocess.run([program, "machines", "show", name, "-f", "json"], check=True, capture_output=True, text=True)
    answer = json.loads(text.stdout)
    out = {key: value["value"] for key, value in answer["values"].items() if value["value"] is not None}
    out["cc"] = float(answer["compute_capability"])
    return out


def dram_joules(gpu):
    if gpu["dram.bus_width"] >= 2048:
        return HBM, "FGDRAM"
    return (GDDR6, None) if gpu["cc"] >= 7 else (GDDR5, "FGDRAM")


def lanes(gpu):
    return gpu["throughput.fp32.fma"] if "throughput.fp32.fma" in gpu else gpu["throughput.fp32.add"]


def busy_watts(gpu, energy, dram, fma=1.0, tensor=0.0, memory=1.0, volts_squared=VOLTS_SQUARED):
    """Watts without energy.constant at the highest clock: of the chip, of the DRAM."""
    clock, sms = gpu["clock.core"], gpu["sm.count"]
    chip = energy["idle_sm"] * sms + energy["sm_cycle"] * clock * sms
    chip += fma * energy["fp32"] * lanes(gpu) * clock * sms
    chip += tensor * energy.get("tensor", 0) * gpu.get("tensor.fma", 0) * clock * sms
    chip += memory * gpu["dram.bandwidth"] * (energy["l2"] + energy["l1"])
    return chip * volts_squared, memory * gpu["dram.bandwidth"] * dram


def derive(gpu, v100, base, tdp_share):
    """The energies of a reference GPU, in SI units, and the factor on the V100's."""
    dram, _ = dram_joules(gpu)
    wide = lanes(gpu) / lanes(v100)
    like = dict(base, idle_sm=base["idle_sm"] * wide, sm_cycle=base["sm_cycle"] * wide)
    constant = base["constant"] / v100["power.tdp"] * gpu["power.tdp"]
    chip, memory = busy_watts(gpu, like, dram)
    factor = (tdp_share * gpu["power.tdp"] - constant - memory) / chip
    out = {key: like[key] * factor for key in SCALED + ["idle_sm"]}
    out["dram"] = dram
    if gpu.get("tensor.fma"):
        chip, memory = busy_watts(gpu, out, dram, fma=0, memory=0.3)
        rest = TENSOR_SHARE * gpu["power.tdp"] - constant - memory - chip
        out["tensor"] = rest / (gpu["tensor.fma"] * gpu["clock.core"] * gpu["sm.count"] * VOLTS_SQUARED)
    return out, factor


def block(energy, constant, dram_source, source, text):
    lines = [f"energy: # {text}", f"  constant: {{value: {constant:.3g}, unit: W, source: ENERGYTDP}}",
             f"  idle_sm: {{value: {energy['idle_sm']:.3g}, unit: W, source: ENERGYTDP}}"]
    source = f"source: {source}"
    for key in SCALED + ["tensor"]:
        if key in energy:
            unit = "pJ/B" if key in ("shared", "l1", "l2") else "pJ"
            lines.append(f"  {key}: {{value: {energy[key] * 1e12:.3g}, unit: {unit}, {source}}}")
    origin = f"source: {dram_source}" if dram_source else "from: assumed"
    lines.append(f"  dram: {{value: {energy['dram'] * 1e12:.3g}, unit: pJ/B, {origin}}}")
    return "\n".join(lines) + "\n"


def voltages(gpu):
    most = gpu["clock.core"] / 1e6
    return (f"  least: {{value: {KNEE * most / 4:.0f}, unit: MHz, from: assumed}}\n"
            f"  most: {{value: {most:.6g}, unit: MHz, from: assumed}} # clock.core\n"
            f"  voltage_knee: {{value: {KNEE * most:.0f}, unit: MHz, source: ENERGYTDP}}\n"
            f"  least_voltage: {{value: 0.7125, unit: V, from: assumed}}\n"
            f"  most_voltage: {{value: 1.0625, unit: V, from: assumed}}\n")


def with_sections(text, energy, volts):
    text = re.sub(r"\nenergy: #[^\n]*\n(  [^\n]*\n)*", "\n", text)
    text = re.sub(r"(?m)^  (least|most|voltage_knee|least_voltage|most_voltage): .*\n", "", text)
    text = re.sub(r"(?m)^(clock:\n  core: .*\n)", lambda match: match.group(1) + volts, text, count=1)
    return text.rstrip("\n") + "\n\n" + energy


def compare(derived, known, scales):
    if scales:
        return
    for key in ("fp32", "int", "fp64", "l1", "l2", "dram"):
        joules = derived[key] * (1 if key == "dram" else VOLTS_SQUARED)
        print(f"    {key:6} derived {joules * 1e12:6.1f} pJ, published {known[key] * 1e12:6.1f} pJ: "
              f"{100 * (joules / known[key] - 1):+.0f} %")


def put(name, gpus, reference, energy, constant_share, source, scales, write):
    """Is the file of a GPU another one with these energies?"""
    gpu = gpus[name]
    dram, dram_source = (energy["dram"], source) if not scales else dram_joules(gpu)
    wide = lanes(gpu) / lanes(gpus[reference])
    own = dict(energy, dram=dram, idle_sm=energy["idle_sm"] * wide, sm_cycle=energy["sm_cycle"] * wide)
    if not gpu.get("tensor.fma"):
        own.pop("tensor", None)
    if name in WITHOUT_VOLTAGES:
        own.update({key: own[key] * VOLTS_SQUARED for key in own if key != "dram"})
    text = "derived from those of the V100" if name == reference else f"those of {reference}"
    path = os.path.join(FOLDER, f"{name}.yaml")
    with open(path) as stream:
        old = stream.read()
    new = with_sections(old, block(own, constant_share * gpu["power.tdp"], dram_source, source, text),
                        voltages(gpu) if scales and name not in WITHOUT_VOLTAGES else "")
    if write and new != old:
        with open(path, "w") as stream:
            stream.write(new)
    return new != old


def main():
    program, write = sys.argv[1], "--write" in sys.argv[2:]
    names = sorted({name for family in FAMILIES.values() for name in family})
    gpus = {name: figures(program, name) for name in names}
    v100 = gpus["v100"]
    base = {key[7:]: value for key, value in v100.items() if key.startswith("energy.")}
    chip, memory = busy_watts(v100, base, base["dram"])
    tdp_share = (base["constant"] + chip + memory) / v100["power.tdp"]
    print(f"V100 with all fp32 lanes and DRAM busy: {tdp_share * v100['power.tdp']:.0f} W, {tdp_share:.3f} of its TDP")
    stale = 0
    for reference, family in FAMILIES.items():
        energy, factor = derive(gpus[reference], v100, base, tdp_share)
        print(f"{reference:16} x {factor:5.2f}   fp32 {energy['fp32'] * 1e12 * VOLTS_SQUARED:6.1f} pJ at the highest clock")
        source, scales = KNOWN.get(reference, ("ENERGYTDP", True))
        if reference in KNOWN:
            known = {key[7:]: value for key, value in gpus[reference].items() if key.startswith("energy.")}
            compare(energy, known, scales)
            energy = known
        for name in family:
            if name not in KNOWN:
                stale += put(name, gpus, reference, energy, base["constant"] / v100["power.tdp"], source, scales, write)
    if stale and not write:
        print(f"{stale} files differ from what is derived: run with --write", file=sys.stderr)
    return 1 if stale and not write else 0


if __name__ == "__main__":
    sys.exit(main())
