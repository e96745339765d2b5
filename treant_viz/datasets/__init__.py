"""The data of the paper, each set with its threat model: the toy example, wine, census and credit.

The tables are UCI's (see `data/manifest.json` for sources, citations and licence); they ship inside the
package and are checked against their SHA-256 when read. Every loader but the toy's knows two protocols:

- "paper" (default): what the paper's text says. UCI's own values, stratified 60-20-20 split, fixed seed.
- "authors": what produced the published numbers. The authors' files, rebuilt value for value from UCI's.

With `distinct=True` validation and test rows that have a twin, an identical row in training, are left out:
what a model gets right there may be memory. Of the authors' test rows these are 23.5 % on wine, 0.1 % on
census and 0.4 % on credit.

Two tables more, with numbers as labels, are in `regression`.

>>> load_toy()
toy: 7 instances, features p, q
>>> load_wine().X_train.shape
(3898, 12)
>>> len(load_wine("authors").X_test), len(load_wine("authors", distinct=True).X_test)
(1300, 994)
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from treant_viz.core.checks import check_choice
from treant_viz.datasets.protocols import prepare
from treant_viz.datasets.records import Dataset, Toy
from treant_viz.datasets.threats import BUDGETS, load_threat
from treant_viz.datasets.twins import twins

PROTOCOLS = ("paper", "authors")


def load_toy() -> Toy:
    """The paper's worked example: seven instances; p may change by [-1, +1] at cost 1, and the budget is 1.

    >>> toy = load_toy()
    >>> toy.X.loc["x2"].tolist(), toy.y[2].item()
    ([1.0, 3.0], 0.0)
    """
    p = [-7.0, -5.0, 1.0, 3.0, 3.0, 3.0, 3.0]
    q = [1.0, 2.0, 3.0, 3.0, 4.0, 4.0, 4.0]
    y = np.array([-2.0, -1.0, 0.0, 2.0, 2.0, 2.0, 2.0])
    X = pd.DataFrame({"p": p, "q": q}, index=[f"x{i}" for i in range(len(p))])
    return Toy(X, y, load_threat("toy"))


def load_wine(protocol: str = "paper", *, distinct: bool = False) -> Dataset:
    """Wine Quality: 6,497 wines, white then red; positive (1) is a quality of at least 6.

    `sulphites` is the authors' name of UCI's column `sulphates`. Under "authors" all values are lower edges
    of quantile bins, and `is_white` is constant.
    """
    return _load("wine", protocol, distinct)


def load_census(protocol: str = "paper", *, distinct: bool = False) -> Dataset:
    """Census Income: positive (1) is an income above 50,000 dollars; text columns are categories.

    Rows with missing values are dropped, and so is the text column `education`, as in the authors' files:
    `education_num` says the same. "paper" has 45,222 rows; "authors" 45,220, for the first row of each of
    UCI's two files was lost.
    """
    return _load("census", protocol, distinct)


def load_credit(protocol: str = "paper", *, distinct: bool = False) -> Dataset:
    """Default of Credit Card Clients: 30,000 clients; positive (1) is a default on the next payment.

    Under "authors" all values are lower edges of quantile bins: `SEX` is constant, nearly every payment
    status is one month lower than UCI's, and the split is in file order.
    """
    return _load("credit", protocol, distinct)


def _load(name: str, protocol: str, distinct: bool) -> Dataset:
    check_choice(protocol, "protocol", PROTOCOLS)
    check_choice(distinct, "distinct", (True, False))
    X, y, parts = prepare(name, protocol)
    cut = [(X.iloc[rows].reset_index(drop=True), y[rows]) for rows in parts]
    (X_train, y_train), (X_valid, y_valid), (X_test, y_test) = cut
    attacker = load_threat(f"{name}-{protocol}")
    data = Dataset(
        name, protocol, X_train, y_train, X_valid, y_valid, X_test, y_test, attacker, BUDGETS[name]
    )
    return data.without_twins() if distinct else data


__all__ = ["BUDGETS", "Dataset", "Toy", "load_census", "load_credit", "load_toy", "load_wine", "twins"]
