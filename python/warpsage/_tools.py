# SPDX-License-Identifier: Apache-2.0
"""Where compilers are: in PATH, and where packages of Python keep theirs, which are often the only ones."""
import importlib.util
import os
from pathlib import Path

_FOLDERS = {"triton": "backends/nvidia/bin", "nvidia.cuda_nvcc": "bin", "nvidia.cu13": "bin"}


def _ptxas_folder(package):
    """Where a package has its ptxas; None: it is not installed, or has none."""
    try:
        found = importlib.util.find_spec(package)
    except ModuleNotFoundError:  # its parent
        return None
    if not found or not found.submodule_search_locations:
        return None
    folder = Path(found.submodule_search_locations[0]) / _FOLDERS[package]
    return str(folder) if (folder / "ptxas").exists() else None


def search_path():
    """PATH, then the folders of packages."""
    folders = [os.environ.get("PATH", ""), *(_ptxas_folder(package) for package in _FOLDERS)]
    return os.pathsep.join(folder for folder in folders if folder)
