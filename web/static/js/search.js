// Results while one types: the same page's results, asked for as a fragment. Enter and links work
// without this script; it only saves the round trip of a whole page.
import { announce } from "./site.js";
import { Suggestions } from "./suggest.js";

const form = document.querySelector("[data-search]");
const box = form.querySelector("#q");
const region = document.querySelector("#results");
const wait = 200;
let timer = 0;
let asking = null;

function wide() {
  const fold = document.querySelector(".facets-fold");
  if (fold) fold.open = matchMedia("(min-width: 60rem)").matches;
}

function address() {
  const parameters = new URLSearchParams(new FormData(form));
  for (const [name, value] of [...parameters]) if (!value.trim()) parameters.delete(name);
  const text = parameters.toString();
  return `${form.action}${text ? `?${text}` : ""}`;
}

// The hidden fields carry the filters of the address, so that typing keeps them.
function keepFilters(url) {
  for (const field of form.querySelectorAll("input[type=hidden]")) field.remove();
  for (const [name, value] of new URL(url).searchParams) {
    if (name === "q" || name === "offset") continue;
    const field = document.createElement("input");
    Object.assign(field, { type: "hidden", name, value });
    form.append(field);
  }
}

async function load(url, remember) {
  asking?.abort();
  asking = new AbortController();
  try {
    const answer = await fetch(url, { headers: { "X-Fragment": "results" }, signal: asking.signal });
    const html = await answer.text();
    if (!answer.ok) { location.assign(url); return; }
    region.innerHTML = html;
    wide();
    if (remember) history[remember](null, "", url);
    const text = new URL(url).searchParams.get("q");
    document.title = document.title.replace(/^.*? · /, `${text || "Search"} · `);
    announce(region.querySelector("#status strong, .empty h1, .empty h2")?.textContent ?? "");
  } catch (error) {
    if (error.name !== "AbortError") location.assign(url);
  }
}

box.addEventListener("input", () => {
  clearTimeout(timer);
  asking?.abort();
  timer = setTimeout(() => load(address(), "replaceState"), wait);
});
form.addEventListener("submit", () => { clearTimeout(timer); asking?.abort(); });

region.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-results]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  const label = link.textContent.trim().replace(/\s+\d+$/, "");
  keepFilters(link.href);
  load(link.href, "pushState").then(() => {
    const same = [...region.querySelectorAll("a[data-results]")].find(
      (other) => other.textContent.trim().replace(/\s+\d+$/, "") === label);
    (same ?? region.querySelector("#status"))?.focus();
  });
});

addEventListener("popstate", () => {
  const url = location.href;
  box.value = new URL(url).searchParams.get("q") ?? "";
  keepFilters(url);
  load(url, null);
});

new Suggestions(box, document.querySelector("#suggest"));
wide();
