"""Files by their names: of a folder, or of a zip of one, which whoever packed it may have meant ill with."""

from __future__ import annotations

import struct
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

MEBIBYTE = 2**20
# A zip, one file of it, and all that are read of it: far above what a run takes, and far below what a machine has.
MOST_PACKED, MOST_ONE, MOST_ALL = 1024 * MEBIBYTE, 256 * MEBIBYTE, 512 * MEBIBYTE
MOST_ENTRIES = 10_000
# What is written shrinks to a tenth at best; a file over a mebibyte that shrank further was made to burst.
MOST_RATIO = 100
_BROKEN = (zipfile.BadZipFile, zlib.error, struct.error, NotImplementedError, RuntimeError, EOFError, OverflowError)


class Files(Protocol):
    """Files that are read by their names."""

    def read(self, name: str) -> bytes:
        """The bytes of a file. Raises OSError where it is not there, ValueError where it may not be read."""

    def has(self, name: str) -> bool:
        """Whether there is such a file."""


class Folder:
    """The files of a folder."""

    def __init__(self, place: Path) -> None:
        self._place = place

    def read(self, name: str) -> bytes:
        """The bytes of a file."""
        return (self._place / name).read_bytes()

    def has(self, name: str) -> bool:
        """Whether there is such a file."""
        return (self._place / name).is_file()


class Packed:
    """The files of a zip that lie beside `mark`, at its top or in its one folder; nothing is unpacked to the disk.

    Raises OSError where the zip cannot be opened, ValueError where it is none, holds no such file or more than one, or
    is larger than any run.
    """

    def __init__(self, place: Path, mark: str) -> None:
        if place.stat().st_size > MOST_PACKED:
            raise ValueError(f"a zip of more than {MOST_PACKED // MEBIBYTE} MiB")
        self._place, self._read = place, 0
        try:
            with zipfile.ZipFile(place) as opened:
                entries = opened.infolist()
        except _BROKEN as error:
            raise ValueError(f"not a zip that can be read: {error}") from error
        if len(entries) > MOST_ENTRIES:
            raise ValueError(f"a zip of more than {MOST_ENTRIES:,} files")
        self._entries = _beside(mark, entries)

    def has(self, name: str) -> bool:
        """Whether there is such a file."""
        return name in self._entries

    def read(self, name: str) -> bytes:
        """The bytes of a file. Raises FileNotFoundError, and ValueError where it is broken, locked or far too large."""
        if name not in self._entries:
            raise FileNotFoundError(f"{name} is missing in it")
        entry = self._entries[name]
        size, room = entry.file_size, min(MOST_ONE, MOST_ALL - self._read)
        if size > room:
            raise ValueError(f"{name} is larger than {room // MEBIBYTE} MiB")
        if size > MEBIBYTE and size > MOST_RATIO * entry.compress_size:
            raise ValueError(f"{name} was packed to less than a {MOST_RATIO}th of its size, as no run's files are")
        if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise ValueError(f"{name} is packed in a way that is not read here; pack it by `zip -r`")
        try:
            with zipfile.ZipFile(self._place) as opened, opened.open(entry) as file:
                # By its head a file is as long as it says; one that is longer is cut there, and its sum is wrong.
                found = file.read(size + 1)
        except _BROKEN as error:
            raise ValueError(f"{name} in it cannot be read: {error}") from error
        self._read += len(found)
        return found


def _beside(mark: str, entries: list[zipfile.ZipInfo]) -> Mapping[str, zipfile.ZipInfo]:
    """The entries of the one folder that holds a file `mark`, by their names there."""
    folders: dict[str, dict[str, zipfile.ZipInfo]] = {}
    for entry in entries:
        folder, _, name = entry.filename.rpartition("/")
        # No folder within a folder, none above, and no absolute one, which would have an empty name or a drive's.
        inside = folder == "" and entry.filename == name
        if not name or not (inside or (folder not in ("", ".", "..") and not set("/\\:") & set(folder))):
            continue
        if name in folders.setdefault(folder, {}):
            raise ValueError(f"a zip that holds {entry.filename!r} twice")
        folders[folder][name] = entry
    found = [folder for folder, names in folders.items() if mark in names]
    if len(found) != 1:
        what = f"{len(found)} files {mark}" if found else f"no {mark}"
        raise ValueError(f"{what} at its top or in its one folder")
    return folders[found[0]]
