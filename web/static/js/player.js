// The sticky player of result pages: the episode's own audio, from the second that was found.
const panel = document.querySelector("#player");
const audio = document.querySelector("#audio");
const what = document.querySelector("#player-link");
let pressed = null;

function mark(button, on) {
  button?.setAttribute("aria-pressed", String(on));
}

export function toggle() {
  if (!audio?.src) return;
  if (audio.paused) audio.play(); else audio.pause();
}

export function play(button) {
  if (!audio) return;
  if (pressed === button) { toggle(); return; }
  mark(pressed, false);
  pressed = button;
  panel.hidden = false;
  what.textContent = button.dataset.what;
  what.href = button.href;
  const source = new URL(button.dataset.play, location.href);
  const start = Number(button.dataset.start);
  if (audio.dataset.source === source.href) {
    audio.currentTime = start;
  } else {
    audio.dataset.source = source.href;
    audio.src = `${source.href}#t=${start}`;
  }
  audio.play().catch(() => { /* the control shows that nothing plays */ });
}

audio?.addEventListener("play", () => mark(pressed, true));
audio?.addEventListener("pause", () => mark(pressed, false));
document.querySelector("#player-close")?.addEventListener("click", () => {
  audio.pause();
  panel.hidden = true;
  pressed?.focus();
  pressed = null;
});
