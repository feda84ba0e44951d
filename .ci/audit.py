"""Check the packages of an installation against published vulnerabilities: ``audit.py FOLDER``.

Exit code 1 if one has a known vulnerability, 2 if no package could be checked: without the network, or with a mirror of
the package index that has no advisories.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path


def main(release: Path) -> int:
    """Audit ``environment`` with the tools of ``tools``, both in the folder; print a line a vulnerability."""
    [packages] = (release / "environment" / "lib").glob("python*/site-packages")
    command = [
        str(release / "tools/bin/pip-audit"),
        "--path",
        str(packages),
        "--format",
        "json",
        "--progress-spinner",
        "off",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    try:
        found = json.loads(done.stdout)["dependencies"]
    except (ValueError, KeyError):
        print(f"nothing was audited: {(done.stderr.strip().splitlines() or ['no answer'])[-1]}", file=sys.stderr)
        return 2
    audited = [one for one in found if "vulns" in one]
    for one in audited:
        for fault in one["vulns"]:
            fixed = ", ".join(fault["fix_versions"]) or "no version"
            print(f"{one['name']} {one['version']}: {fault['id']}, fixed in {fixed}")
    skipped = [one["name"] for one in found if "vulns" not in one and one["name"] != "massprops"]
    print(f"{len(audited)} packages audited")
    print(f"{len(skipped)} without advisories in the index: {', '.join(skipped) or 'none'}")
    if not audited:
        print("nothing was audited: the package index has no advisories, or cannot be reached", file=sys.stderr)
        return 2
    return int(any(one["vulns"] for one in audited))


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
