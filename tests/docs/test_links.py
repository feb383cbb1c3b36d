"""Every link leads somewhere, every page is found, and no page names where packages are kept."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.docs.pages import DOCS, PAGES, anchors, links, name
from tests.paths import ROOT

#: Hosts of package registries: what is installed comes from wherever the reader's tools look.
_REGISTRIES = re.compile(r"\b(?:py" + r"pi\.org|python" + r"hosted|npmjs|crates\.io|anaconda\.org)")
_FETCHED = re.compile(
    r"<(?:script|img|link|iframe|source|video|object)\b[^>]*?\b(?:src|href|data)=\"([^\"]*)\""
)
_IN_STYLES = re.compile(r"(?:@import|url\()\s*[\"']?\s*((?:https?:)?//[^\"')\s]+)")
_MENTION = re.compile(r"\bdocs/[\w-]+\.(?:md|svg)")


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_relative_links_and_pictures_lead_to_files_and_headings_that_are_there(page: Path) -> None:
    dead = []
    for link in links(page):
        target = urlsplit(link.target)
        if target.scheme or target.netloc:
            continue
        there = (page.parent / target.path).resolve() if target.path else page
        anchored = not target.fragment or (
            there.suffix == ".md" and there.is_file() and target.fragment in anchors(there)
        )
        if not there.exists() or not there.is_relative_to(ROOT) or not anchored:
            dead.append(link.place)
    assert not dead


def test_no_page_shows_a_place_that_a_program_was_to_fill() -> None:
    written = [*PAGES, DOCS / "deltadeck.1"]
    assert [name(page) for page in written if "%(" in page.read_text("utf-8")] == []


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_addresses_have_the_form_of_one_and_no_registry_is_named(page: Path) -> None:
    odd = [
        link.place
        for link in links(page)
        if (target := urlsplit(link.target)).scheme
        and not (target.scheme == "https" and "." in target.netloc and not target.query)
    ]
    assert not odd
    assert not _REGISTRIES.search(page.read_text("utf-8"))


def test_the_index_lists_every_page_of_the_folder_once() -> None:
    index = DOCS / "index.md"
    listed = [link.target for link in links(index)]
    there = {page.name for page in DOCS.glob("*.md")} - {"index.md"}
    assert {target for target in listed if "/" not in target} == there
    assert len(listed) == len(set(listed))


def test_a_page_that_the_code_or_another_page_names_is_there() -> None:
    sources = [path for room in ("cards", "deck", "engine", "tui") for path in _sources(room)]
    missing = {
        f"{name(path)} names {found}"
        for path in [*PAGES, *sources]
        for found in _MENTION.findall(path.read_text("utf-8"))
        if not (ROOT / found).exists()
    }
    assert not missing


def _sources(room: str) -> list[Path]:
    return list((ROOT / room).rglob("*.py"))


@pytest.mark.long  # what it would find in links is found above each time
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
