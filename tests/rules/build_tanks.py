"""Tanks of a configuration that are not valid, and the same with another key."""

from __future__ import annotations

from pathlib import Path

from .build_workbooks import bad, good

TABLE = "id,parent,mass [kg],Cx [m],Cy [m],Cz [m]\nSHIP,,,,,\nHULL,SHIP,900,0,0,1\nWATER,SHIP,0,0,0,0\n"
TANK = '[tank.FORE]\nitem = "WATER"\nshape = "box"\ndims = "a=2 m; b=3 m; c=1 m"\nfluid = "sea water"\nfill = {fill}\n'


def _command(folder: Path, fill: int) -> list[str]:
    (folder / "ship.csv").write_text(TABLE, encoding="utf-8")
    (folder / "massprops.toml").write_text(TANK.format(fill=fill), encoding="utf-8")
    return ["validate", str(folder / "ship.csv")]


@bad("MP719")
def tank_with_120_percent(folder: Path) -> list[str]:
    return _command(folder, 120)


@good("MP719")
def full_tank(folder: Path) -> list[str]:
    return _command(folder, 100)
