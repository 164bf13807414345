"""An archived run in a zip: read as its folder is, and whatever else a zip may hold refused in a line."""

from __future__ import annotations

import io
import json
import struct
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest
from polars.testing import assert_frame_equal
from typer.testing import CliRunner

import evalkit
from evalkit import packed
from evalkit.archive import GRADES, MANIFEST, SUITE, TRIALS, is_archive, read
from evalkit.cli import app
from evalkit.errors import StoreError
from evalkit.runs import load_run
from evalkit.tables import Run

HEAD = {"run": "x", "name": "n", "started": "2026-11-30", "candidates": []}


@pytest.fixture
def run(shop: Path) -> Run:
    return evalkit.run(shop / "shootouts/small.yaml", quiet=True)


@pytest.fixture
def archived(run: Run, tmp_path: Path) -> dict[str, bytes]:
    folder = tmp_path / "archived"
    folder.mkdir()
    run.archive(folder)
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def zipped(path: Path, files: Mapping[str, bytes], top: str = "2026-11-30-small/") -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(top + name, content)
    return path


def refused(path: Path) -> str:
    assert is_archive(path)
    with pytest.raises(StoreError) as told:
        read(path)
    said = str(told.value)
    assert str(path) in said
    assert "\n" not in said
    return said


@pytest.mark.parametrize("top", ["", "2026-11-30-small/", "Ein Ordner/"])
def test_a_zip_is_read_as_its_folder_is(run: Run, archived: dict[str, bytes], tmp_path: Path, top: str) -> None:
    path = zipped(tmp_path / "nightly.ZIP", {**archived, "10_shootout.html": b"<p>"}, top)
    found = load_run(path)
    assert (found.id, found.manifest["name"], found.judged_by) == (
        run.id,
        "small",
        "the suite that is archived with it",
    )
    assert_frame_equal(found.judged, run.judged)
    assert load_run(path, suite_of_run=path).suite.snapshot == run.suite.snapshot
    shown = CliRunner().invoke(app, ["show", str(path), "ORD-1"])
    assert (shown.exit_code, "ORD-1" in shown.stdout) == (0, True), shown.output


def test_nothing_of_a_zip_is_unpacked_to_the_disk(archived: dict[str, bytes], tmp_path: Path) -> None:
    place = tmp_path / "alone"
    place.mkdir()
    path = zipped(place / "a.zip", {**archived, "../../evil.txt": b"evil"})
    read(path)
    assert [each.name for each in place.rglob("*")] == ["a.zip"]
    assert not (tmp_path / "evil.txt").exists()


@pytest.mark.parametrize("top", ["/", "../", "a/b/", "/tmp/", "./", "..\\", "C:/"])
def test_a_run_at_an_absolute_a_deeper_or_a_climbing_path_is_none(
    archived: dict[str, bytes], tmp_path: Path, top: str
) -> None:
    assert f"no {MANIFEST} at its top" in refused(zipped(tmp_path / "a.zip", archived, top))


@pytest.mark.parametrize("name", [MANIFEST, SUITE, TRIALS])
def test_a_zip_that_lacks_a_file_names_it(archived: dict[str, bytes], tmp_path: Path, name: str) -> None:
    lacking = {key: content for key, content in archived.items() if key != name}
    assert name in refused(zipped(tmp_path / "a.zip", lacking))


def test_two_runs_in_one_zip_and_a_name_held_twice_are_refused(archived: dict[str, bytes], tmp_path: Path) -> None:
    two = {f"{folder}/{name}": content for folder in ("a", "b") for name, content in archived.items()}
    assert f"2 files {MANIFEST}" in refused(zipped(tmp_path / "two.zip", two, ""))
    path = zipped(tmp_path / "twice.zip", archived)
    with zipfile.ZipFile(path, "a") as archive, pytest.warns(UserWarning, match="Duplicate name"):
        archive.writestr(f"2026-11-30-small/{TRIALS}", b"other")
    assert "twice" in refused(path)


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"no zip at all", b"PK\x05\x06" + bytes(18) + b"x"])
def test_what_is_no_zip_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.zip"
    path.write_bytes(content)
    assert "holds no archived run" in refused(path)


def test_a_file_that_would_burst_is_refused_before_it_is_unpacked(archived: dict[str, bytes], tmp_path: Path) -> None:
    # 64 MiB of zeros are some 64 kB in the zip: a thousandth.
    bomb = {**archived, SUITE: bytes(64 * packed.MEBIBYTE)}
    assert "packed to less than a 100th of its size" in refused(zipped(tmp_path / "a.zip", bomb))


def test_one_file_and_all_files_together_are_bounded(
    archived: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = zipped(tmp_path / "a.zip", archived)
    monkeypatch.setattr(packed, "MOST_ONE", len(archived[MANIFEST]) - 1)
    assert f"{MANIFEST} is larger than" in refused(path)
    monkeypatch.setattr(packed, "MOST_ONE", packed.MOST_ALL)
    # One byte less than the three that every run has.
    most = sum(len(archived[name]) for name in (MANIFEST, SUITE, TRIALS)) - 1
    monkeypatch.setattr(packed, "MOST_ALL", most)
    assert f"{TRIALS} is larger than" in refused(path)
    monkeypatch.setattr(packed, "MOST_ENTRIES", 2)
    assert "more than 2 files" in refused(path)
    monkeypatch.setattr(packed, "MOST_PACKED", 10)
    assert "a zip of more than" in refused(path)


def test_a_head_that_lies_of_its_size_is_found_out(archived: dict[str, bytes], tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        for name, content in archived.items():
            archive.writestr(name, content)
    size = len(archived[MANIFEST])
    # Wherever the size stands, in the file's own head and in the directory, it says ten bytes less.
    changed = path.read_bytes().replace(struct.pack("<II", size, size), struct.pack("<II", size - 10, size - 10))
    assert changed != path.read_bytes()
    path.write_bytes(changed)
    assert f"{MANIFEST} in it cannot be read" in refused(path)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        (MANIFEST, b"[" * 200_000),
        (MANIFEST, b"[]"),
        (MANIFEST, b"\xff\xfe\xfa"),
        (MANIFEST, json.dumps({"run": "x"}).encode()),
        (MANIFEST, json.dumps(HEAD | {"trials": "2", "suite": {"name": "s", "snapshot": "x", "cases": 1}}).encode()),
        (MANIFEST, json.dumps(HEAD | {"trials": 2, "suite": {}}).encode()),
        (TRIALS, b"PAR1 and no more PAR1"),
        (TRIALS, b""),
        (GRADES, b"none"),
        (SUITE, b"{"),
    ],
)
def test_hostile_content_is_refused_in_a_line(
    archived: dict[str, bytes], tmp_path: Path, name: str, content: bytes
) -> None:
    assert "holds no archived run" in refused(zipped(tmp_path / "a.zip", {**archived, name: content}))
    folder = tmp_path / "folder"
    folder.mkdir()
    for key, value in {**archived, name: content}.items():
        (folder / key).write_bytes(value)
    with pytest.raises(StoreError, match="holds no archived run"):
        read(folder)


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_another_way_of_packing_is_refused(archived: dict[str, bytes], tmp_path: Path, method: int) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, content in archived.items():
            archive.writestr(name, content)
    assert "pack it by `zip -r`" in refused(path)


def test_a_locked_zip_and_a_broken_one_are_refused(archived: dict[str, bytes], tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.zip", archived)
    whole = path.read_bytes()
    # Bit 0 of an entry's flags, in its own head and in the directory, says that it is encrypted.
    locked = whole.replace(b"PK\x03\x04\x14\x00\x00\x00", b"PK\x03\x04\x14\x00\x01\x00")
    locked = locked.replace(b"PK\x01\x02\x14\x03\x14\x00\x00\x00", b"PK\x01\x02\x14\x03\x14\x00\x01\x00")
    path.write_bytes(locked)
    assert "password" in refused(path)
    with zipfile.ZipFile(io.BytesIO(whole)) as archive:
        start = archive.getinfo(f"2026-11-30-small/{MANIFEST}").header_offset + 80
    path.write_bytes(whole[:start] + b"\xff" * 200 + whole[start + 200 :])
    assert "cannot be read" in refused(path)


def test_an_archive_is_never_graded_or_played_and_a_zip_is_one(archived: dict[str, bytes], tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.zip", archived)
    done = CliRunner().invoke(app, ["grade", str(path)])
    assert done.exit_code == 1
    assert "is an archived report" in done.stderr
