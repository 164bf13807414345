"""What is kept from being loaded, because it costs seconds and serves nothing here."""

from __future__ import annotations

import sys


def spare_grammars() -> None:
    """Keep jsonschema from building the 38 grammars of a text format that no chart and no notebook has.

    It does so at import, for two seconds in every process, where the package that holds them happens to be installed;
    where it is not found, it goes without.
    """
    if "jsonschema" not in sys.modules:
        sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]
