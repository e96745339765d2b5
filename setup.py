"""Which folders are packages: all below treant_viz, and its neighbours in a clone. See pyproject.toml."""

from setuptools import find_packages, setup

BESIDE = ["treant_viz.notebooks", "treant_viz.notebooks.solutions", "treant_viz.results"]

setup(packages=[*find_packages(include=["treant_viz", "treant_viz.*"]), *BESIDE])
