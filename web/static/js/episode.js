// The transcript follows the sound; a click on a time plays from there.
const audio = document.querySelector("#audio");
const lines = [...document.querySelectorAll(".line[data-start]")];
const starts = lines.map((line) => Number(line.dataset.start));
const follow = document.querySelector("#follow");
const offset = Number(document.querySelector("[data-offset]")?.dataset.offset ?? 0);
let now = null;
let touched = 0;

function lineAt(seconds) {
  let low = 0;
  let high = starts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (starts[middle] <= seconds) low = middle + 1; else high = middle;
  }
  return lines[low - 1] ?? null;
}

function seek(seconds) {
  audio.currentTime = Math.max(0, seconds + offset);
  audio.play().catch(() => { /* the control shows that nothing plays */ });
}

if (audio && lines.length) {
  document.querySelector(".follow").hidden = false;
  audio.addEventListener("timeupdate", () => {
    const line = lineAt(audio.currentTime - offset + 0.05);
    if (line === now) return;
    now?.classList.remove("spoken-now");
    now?.removeAttribute("aria-current");
    now = line;
    if (!line) return;
    line.classList.add("spoken-now");
    line.setAttribute("aria-current", "true");
    // Whoever scrolls away is reading elsewhere: do not pull the page back at once.
    if (follow.checked && !audio.paused && Date.now() - touched > 4000) {
      line.scrollIntoView({ block: "center" });
    }
  });
  for (const kind of ["wheel", "touchmove", "keydown"]) {
    addEventListener(kind, () => { touched = Date.now(); }, { passive: true });
  }
  document.addEventListener("click", (event) => {
    const time = event.target.closest("[data-seek]");
    if (!time || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    touched = 0;
    history.replaceState(null, "", time.href);
    seek(Number(time.dataset.seek));
  });
}
