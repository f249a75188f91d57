# SPDX-License-Identifier: Apache-2.0
"""Objects, tables and frames against the JSON that the library writes of the same answer."""
import importlib.util
import json
import tempfile
import unittest
from pathlib import Path

import numpy
import warpsage
from common import floats, saxpy

HAS_PANDAS = importlib.util.find_spec("pandas") is not None


def known(value):
    return None if value != value else value


class Tree(unittest.TestCase):
    def setUp(self):
        self.answer = saxpy(floats(4096), floats(4096), gpu="v100,gtx280")
        self.leaves = 0

    def compare_rows(self, table, document, where):
        self.assertEqual(len(table), len(document), where)
        for row, told in zip(table, document):
            for name, value in row.items():
                if not isinstance(told.get(name), dict):  # tables have no nodes in their cells
                    self.assertEqual(known(value), told.get(name), f"{where}/{name}")
                    self.leaves += 1

    def compare(self, node, document, where="answer"):
        if isinstance(node, warpsage.Table):
            self.compare_rows(node, document, where)
        elif isinstance(node, warpsage.Node):
            self.assertEqual(len(node), len(document) - sum(key in document for key in ("schema", "tool")), where)
            for index, (key, child) in enumerate(node.items()):
                self.compare(child, document[key if isinstance(document, dict) else index], f"{where}/{key}")
        elif isinstance(node, (tuple, numpy.ndarray)):
            self.assertEqual([known(one) for one in node], document, where)
        else:
            value = document.get("value") if isinstance(document, dict) else document
            self.assertEqual(known(node), value, where)
            self.leaves += 1

    def test_every_node(self):
        self.compare(self.answer, self.answer.to_dict())
        self.assertGreater(self.leaves, 1000)

    def test_parts_as_dictionaries(self):
        document = self.answer.to_dict()
        machine = self.answer.kernels.saxpy.machines.gtx280
        self.assertEqual(machine.to_dict(), document["kernels"][0]["machines"][1])
        self.assertEqual(machine.estimates[0].to_dict(), document["kernels"][0]["machines"][1]["estimates"][0])
        self.assertEqual(self.answer.kernels[-1].instructions.to_dict(), document["kernels"][0]["instructions"])

    def test_walking(self):
        kernels = self.answer.kernels
        self.assertEqual((kernels.keys(), [one.name for one in kernels]), (["saxpy"], ["saxpy"]))
        self.assertIn("saxpy", kernels)
        self.assertIn("headline", dir(kernels[0].machines[0]))
        self.assertIsNone(kernels.saxpy.machines.gtx280.caches)
        self.assertIs(kernels[0].is_opencl, False)
        self.assertIsInstance(self.answer["kernels/0/launch/blocks"], warpsage.Count)

    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, begin in (("a.json", "{"), ("a.html", "<!DOCTYPE html>"), ("a.txt", "saxpy"), ("a.csv", "kernel")):
                self.answer.save(Path(folder) / name)
                self.assertEqual((Path(folder) / name).read_text(encoding="utf-8")[:len(begin)], begin)
            self.answer.save_profile(Path(folder) / "p.json")
            again = warpsage.predict(Path(folder) / "p.json", "v100")
        self.assertEqual(json.loads(again.write("json"))["kernels"][0]["name"], "saxpy")
        self.assertEqual(str(self.answer), self.answer.write())

    @unittest.skipUnless(HAS_PANDAS, "pandas is not installed")
    def test_frames(self):
        frame = self.answer.to_pandas()
        self.assertEqual(list(frame.gpu), ["v100", "gtx280"])
        self.assertEqual(list(frame.time), [one.time for one in self.answer.results])
        instructions = self.answer.kernels[0].instructions.to_pandas()
        self.assertEqual(list(instructions.op), self.answer.kernels[0].instructions["op"])
        estimates = self.answer.kernels[0].machines[0].estimates.to_pandas()
        self.assertEqual(estimates.loc["teg", "time_s"], self.answer.on("v100").time)


if __name__ == "__main__":
    unittest.main()
