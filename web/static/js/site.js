// On every page: single-key shortcuts (which can be switched off), copying links, the player.
import { play, toggle } from "./player.js";

const dialog = document.querySelector("#keys");
const keysOn = document.querySelector("#keys-on");
const setting = "single-key-shortcuts";

export function announce(text) {
  document.querySelector("#announce").textContent = text;
}

function stored() {
  try { return localStorage.getItem(setting) !== "off"; } catch { return true; }
}

keysOn.checked = stored();
keysOn.addEventListener("change", () => {
  try { localStorage.setItem(setting, keysOn.checked ? "on" : "off"); } catch { /* private window */ }
});
for (const button of document.querySelectorAll("[data-keys]")) {
  button.hidden = false;
  button.addEventListener("click", () => dialog.showModal());
}

let current = null;

function move(step) {
  const items = [...document.querySelectorAll(".card, .line")];
  if (!items.length) return;
  const at = items.indexOf(current?.isConnected ? current : document.activeElement?.closest(".card, .line"));
  const next = items[Math.min(Math.max(at + step, 0), items.length - 1)];
  current?.classList.remove("current");
  current = next;
  next.classList.add("current");
  (next.querySelector(".play, .time, a") ?? next).focus();
  next.scrollIntoView({ block: "nearest" });
}

const here = () => (document.activeElement?.closest(".card, .line")) ?? current;

const keys = {
  "/": () => { const box = document.querySelector("#q"); box.focus(); box.select(); },
  j: () => move(1),
  k: () => move(-1),
  p: () => { const start = here()?.querySelector("[data-play], [data-seek]"); if (start) start.click(); else toggle(); },
  e: () => { const fold = here()?.querySelector(".explain"); if (fold) { fold.open = !fold.open; fold.querySelector("summary").focus(); } },
  f: () => document.querySelector("#find")?.focus(),
  "?": () => dialog.showModal(),
};

document.addEventListener("keydown", (event) => {
  const typing = event.target.closest("input:not([type=checkbox]), textarea, select, [contenteditable]");
  if (typing || event.ctrlKey || event.metaKey || event.altKey || dialog.open || !keysOn.checked) return;
  const action = keys[event.key];
  if (action) { event.preventDefault(); action(); }
});

document.addEventListener("click", async (event) => {
  const start = event.target.closest("[data-play]");
  if (start && !event.ctrlKey && !event.metaKey) {
    event.preventDefault();
    play(start);
    return;
  }
  const link = event.target.closest("[data-copy]");
  if (link && navigator.clipboard && !event.ctrlKey && !event.metaKey) {
    event.preventDefault();
    const label = link.firstChild;
    const before = label.nodeValue;
    await navigator.clipboard.writeText(link.href);
    label.nodeValue = "Copied";
    announce("The link is copied");
    setTimeout(() => { label.nodeValue = before; }, 1600);
  }
});
