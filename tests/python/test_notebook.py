# SPDX-License-Identifier: Apache-2.0
"""Notebooks of the examples, where nbclient and ipykernel are installed."""
import importlib.util
import unittest

from common import SOURCE

HAS_JUPYTER = all(importlib.util.find_spec(name) for name in ("nbclient", "nbformat", "ipykernel", "pandas"))


@unittest.skipUnless(HAS_JUPYTER, "nbclient, ipykernel or pandas is not installed")
class Notebooks(unittest.TestCase):
    def test_they_run(self):
        import nbclient
        import nbformat
        notebooks = sorted((SOURCE / "examples/python").glob("*.ipynb"))
        self.assertTrue(notebooks)
        for path in notebooks:
            notebook = nbformat.read(path, as_version=4)
            nbclient.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(path.parent)}}).execute()
            shown = [output.data for cell in notebook.cells for output in cell.get("outputs", ()) if "data" in output]
            self.assertTrue(any("<iframe" in data.get("text/html", "") for data in shown))


if __name__ == "__main__":
    unittest.main()
