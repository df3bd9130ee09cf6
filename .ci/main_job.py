"""The README's main job without a person: index the sample, one search through HTTP, stop."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import urllib.parse
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def main() -> None:
    command = [sys.executable, str(ROOT / "tasks.py"), "demo", "--port", "0"]
    server = subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, start_new_session=True, cwd=ROOT
    )
    try:
        assert server.stdout is not None
        url = next(
            match[0]
            for line in server.stdout
            if (match := re.search(r"http://127\.0\.0\.1:\d+", line))
        )
        query = urllib.parse.urlencode({"q": "bus lanes", "k": 3})
        with urllib.request.urlopen(f"{url}/api/search?{query}", timeout=60) as answer:
            hits = json.load(answer)["hits"]
        assert hits, "the sample search gave nothing"
        print(f"main job: {len(hits)} hits, first: {hits[0]['text'][:80]}")
    finally:
        os.killpg(server.pid, signal.SIGINT)
        try:
            server.wait(timeout=30)
        except subprocess.TimeoutExpired:
            server.send_signal(signal.SIGKILL)
            raise


if __name__ == "__main__":
    main()
