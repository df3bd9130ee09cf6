#!/usr/bin/env python3
"""Every task of the project, one function each: ``python3 tasks.py`` lists them.

Needs nothing but Python 3.11+; ``setup`` makes ``.venv`` in the project's root and fills it.
What was installed once is not installed again until a file that names it changes.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
BIN = VENV / ("Scripts" if os.name == "nt" else "bin")
PYTHON = BIN / "python"
MODELS = ROOT / "requirements" / "models.txt"
SAMPLE = ROOT / "data" / "sample"
WEB = ROOT / "web"
ENGINES = {
    "lite32": ROOT / "requirements" / "milvus-lite-3.2.txt",
    "lite25": ROOT / "requirements" / "milvus-lite-2.5.txt",
}
VENDOR = WEB / "static" / "vendor"
FONTS = {
    "atkinson-hyperlegible-next": "Atkinson Hyperlegible Next",
    "literata": "Literata",
}

# sentence-transformers needs torch. Named first and exactly, because an open range may bring a
# build for graphics cards that is several GB larger.
TORCH = "torch==2.13.0"


def setup(arguments: list[str], extra: str = "all") -> None:
    """Make .venv, install the package, its models and the console script podcast-scraper."""
    stamp = VENV / f".installed-{extra}"
    wanted = _fingerprint(ROOT / "pyproject.toml", MODELS)
    if stamp.exists() and stamp.read_text() == wanted:
        return
    if not PYTHON.exists():
        print(f"Making {VENV.name} …", flush=True)
        venv.create(VENV, with_pip=True)
    print("Installing (some minutes the first time) …", flush=True)
    _pip("install", TORCH)
    _pip("install", "--editable", f"{ROOT}[{extra}]")
    _pip("install", "--no-deps", "--require-hashes", "--requirement", str(MODELS))
    stamp.write_text(wanted)


def web(arguments: list[str]) -> None:
    """Fetch the front-end packages (fonts, graph drawing) into web/static/vendor; needs npm."""
    npm = shutil.which("npm")
    if npm is None:
        sys.exit("npm is not installed. The pages work without its packages; Node.js brings it.")
    stamp = VENDOR / ".installed"
    wanted = _fingerprint(WEB / "package-lock.json", Path(__file__))
    if stamp.exists() and stamp.read_text() == wanted:
        return
    subprocess.run([npm, "ci", "--silent"], cwd=WEB, check=True)
    shutil.rmtree(VENDOR, ignore_errors=True)
    VENDOR.mkdir()
    cytoscape = WEB / "node_modules" / "cytoscape"
    shutil.copy(cytoscape / "dist" / "cytoscape.esm.min.mjs", VENDOR)
    shutil.copy(cytoscape / "LICENSE", VENDOR / "cytoscape.LICENSE")
    (VENDOR / "fonts.css").write_text("".join(_fonts()))
    stamp.write_text(wanted)


def _fonts() -> Iterator[str]:
    """Copy the font files that the pages use; yield the style rules that name them."""
    for name, family in FONTS.items():
        package = WEB / "node_modules" / "@fontsource-variable" / name
        shutil.copy(package / "LICENSE", VENDOR / f"{name}.LICENSE")
        for subset in ("latin-ext", "latin"):
            file = package / "files" / f"{name}-{subset}-wght-normal.woff2"
            shutil.copy(file, VENDOR)
            ranges = json.loads((package / "unicode.json").read_text())[subset]
            yield (
                f'@font-face {{ font-family: "{family} Variable"; font-style: normal; '
                f"font-weight: 200 800; font-display: optional; src: url({file.name}) "
                f'format("woff2"); unicode-range: {ranges}; }}\n'
            )


def demo(arguments: list[str]) -> None:
    """Set up, index the sample corpus, serve its search page (--port N; Ctrl-C stops)."""
    setup([])
    if shutil.which("npm"):
        try:
            web([])
        except (subprocess.CalledProcessError, OSError):
            print("The front-end packages could not be fetched; the pages work without them.")
    _scraper("index", str(SAMPLE))
    _scraper("serve", str(SAMPLE), *arguments)


def test(arguments: list[str]) -> None:
    """Set up and run the tests (further arguments go to pytest)."""
    setup([], "dev")
    _run(PYTHON, "-m", "pytest", "-m", "not slow and not browser and not engines", *arguments)


def check(arguments: list[str]) -> None:
    """Set up and run the linter, the formatter's check and the type checker."""
    setup([], "dev")
    _run(PYTHON, "-m", "ruff", "format", "--check", ".")
    _run(PYTHON, "-m", "ruff", "check", ".")
    _run(PYTHON, "-m", "mypy")


def slow(arguments: list[str]) -> None:
    """Set up and run the slow tests."""
    setup([], "dev")
    _run(PYTHON, "-m", "pytest", "-m", "slow", *arguments)


def browser(arguments: list[str]) -> None:
    """Set up and run the browser tests; needs Chromium, and npm for axe-core."""
    _need_chromium()
    setup([], "dev")
    web([])
    _run(PYTHON, "-m", "pytest", "-m", "browser", "tests/browser", *arguments)


def screenshots(arguments: list[str]) -> None:
    """Set up and photograph the pages into docs/images; needs Chromium and npm."""
    _need_chromium()
    setup([], "dev")
    web([])
    _run(PYTHON, WEB / "screenshots.py")


def engines(arguments: list[str]) -> None:
    """Install servers of search engines into .engines and run the tests that start them."""
    setup([], "dev")
    for name, requirements in ENGINES.items():
        place = ROOT / ".engines" / name
        stamp = place / ".installed"
        wanted = _fingerprint(requirements)
        if not stamp.exists() or stamp.read_text() != wanted:
            print(f"Installing {requirements.stem} …", flush=True)
            venv.create(place, with_pip=True, clear=True)
            pip = (place / BIN.relative_to(VENV) / "python", "-m", "pip", "--quiet")
            _run(*pip, "install", "--disable-pip-version-check", "--requirement", requirements)
            stamp.write_text(wanted)
    _run(PYTHON, "-m", "pytest", "-m", "engines", *arguments)


def _need_chromium() -> None:
    if not (shutil.which("chromium") or shutil.which("google-chrome")):
        sys.exit("Chromium is not installed. Debian and Ubuntu: apt install chromium.")


TASKS = {
    task.__name__: task
    for task in (setup, web, demo, test, check, slow, engines, browser, screenshots)
}


def _fingerprint(*paths: Path) -> str:
    return hashlib.sha256(b"".join(path.read_bytes() for path in paths)).hexdigest()


def _pip(*arguments: str) -> None:
    _run(PYTHON, "-m", "pip", "--disable-pip-version-check", "--quiet", *arguments)


def _scraper(*arguments: str) -> None:
    _run(BIN / "podcast-scraper", *arguments)


def _run(*command: str | Path) -> None:
    """Run a command in the project's root; end with its exit status where that is not 0."""
    try:
        status = subprocess.run([str(part) for part in command], cwd=ROOT, check=False).returncode
    except KeyboardInterrupt:
        status = 130
    if status:
        sys.exit(status)


def main() -> None:
    lines = [f"  {name:<13}{(task.__doc__ or '').strip()}" for name, task in TASKS.items()]
    parser = argparse.ArgumentParser(
        prog="tasks.py",
        description="Tasks of podcast-scraper:\n" + "\n".join(lines),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("task", choices=TASKS, metavar="task")
    task, rest = parser.parse_known_args()
    TASKS[task.task](rest)


if __name__ == "__main__":
    main()
