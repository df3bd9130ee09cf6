"""Synthesise the one episode that has audio: ``python -m data.sample_source.make_audio``.

Needs Debian's ``espeak-ng`` and ``ffmpeg``; nobody else does, since the recording is committed.
Each segment is spoken on its own, so that the times written beside the script are those of the
recording. Run the build afterwards.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
import wave
from pathlib import Path

from data.sample_source.build import DATA, SOURCE
from data.sample_source.script import Script, read_script
from data.sample_source.timing import pieces_of

SCRIPT = SOURCE / "episodes/tidewrack/2025-09-04-two-minutes-at-high-water.md"
VOICES = {
    "Marguerite Okafor": ("en-gb-x-rp+f3", "158"),
    "Hanne Sorley": ("en-gb+f2", "165"),
    "Magnus Sorley": ("en-gb-scotland+m3", "150"),
}
_SILENCE_THRESHOLD = 200  # of 32768: espeak pads each utterance with near silence
_SENTENCE_PAUSE_MS = 220
_TURN_PAUSE_MS = 520


def main() -> None:
    """Write the recording under ``data/sample`` and the segment times beside the script."""
    script = read_script(SCRIPT)
    target = DATA / "sample" / "feeds" / script.meta["show"] / script.meta["audio"]
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        recording = Path(scratch) / "episode.wav"
        times = record(script, recording, Path(scratch))
        encode = ["-ac", "1", "-b:a", "32k", "-map_metadata", "-1", "-fflags", "+bitexact"]
        command = ["ffmpeg", "-y", "-loglevel", "error", "-i", str(recording), *encode, str(target)]
        subprocess.run(command, check=True)
    SCRIPT.with_suffix(".times.json").write_text(json.dumps(times) + "\n")
    print(f"{target}: {times[-1][1] / 1000:.1f} s, {target.stat().st_size // 1000} kB")


def record(script: Script, recording: Path, scratch: Path) -> list[tuple[int, int]]:
    """Speak all segments into one WAV file; return their start and end in milliseconds."""
    times = []
    with wave.open(str(recording), "wb") as out:
        written, previous = 0, 0
        for piece in pieces_of(script.turns):
            turn = script.turns[piece.turn]
            rate, frames = _speak(turn.text[piece.start : piece.end], turn.label, scratch)
            if not written:
                out.setparams((1, 2, rate, 0, "NONE", "not compressed"))
            pause_ms = _TURN_PAUSE_MS if piece.turn != previous else _SENTENCE_PAUSE_MS
            silence = b"\0\0" * (rate * pause_ms // 1000)
            out.writeframes(silence + frames)
            start = written + len(silence) // 2
            written = start + len(frames) // 2
            times.append((start * 1000 // rate, written * 1000 // rate))
            previous = piece.turn
    return times


def _speak(text: str, speaker: str, scratch: Path) -> tuple[int, bytes]:
    """Return the sample rate and the 16-bit frames of a text, silence trimmed at both ends."""
    voice, words_per_minute = VOICES[speaker]
    wav = scratch / "segment.wav"
    command = ["espeak-ng", "-v", voice, "-s", words_per_minute, "-w", str(wav), text]
    subprocess.run(command, check=True)
    with wave.open(str(wav), "rb") as spoken:
        rate, frames = spoken.getframerate(), spoken.readframes(spoken.getnframes())
    samples = memoryview(frames).cast("h")
    loud = [n for n, sample in enumerate(samples) if abs(sample) > _SILENCE_THRESHOLD]
    return rate, frames[2 * loud[0] : 2 * loud[-1] + 2]


if __name__ == "__main__":
    main()
