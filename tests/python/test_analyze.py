# SPDX-License-Identifier: Apache-2.0
"""Launches with arrays: results against numpy, counts against arithmetic, predictions against the command line."""
import gc
import json
import subprocess
import threading
import unittest

import numpy
import warpsage
from common import PROGRAM, SAXPY, floats, saxpy


class Tensor:
    """Only what DLPack asks for."""

    def __init__(self, array, device=1):
        self.array, self.device = array, device

    def __dlpack__(self, stream=None):
        return self.array.__dlpack__()

    def __dlpack_device__(self):
        return self.device, 0

    def __len__(self):
        return len(self.array)


class Results(unittest.TestCase):
    def test_numpy(self):
        x, y = floats(1000), floats(1000, 2)
        want = numpy.float32(2) * x + y
        saxpy(x, y)
        numpy.testing.assert_allclose(y, want, rtol=1e-6)

    def test_dlpack(self):
        x, y = floats(1000), floats(1000, 2)
        want = numpy.float32(2) * x + y
        saxpy(Tensor(x), Tensor(y))
        numpy.testing.assert_allclose(y, want, rtol=1e-6)

    def test_the_same_array_twice(self):
        x = floats(512)
        want = 3 * x
        saxpy(x, x)
        numpy.testing.assert_allclose(x, want, rtol=1e-6)

    def test_views_of_one_array(self):
        """The kernel reads beside what it writes, of the same memory."""
        both = floats(2048)
        before = both.copy()
        saxpy(both[1024:], both[:1024])
        numpy.testing.assert_allclose(both[:1024], 2 * before[1024:] + before[:1024], rtol=1e-6)
        numpy.testing.assert_array_equal(both[1024:], before[1024:])

    def test_fortran_order(self):
        x, y = numpy.asfortranarray(floats(1024).reshape(32, 32)), floats(1024).reshape(32, 32).T
        want = 2 * x.ravel(order="F") + y.ravel(order="F")
        warpsage.analyze(SAXPY, 1024, 2.0, x, y, grid=4, block=256, gpu="v100", isa="ptx")
        numpy.testing.assert_allclose(y.ravel(order="F"), want, rtol=1e-6)

    def test_read_only_input(self):
        x, y = floats(256), floats(256, 2)
        want = 2 * x + y
        x.flags.writeable = False
        saxpy(x, y)
        numpy.testing.assert_allclose(y, want, rtol=1e-6)

    def test_read_only_output(self):
        x, y = floats(256), floats(256, 2)
        before = y.copy()
        y.flags.writeable = False
        with self.assertRaisesRegex(warpsage.ArgumentError, "wrote to a read-only array"):
            saxpy(x, y)
        numpy.testing.assert_array_equal(y, before)


class Predictions(unittest.TestCase):
    def test_as_the_command_line(self):
        """The same launch, told to the program: the same counts and times, whatever the data."""
        n = 1 << 14
        command = [PROGRAM, "analyze", str(SAXPY), "-g", "64", "-b", "256", "--arg", f"u32:{n}", "--arg", "f32:2",
                   "--arg", f"f32[{n}]=random", "--arg", f"f32[{n}]=random:2", "--gpu", "v100,gtx280", "-f", "json",
                   "--isa", "ptx"]
        told = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
        here = saxpy(floats(n), floats(n, 2), gpu=["v100", "gtx280"]).to_dict()
        self.assertEqual(here["kernels"][0].pop("arguments"),
                         ["u32:16384", "f32:2.0", "float32[16384]", "float32[16384]"])
        told["kernels"][0].pop("arguments")
        self.assertEqual(here, told)

    def test_independent_of_addresses(self):
        """Where the host has the arrays decides nothing."""
        both = floats(1 << 14)
        low, high = both[:1 << 13], both[1 << 13:]
        self.assertEqual(saxpy(low, high).write("json"), saxpy(high, low).write("json"))

    def test_counts(self):
        """Each warp stores 32 floats at once: n / 32 requests of 4 sectors."""
        answer = saxpy(floats(1 << 13), floats(1 << 13))
        self.assertEqual(answer.counters["mem.global.store.requests"], (1 << 13) / 32)
        self.assertEqual(answer.counters["mem.global.store.sectors32"], (1 << 13) / 8)

    def test_figures(self):
        answer = saxpy(floats(1024), floats(1024))
        self.assertEqual((answer.gpu, answer.time.unit, answer.time.origin), ("v100", "s", "modelled"))
        self.assertTrue(answer.low <= answer.time <= answer.high)
        self.assertEqual(answer.kernels.saxpy.machines["v100"].headline.time_s, answer.time)
        self.assertEqual(answer["kernels/0/machines/0/headline/time_s"], answer.time)
        unknown = answer["kernels/0/profile/mem.global.load.transactions_cc10"]
        self.assertFalse(unknown.is_known)
        self.assertEqual(unknown.note, "rule not requested")

    def test_several_gpus(self):
        answer = saxpy(floats(1024), floats(1024), gpu="v100,a100")
        self.assertEqual([one.gpu for one in answer.results], ["v100", "a100-sxm4-40gb"])
        self.assertEqual(answer.on("a100").gpu, "a100-sxm4-40gb")
        with self.assertRaisesRegex(ValueError, "2 results"):
            answer.time
        with self.assertRaisesRegex(KeyError, "there are v100, a100"):
            answer.on("h100")

    def test_without_gpu(self):
        answer = saxpy(floats(1024), floats(1024), gpu=None)
        self.assertEqual((answer.results, answer.counters["mem.global.store.requests"]), ([], 32))

    def test_predict_again(self):
        first = saxpy(floats(1 << 14), floats(1 << 14), gpu="v100")
        self.assertEqual(warpsage.predict(first, "v100").time, first.time)
        self.assertEqual(warpsage.predict(first, "rtx2080ti").gpu, "rtx2080ti")

    def test_other_questions(self):
        """cc 8.0 holds 64 warps per SM: 8 blocks of 256 threads, all of them (CUDA C programming guide)."""
        self.assertIn("block_x", warpsage.questions()["occupancy"])
        answer = warpsage.ask("occupancy", gpu="a100", block_x=256)
        self.assertEqual(answer.machines[0].occupancy.blocks_per_sm, 8)
        self.assertIn("&lt;html", answer._repr_html_()[:2000])
        self.assertIn("inst.warp", warpsage.explain("inst.warp"))


class Lives(unittest.TestCase):
    def test_parts_outlive_the_answer(self):
        x = floats(1024)
        machine = saxpy(x, x.copy()).kernels[0].machines[0]
        estimates = machine.estimates
        for _ in range(20):
            saxpy(x, x.copy())
        gc.collect()
        self.assertEqual(machine.machine, "v100")
        self.assertGreater(len(estimates), 2)

    def test_cycles(self):
        """Collected in any order."""
        for _ in range(20):
            cycle = [saxpy(floats(256), floats(256))]
            cycle.append(cycle)
        gc.collect()

    def test_threads(self):
        times, want = [], saxpy(floats(1024), floats(1024)).time

        def work():
            for _ in range(3):
                times.append(saxpy(floats(1024), floats(1024), threads=1).time)
        workers = [threading.Thread(target=work) for _ in range(4)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        self.assertEqual(times, [want] * 12)


if __name__ == "__main__":
    unittest.main()
