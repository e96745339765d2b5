"""The data sets: UCI's tables unharmed, both protocols, the threat models.

Expectations come from UCI's own descriptions, the paper's table of data sets and the authors' files, not
from the loaders. Comparisons with the authors' files run where those lie beside the checkout.
"""

from __future__ import annotations

import hashlib
import os
import zipfile
from collections.abc import Callable
from math import inf
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treant_viz.datasets import Dataset, build, load_census, load_credit, load_toy, load_wine
from treant_viz.datasets.protocols import lower_edge, read_fast
from treant_viz.datasets.store import DATA, PACKAGE, read_manifest, read_table, table
from treant_viz.datasets.threats import write_threats

SHARED = Path(__file__).parents[2] / "shared" / "data"
needs_shared = pytest.mark.skipif(not SHARED.is_dir(), reason="the authors' files are not beside the checkout")
needs_network = pytest.mark.skipif(
    os.environ.get("TREANT_VIZ_NETWORK") != "1", reason="downloads 30 MB: set TREANT_VIZ_NETWORK=1 to run"
)

LOADERS: dict[str, Callable[[str], Dataset]] = {
    "wine": load_wine,
    "census": load_census,
    "credit": load_credit,
}
BOTH = pytest.mark.parametrize("protocol", ["paper", "authors"])
EVERY = pytest.mark.parametrize("name", LOADERS)


def parts(d: Dataset) -> list[tuple[pd.DataFrame, np.ndarray]]:
    return [(d.X_train, d.y_train), (d.X_valid, d.y_valid), (d.X_test, d.y_test)]


def whole(d: Dataset) -> tuple[pd.DataFrame, np.ndarray]:
    X, y = zip(*parts(d), strict=True)
    return pd.concat(X, ignore_index=True), np.concatenate(y)


def digest(X: pd.DataFrame, y: np.ndarray) -> str:
    """SHA-256 of all values, column by column: numbers bit for bit as little-endian doubles, text as text."""
    sha = hashlib.sha256()
    for column in X:
        values = X[column]
        numeric = pd.api.types.is_numeric_dtype(values)
        sha.update(values.to_numpy("<f8").tobytes() if numeric else "\n".join(map(str, values)).encode())
    sha.update(np.asarray(y, "<i1").tobytes())
    return sha.hexdigest()


def authors_files(name: str) -> tuple[pd.DataFrame, np.ndarray]:
    """The authors' files end to end, labels as 0/1."""
    files = [SHARED / name / f"{part}.csv.bz2" for part in ("train", "valid", "test")]
    t = pd.concat([pd.read_csv(f, dtype=str, keep_default_na=False) for f in files], ignore_index=True)
    X = t.iloc[:, :-1].apply(lambda c: c.astype(float) if c.name not in build.TEXT_COLUMNS else c)
    return X, (t.iloc[:, -1].astype(int) > 0).to_numpy(int)


# The tables


@pytest.mark.parametrize("name, rows, columns", [("wine", 6497, 13), ("census", 48842, 16), ("credit", 30000, 25)])
def test_tables_have_ucis_rows_and_columns(name: str, rows: int, columns: int) -> None:
    assert table(name).shape == (rows, columns)


def test_wine_has_the_qualities_ucis_description_counts() -> None:
    red, white = (rows["quality"].value_counts() for _, rows in table("wine").groupby("is_white"))
    assert red.to_dict() == {3: 10, 4: 53, 5: 681, 6: 638, 7: 199, 8: 18}
    assert white.to_dict() == {3: 20, 4: 163, 5: 1457, 6: 2198, 7: 880, 8: 175, 9: 5}


def test_census_has_the_files_and_missing_values_ucis_description_counts() -> None:
    t = table("census")
    assert t["is_test"].value_counts().to_dict() == {0: 32561, 1: 16281}
    assert t[t.notna().all(axis=1)]["is_test"].value_counts().to_dict() == {0: 30162, 1: 15060}
    assert not any("?" in t[c].cat.categories for c in t.select_dtypes("category"))


def test_manifest_names_source_citation_and_licence() -> None:
    for entry in read_manifest().values():
        assert entry["source"].startswith("https://archive.ics.uci.edu/dataset/")
        assert "https://doi.org/10.24432/" in entry["citation"]
        assert entry["licence"] == "CC BY 4.0"


def test_all_tables_together_stay_below_two_megabytes() -> None:
    assert sum(len(f.read_bytes()) for f in DATA.iterdir()) < 2_000_000


@needs_shared
def test_wine_equals_uci_row_for_row() -> None:
    uci = [pd.read_csv(SHARED / "wine" / f"uci-{c}.csv", sep=";", dtype=str) for c in ("white", "red")]
    ours = table("wine").drop(columns="is_white")
    assert (pd.concat(uci).astype(float).to_numpy() == ours.to_numpy()).all()


@needs_shared
def test_census_equals_uci_row_for_row() -> None:
    uci = [pd.read_csv(SHARED / "census" / f"uci-{f}.csv.bz2", header=None, dtype=str) for f in ("train", "test")]
    theirs = pd.concat(uci, ignore_index=True)
    theirs[14] = (theirs[14].astype(int) > 0).astype(int)
    ours = table("census").drop(columns="is_test")
    for k, column in enumerate(ours):
        values = ours[column].astype(object).fillna("?")
        assert (theirs[k].astype(type(values[0])).to_numpy() == values.to_numpy()).all(), column


@needs_shared
def test_credit_equals_uci_row_for_row() -> None:
    uci = pd.read_csv(SHARED / "credit" / "uci-credit.csv.bz2")
    assert list(uci) == list(table("credit"))
    assert (uci.to_numpy(float) == table("credit").to_numpy()).all()


def copy_of_data(folder: Path) -> Path:
    for file in DATA.iterdir():
        (folder / file.name).write_bytes(file.read_bytes())
    return folder


@pytest.mark.parametrize("at", [0, 1000, -1])
def test_a_damaged_file_is_refused_by_name(tmp_path: Path, at: int) -> None:
    damaged = copy_of_data(tmp_path) / "wine.csv.xz"
    content = bytearray(damaged.read_bytes())
    content[at] ^= 1
    damaged.write_bytes(content)
    with pytest.raises(ValueError, match=r"wine\.csv\.xz: damaged: its SHA-256 is .*, expected "):
        read_table("wine", tmp_path)
    assert len(read_table("credit", tmp_path)) == 30000


def test_a_truncated_file_is_refused(tmp_path: Path) -> None:
    damaged = copy_of_data(tmp_path) / "census.csv.xz"
    damaged.write_bytes(damaged.read_bytes()[:-100])
    with pytest.raises(ValueError, match=r"census\.csv\.xz: damaged"):
        read_table("census", tmp_path)


def test_a_table_that_does_not_match_its_manifest_is_refused(tmp_path: Path) -> None:
    manifest = copy_of_data(tmp_path) / "manifest.json"
    manifest.write_text(manifest.read_text().replace('"rows": 6497', '"rows": 6498'))
    with pytest.raises(ValueError, match="expected 6498 rows"):
        read_table("wine", tmp_path)


# Both protocols


@pytest.mark.parametrize(
    "name, protocol, sizes",
    [
        ("wine", "authors", [3898, 1299, 1300]),
        ("census", "authors", [27132, 9044, 9044]),
        ("credit", "authors", [18000, 6000, 6000]),
        ("wine", "paper", [3898, 1299, 1300]),
        ("census", "paper", [27133, 9044, 9045]),
        ("credit", "paper", [18000, 6000, 6000]),
    ],
)
def test_parts_are_cut_at_60_and_80_percent_rounded_down(name: str, protocol: str, sizes: list[int]) -> None:
    d = LOADERS[name](protocol)
    assert [len(X) for X, _ in parts(d)] == [len(y) for _, y in parts(d)] == sizes
    assert all(X.index.equals(pd.RangeIndex(len(X))) for X, _ in parts(d))


@pytest.mark.parametrize("name, features, percent", [("wine", 12, 63), ("census", 13, 25), ("credit", 23, 22)])
@BOTH
def test_features_and_classes_are_the_papers(name: str, protocol: str, features: int, percent: int) -> None:
    """The paper's table of data sets; its 24 features of credit count the label or the ID."""
    d = LOADERS[name](protocol)
    _, y = whole(d)
    assert len(d.feature_names) == features
    assert round(100 * y.mean()) == percent
    assert y.dtype == int and set(y) == {0, 1}


@pytest.mark.parametrize("name, positives", [("wine", 4113), ("census", 11208), ("credit", 6636)])
def test_paper_keeps_every_positive(name: str, positives: int) -> None:
    """Wine: the counts above from 6 up; census: UCI's 24.78 % of 45,222; credit: Yeh and Lien's 6,636."""
    assert whole(LOADERS[name]("paper"))[1].sum() == positives


@EVERY
@BOTH
def test_number_columns_are_doubles_and_text_columns_categories_without_gaps(name: str, protocol: str) -> None:
    for X, _ in parts(LOADERS[name](protocol)):
        text = set(X.select_dtypes("category"))
        assert text == build.TEXT_COLUMNS & set(X)
        assert all(X[c].dtype == np.float64 for c in X if c not in text)
        assert not X.isna().any(axis=None)


@BOTH
def test_no_category_is_unknown_in_another_part_or_to_the_attacker(protocol: str) -> None:
    d = load_census(protocol)
    for column in d.X_train.select_dtypes("category"):
        assert d.X_train[column].dtype == d.X_valid[column].dtype == d.X_test[column].dtype
    for rule in d.attacker.rules:
        if rule.categorical:
            assert {*rule.pre, rule.becomes} <= set(d.X_train[rule.feature].cat.categories)


@EVERY
@BOTH
def test_changes_by_the_caller_do_not_leak_into_the_next_load(name: str, protocol: str) -> None:
    first = LOADERS[name](protocol)
    before = digest(*whole(first))
    for X, y in parts(first):
        number = X.select_dtypes("number").columns[0]
        X.loc[:, number] = -99.0
        del X[X.columns[-1]]
        y[:] = 1 - y
    assert digest(*whole(LOADERS[name](protocol))) == before


@pytest.mark.parametrize("load", LOADERS.values())
@pytest.mark.parametrize("wrong", ["Paper", "", None, 1])
def test_an_unknown_protocol_is_refused(load: Callable[[object], Dataset], wrong: object) -> None:
    with pytest.raises(ValueError, match=f"protocol: expected 'paper' or 'authors', got {wrong!r}"):
        load(wrong)


def test_repr_says_name_protocol_shapes_and_share_of_positives() -> None:
    text = repr(load_credit("authors"))
    for piece in (
        "credit",
        "authors",
        "23 features",
        "18,000 rows",
        "6,000 rows",
        "% positive",
        "10, 30, 40, 60",
    ):
        assert piece in text


def test_records_are_frozen() -> None:
    with pytest.raises(AttributeError):
        load_wine().y_train = np.zeros(3)  # type: ignore[misc]


# Protocol "paper"


@EVERY
def test_paper_split_is_stratified(name: str) -> None:
    d = LOADERS[name]("paper")
    share = whole(d)[1].mean()
    for _, y in parts(d):
        assert abs(y.sum() - share * len(y)) <= 1


@EVERY
def test_paper_split_is_the_same_whatever_the_global_seed(name: str) -> None:
    digests = set()
    for seed in (0, 1):
        np.random.seed(seed)
        table.cache_clear()
        digests.add(digest(*whole(LOADERS[name]("paper"))))
    assert len(digests) == 1


@EVERY
def test_paper_rows_are_ucis_each_once(name: str) -> None:
    X, y = whole(LOADERS[name]("paper"))
    t = table(name)
    label = {"wine": "quality", "census": "income_greater_than_50k", "credit": "default.payment.next.month"}[name]
    t = t[t.notna().all(axis=1)]
    expected = t[list(X)].assign(y=(t[label] >= (6 if name == "wine" else 1)).astype(int))
    everything = [*X, "y"]
    ours = X.assign(y=y).sort_values(everything, ignore_index=True)
    pd.testing.assert_frame_equal(ours, expected.sort_values(everything, ignore_index=True), check_dtype=False)


# Protocol "authors"

# Digests of the authors' own files (train, valid and test end to end).
AUTHORS_DIGESTS = {
    "wine": "d64d60ef3aadb5b2ccad4bcaee4a212ccfce2b7da3995162a2109d90b114f0d9",
    "census": "0eb4711b3cb8153ed994bf10b3ed65ea8183b8e3066716b2a46830a7b471d3ef",
    "credit": "6a3ddeb434e97a0c3af04b31306939ed92d3db61fabea7458e8f0be800849938",
}


@EVERY
def test_authors_protocol_has_the_digest_of_the_authors_files(name: str) -> None:
    assert digest(*whole(LOADERS[name]("authors"))) == AUTHORS_DIGESTS[name]


@needs_shared
@EVERY
def test_authors_protocol_equals_the_authors_files_value_for_value(name: str) -> None:
    X, y = authors_files(name)
    ours, labels = whole(LOADERS[name]("authors"))
    assert list(X) == list(ours)
    for column in X:
        assert (X[column].to_numpy() == ours[column].to_numpy()).all(), column
    assert (y == labels).all()
    assert digest(X, y) == AUTHORS_DIGESTS[name]


def test_authors_binning_made_two_columns_constant_and_shifted_the_payment_status() -> None:
    assert whole(load_wine("authors"))[0]["is_white"].unique().tolist() == [0]
    X, _ = whole(load_credit("authors"))
    uci = table("credit")
    assert X["SEX"].nunique() == 1
    assert (X["PAY_0"] == np.maximum(uci["PAY_0"] - 1, -2)).mean() > 0.99


def test_authors_credit_is_in_file_order() -> None:
    assert (whole(load_credit("authors"))[1] == table("credit")["default.payment.next.month"]).all()


@given(st.lists(st.integers(-50, 50), min_size=2, max_size=80), st.integers(1, 20))
def test_lower_edge_is_the_left_end_of_pandas_quantile_bin(values: list[int], bins: int) -> None:
    x = np.array(values, dtype=float)
    edges = pd.Series(x).quantile(np.linspace(0, 1, bins + 1)).drop_duplicates().to_numpy()
    if len(edges) < 2:
        assert (lower_edge(x, bins) == x).all()
        return
    codes = pd.cut(x, edges.tolist(), include_lowest=True, labels=False)
    np.testing.assert_allclose(lower_edge(x, bins), edges[codes], rtol=0, atol=1e-12)


@given(st.decimals(0, 10_000, places=4, allow_nan=False))
def test_read_fast_is_at_most_a_few_last_bits_off(number: object) -> None:
    assert abs(read_fast(str(number)) - float(str(number))) <= 2 * np.spacing(float(str(number)))


@given(st.integers(0, 10**9))
def test_read_fast_is_exact_on_whole_numbers(number: int) -> None:
    assert read_fast(str(number)) == read_fast(f"{number}.0") == number


# Threat models

OCCUPATIONS = {
    *("Craft-repair", "Prof-specialty", "Exec-managerial", "Adm-clerical", "Sales", "Machine-op-inspct"),
    *("Transport-moving", "Handlers-cleaners", "Farming-fishing", "Tech-support", "Protective-serv"),
    *("Priv-house-serv", "Armed-Forces"),
}
WINE = {
    ("alcohol", (0, 11), (0, 0.5), 20),
    ("residual_sugar", (2, inf), (-0.25, 0), 30),
    ("volatile_acidity", (0.25, inf), (-0.1, 0), 30),
    ("free_sulfur_dioxide", (25, inf), (-2, 0), 50),
}
CENSUS = {
    ("workclass", frozenset({"Never-worked"}), "Without-pay", 1),
    ("marital_status", frozenset({"Divorced", "Separated"}), "Never-married", 1),
    ("occupation", frozenset(OCCUPATIONS), "Other-service", 1),
    ("capital_gain", (0, inf), (0, 2000), 50),
    ("hours_per_week", (0, inf), (0, 4), 100),
}
CREDIT = {
    ("PAY_0", (-1, 5), (-1, 0), 10),
    ("PAY_2", (-1, 5), (-1, 0), 10),
    ("BILL_AMT1", (20000, 500000), (-4000, 0), 10),
    ("LIMIT_BAL", (0, 200000), (0, 20000), 10),
}
THREATS = [
    ("wine", "paper", WINE, (20, 40, 60, 80, 100, 120)),
    ("wine", "authors", WINE, (20, 40, 60, 80, 100, 120)),
    ("census", "paper", CENSUS | {("education_num", (-inf, inf), (-1, 0), 20)}, (30, 60, 90, 120)),
    ("census", "authors", CENSUS | {("education_num", (13, 16), (-1, 0), 20)}, (30, 60, 90, 120)),
    ("credit", "paper", CREDIT, (10, 30, 40, 60)),
    ("credit", "authors", CREDIT, (10, 30, 40, 60)),
]


@pytest.mark.parametrize("name, protocol, rules, budgets", THREATS)
def test_threat_models_are_the_papers(name: str, protocol: str, rules: set[object], budgets: tuple[int, ...]) -> None:
    d = LOADERS[name](protocol)
    found = [
        (r.feature, r.pre if r.categorical else tuple(r.pre), r.becomes or tuple(r.delta), r.cost)
        for r in d.attacker.rules
    ]
    assert set(found) == rules and len(found) == len(rules)
    assert d.budgets == budgets
    assert d.attacker.budget == max(budgets)
    assert set(d.attacker.features) <= set(d.feature_names)


def test_every_occupation_but_other_service_can_be_hidden() -> None:
    assert set(table("census")["occupation"].cat.categories) == OCCUPATIONS | {"Other-service"}


def test_rule_on_never_worked_applies_to_no_row() -> None:
    assert all("Never-worked" not in set(X["workclass"]) for X, _ in parts(load_census()))


def test_toy_is_the_papers_figure() -> None:
    toy = load_toy()
    assert list(toy.X.columns) == ["p", "q"] and list(toy.X.index) == [f"x{i}" for i in range(7)]
    assert toy.X["p"].tolist() == [-7, -5, 1, 3, 3, 3, 3]
    assert toy.X["q"].tolist() == [1, 2, 3, 3, 4, 4, 4]
    assert toy.y.tolist() == [-2, -1, 0, 2, 2, 2, 2] and toy.y.dtype == float
    (rule,) = toy.attacker.rules
    assert (rule.feature, tuple(rule.pre), tuple(rule.delta), rule.cost) == ("p", (-inf, inf), (-1, 1), 1)
    assert toy.attacker.budget == 1


def test_toy_changes_do_not_leak() -> None:
    toy = load_toy()
    toy.X.loc["x0", "p"] = 0.0
    toy.y[0] = 0.0
    assert load_toy().X.loc["x0", "p"] == -7 and load_toy().y[0] == -2


# Building the files


def same_files(folder: Path, kind: str) -> bool:
    shipped = {f.name: f.read_bytes() for f in (PACKAGE / kind).iterdir()}
    return shipped == {f.name: f.read_bytes() for f in folder.iterdir()}


def test_threat_files_are_what_build_writes(tmp_path: Path) -> None:
    write_threats(tmp_path)
    assert same_files(tmp_path, "threats")


def test_build_refuses_a_member_with_another_content(tmp_path: Path) -> None:
    member = build.MEMBERS["red"]
    with zipfile.ZipFile(tmp_path / member.wheel, "w") as wheel:
        wheel.writestr(member.path, "another content")
    with pytest.raises(ValueError, match=r"winequality-red\.csv: its SHA-256 is .*, expected 4a402c"):
        build.read_member(member, tmp_path)


def test_census_reader_skips_remarks_and_strips_the_test_files_full_stops() -> None:
    row = "25, Private, 226802, 11th, 7, ?, Sales, Own-child, Black, Male, 0, 0, 40, United-States, "
    header, train, test = build.census_table(f"{row}<=50K\n\n", f"|1x3 Cross validator\n{row}>50K.\n\n")
    assert len(header) == len(train) == len(test) == 16
    assert train[:6] == ["25", "Private", "226802", "11th", "7", "?"]
    assert (train[-2:], test[-2:]) == (["0", "0"], ["1", "1"])


def test_equal_rows_give_equal_bytes() -> None:
    assert build.pack([["a", "b"], ["1", "?"]]) == build.pack([["a", "b"], ["1", "?"]])


@needs_network
def test_build_makes_the_shipped_files_anew(tmp_path: Path) -> None:
    build.main(["--out", str(tmp_path)])
    assert same_files(tmp_path / "data", "data") and same_files(tmp_path / "threats", "threats")
