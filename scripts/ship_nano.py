"""Put the nano of a finished run into the package, pinned by its checksum.

    python scripts/ship_nano.py build/nano

Roles that are left out (`--roles ask write`) are decided by the rules.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
from hashlib import sha256
from pathlib import Path

from mags.models.policy.nano import SHIPPED, NanoFolder
from mags.models.policy.nano import shipped as pinned

PIN = re.compile(r"^CARD_SHA256 = .*$", re.MULTILINE)


def main() -> None:
    """Copy the export of a run and write its card's checksum into the source."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("run", type=Path)
    parser.add_argument("--roles", nargs="+", default=["ask", "write", "router"])
    asked = parser.parse_args()
    source = asked.run / "export"
    NanoFolder.read(source)
    card = json.loads((source / "nano.json").read_text(encoding="utf-8"))
    files = {role: name for role, name in card["files"].items() if role in asked.roles}
    kept = {"tokenizer.json", *files.values()}
    sums = {name: sha256((source / name).read_bytes()).hexdigest() for name in sorted(kept)}
    written = json.dumps({**card, "name": "nano", "files": files, "sha256": sums}, indent=1) + "\n"
    shutil.rmtree(SHIPPED, ignore_errors=True)
    SHIPPED.mkdir(parents=True)
    for name in kept:
        shutil.copy2(source / name, SHIPPED / name)
    (SHIPPED / "nano.json").write_text(written, encoding="utf-8")
    code = Path(pinned.__file__)
    line = f'CARD_SHA256 = "{sha256(written.encode()).hexdigest()}"'
    code.write_text(PIN.sub(line, code.read_text(encoding="utf-8")), encoding="utf-8")
    size = sum(path.stat().st_size for path in SHIPPED.iterdir())
    print(f"{SHIPPED}: {', '.join(sorted(kept))}, {size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
