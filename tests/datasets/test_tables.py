"""UCI's tables unharmed: what is inside the package, how it is read, how it is made.

Expectations come from UCI's own descriptions, not from the loaders.
"""

from __future__ import annotations

import zipfile
from pathlib import Path

import pandas as pd
import pytest

from tests.datasets.parts import AUTHORS_FILES, needs_authors_files, needs_network
from treant_viz.datasets import build
from treant_viz.datasets.shipped import DATA, HERE, read_manifest, read_table, table
from treant_viz.datasets.threats import write_threats


@pytest.mark.parametrize(
    "name, rows, columns", [("wine", 6497, 13), ("census", 48842, 16), ("credit", 30000, 25)]
)
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


@needs_authors_files
def test_wine_equals_uci_row_for_row() -> None:
    uci = [pd.read_csv(AUTHORS_FILES / "wine" / f"uci-{c}.csv", sep=";", dtype=str) for c in ("white", "red")]
    ours = table("wine").drop(columns="is_white")
    assert (pd.concat(uci).astype(float).to_numpy() == ours.to_numpy()).all()


@needs_authors_files
def test_census_equals_uci_row_for_row() -> None:
    uci = [
        pd.read_csv(AUTHORS_FILES / "census" / f"uci-{f}.csv.bz2", header=None, dtype=str)
        for f in ("train", "test")
    ]
    theirs = pd.concat(uci, ignore_index=True)
    theirs[14] = (theirs[14].astype(int) > 0).astype(int)
    ours = table("census").drop(columns="is_test")
    for k, column in enumerate(ours):
        values = ours[column].astype(object).fillna("?")
        assert (theirs[k].astype(type(values[0])).to_numpy() == values.to_numpy()).all(), column


@needs_authors_files
def test_credit_equals_uci_row_for_row() -> None:
    uci = pd.read_csv(AUTHORS_FILES / "credit" / "uci-credit.csv.bz2")
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


# Building the files


def same_files(folder: Path, kind: str) -> bool:
    shipped = {f.name: f.read_bytes() for f in (HERE / kind).iterdir()}
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
