"""Install command for an extra, by how this Phalanx was installed."""

from __future__ import annotations

import json
import sys
from importlib import metadata
from pathlib import Path
from shlex import quote
from urllib.parse import unquote, urlparse
from urllib.request import url2pathname


def install_command(extra: str) -> str:
    """Return the command that installs an extra, for this kind of installation.

    Args:
        extra: Its name, such as ``view``.
    """
    try:
        here = metadata.distribution("phalanx")
        installer = (here.read_text("INSTALLER") or "pip").strip()
        origin = json.loads(here.read_text("direct_url.json") or "{}")
    except (metadata.PackageNotFoundError, ValueError):
        installer, origin = "pip", {}
    url, editable = origin.get("url", ""), origin.get("dir_info", {}).get("editable", False)
    if "dir_info" in origin:
        folder = url2pathname(unquote(urlparse(url).path))
        flag = "-e " if editable else ""
        return f"cd {quote(folder)} && {_tool(installer)} {flag}'.[{extra}]'"
    if "vcs_info" in origin:
        url = f"{origin['vcs_info'].get('vcs', 'git')}+{url}"
    return f"{_tool(installer)} 'phalanx[{extra}]{f' @ {url}' if url else ''}'"


def _tool(installer: str) -> str:
    """The program that put it here; environments of their own for programs have files that say."""
    if (Path(sys.prefix) / "uv-receipt.toml").is_file():
        return "uv tool install"
    if (Path(sys.prefix) / "pipx_metadata.json").is_file():
        return "pipx install --force"
    return "uv pip install" if installer == "uv" else "pip install"
