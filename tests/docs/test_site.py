"""`make docs`: the site builds without a warning, and asks no other host for anything."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.pages import PAGES, name
from tests.paths import ROOT

_FETCHED = re.compile(
    r"<(?:script|img|link|iframe|source|video|object)\b[^>]*?\b(?:src|href|data)=\"([^\"]*)\""
)
_IN_STYLES = re.compile(r"(?:@import|url\()\s*[\"']?\s*((?:https?:)?//[^\"')\s]+)")


@pytest.mark.long  # links and headings are looked at in test_links.py each time
def test_the_site_builds_without_a_warning_and_its_pages_ask_no_other_host(tmp_path: Path) -> None:
    site, doctrees = tmp_path / "site", tmp_path / "doctrees"
    build = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-n", "-c", "docs"]
    done = subprocess.run(
        [*build, "-d", doctrees, ".", site], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert not done.stderr.strip()
    for page in PAGES:
        assert name(page) == "README.md" or (site / name(page)).with_suffix(".html").is_file()
    asked = {
        target
        for page in site.rglob("*.html")
        for target in _FETCHED.findall(page.read_text("utf-8"))
        if re.match(r"[a-z]+:|//", target)
    }
    asked |= {
        found for style in site.rglob("*.css") for found in _IN_STYLES.findall(style.read_text())
    }
    assert not asked
