# SPDX-License-Identifier: Apache-2.0
"""Bad input: which exception, and what it says. Ctrl-C and exceptions in callbacks."""
import signal
import subprocess
import sys
import time
import unittest

import numpy
import warpsage
from common import SAXPY, SOURCE, floats, saxpy
from test_analyze import Tensor

LOOPS = SOURCE / "tests/signals/loops.ptx"
FOREVER = f"""
import warpsage
try:
    print("begins", flush=True)
    warpsage.analyze({str(LOOPS)!r}, kernel="itself", grid=2, block=64, gpu="v100", isa="ptx")
except KeyboardInterrupt:
    print("interrupted")
"""


class Arguments(unittest.TestCase):
    def refused(self, regex, *arguments, **options):
        options = {"grid": 1, "block": 32, "gpu": "v100", "isa": "ptx", **options}
        with self.assertRaisesRegex(warpsage.ArgumentError, regex) as raised:
            warpsage.analyze(SAXPY, *arguments, **options)
        self.assertEqual(raised.exception.exit_code, 2)

    def test_scalars(self):
        x = floats(32)
        self.refused(r"argument 1 \(saxpy_param_1\): expected f32: pass numpy.float32\(value\), got float64", 32,
                     numpy.float64(2), x, x)
        self.refused(r"argument 0 .*expected u32.* got float 2.5", 2.5, 2.0, x, x)
        self.refused(r"argument 0 .*expected u32.* got int 8589934592", 1 << 33, 2.0, x, x)
        self.refused(r"argument 1 .*expected f32, got an array of float32", 32, x, x, x)
        self.refused(r"argument 0 .*expected a number, a numpy array.* got str 'many'", "many", 2.0, x, x)

    def test_arrays(self):
        x = floats(64)
        self.refused(r"argument 3 .*not contiguous \(shape \(32,\), strides \(8,\) bytes\).*ascontiguousarray", 32, 2.0, x,
                     x[::2])
        self.refused(r"argument 2 .*dtype object", 32, 2.0, numpy.array([1, None]), x)
        self.refused(r"argument 2 .*foreign byte order", 32, 2.0, x.astype(">f4"), x)
        self.refused(r"argument 2 .*not in host memory", 32, 2.0, Tensor(x, device=2), x)

    def test_launches(self):
        x = floats(64)
        self.refused("saxpy takes 4 arguments, 3 given", 32, 2.0, x)
        self.refused("grid and block are required", 32, 2.0, x, x, grid=None)
        self.refused("block: expected one to three positive numbers, got 0", 32, 2.0, x, x, block=0)
        self.refused("unknown GPU|no machine|nosuch", 32, 2.0, x, x, gpu="nosuch")
        self.refused("unexpected keyword 'colour'", 32, 2.0, x, x, colour=1)
        self.refused("sxpy", 32, 2.0, x, x, kernel="sxpy")
        with self.assertRaises(warpsage.LaunchError):
            saxpy(x, x, gpu="v100", shared=1 << 20)
        with self.assertRaisesRegex(warpsage.ArgumentError, "cannot analyze list"):
            warpsage.analyze([1], gpu="v100")

    def test_files(self):
        with self.assertRaises(warpsage.IoError) as raised:
            warpsage.analyze("/nonexistent.ptx", grid=1, block=1, gpu="v100")
        self.assertIn("/nonexistent.ptx", str(raised.exception))
        with self.assertRaises(warpsage.InputError):
            warpsage.analyze(".entry nonsense", grid=1, block=1, gpu="v100")

    def test_fault(self):
        """32 threads, 16 elements; n says 32."""
        with self.assertRaises(warpsage.FaultError) as raised:
            warpsage.analyze(SAXPY, 32, 2.0, floats(16), floats(16), grid=1, block=32, gpu="v100", isa="ptx")
        self.assertEqual((raised.exception.status, raised.exception.exit_code), ("WS_ERR_FAULT", 4))
        self.assertIn("out of bounds", str(raised.exception))

    def test_formats(self):
        answer = saxpy(floats(32), floats(32))
        with self.assertRaisesRegex(warpsage.ArgumentError, "'word'"):
            answer.write("word")
        with self.assertRaisesRegex(AttributeError, "has no 'nothing': it has"):
            answer.kernels[0].nothing
        with self.assertRaisesRegex(IndexError, "index 7 of 1 elements of kernels"):
            answer.kernels[7]


class Callbacks(unittest.TestCase):
    def test_progress(self):
        seen = []
        saxpy(floats(1 << 20), floats(1 << 20), progress=lambda what, fraction: seen.append((what, fraction)))
        self.assertTrue(all(what == "executing" and 0 <= fraction <= 1 for what, fraction in seen))

    def test_exception_in_progress(self):
        def stop(_what, _fraction):
            raise LookupError("enough")
        begin = time.monotonic()
        with self.assertRaisesRegex(LookupError, "enough"):
            warpsage.analyze(LOOPS, kernel="empty", grid=(1 << 31) - 1, block=64, gpu="v100", isa="ptx", progress=stop)
        self.assertLess(time.monotonic() - begin, 60)


class Interrupts(unittest.TestCase):
    def test_ctrl_c(self):
        """A loop without an end; Python's own handler raises KeyboardInterrupt."""
        child = subprocess.Popen([sys.executable, "-c", FOREVER], stdout=subprocess.PIPE, text=True)
        self.assertEqual(child.stdout.readline(), "begins\n")
        time.sleep(0.5)
        child.send_signal(signal.SIGINT)
        said, _ = child.communicate(timeout=60)
        self.assertEqual((said, child.returncode), ("interrupted\n", 0))


if __name__ == "__main__":
    unittest.main()
