# SPDX-License-Identifier: Apache-2.0
"""The examples for Python: each ends well. Those that need other packages run where these are."""
import importlib.util
import os
import re
import subprocess
import sys
import unittest

from common import SOURCE

FOLDER = SOURCE / "examples/python"


def missing_packages(text):
    names = re.findall(r"^(?:import|from) (\w+)", text, re.MULTILINE)
    return [name for name in names if importlib.util.find_spec(name) is None]


class Examples(unittest.TestCase):
    def test_scripts(self):
        scripts = sorted(FOLDER.glob("*.py"))
        self.assertGreater(len(scripts), 2)
        for script in scripts:
            with self.subTest(script.name):
                missing = missing_packages(script.read_text(encoding="utf-8"))
                if missing:
                    self.skipTest(f"{', '.join(missing)} not installed")
                done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False,
                                      env={**os.environ, "WARPSAGE_ISA": os.environ.get("WARPSAGE_ISA", "ptx")})
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertRegex(done.stdout, r"\d us")


if __name__ == "__main__":
    unittest.main()
