// Suggestions under the search box: a combobox with a listbox, after the ARIA authoring practices.
const wait = 120;
const names = { person: "person", org: "organisation", topic: "topic" };
const pages = { person: "people", org: "organisations", topic: "topics" };

export class Suggestions {
  constructor(box, list) {
    this.box = box;
    this.list = list;
    this.at = -1;
    for (const [name, value] of Object.entries({
      role: "combobox", "aria-autocomplete": "list", "aria-controls": list.id, "aria-expanded": "false",
    })) box.setAttribute(name, value);
    box.addEventListener("input", () => this.later());
    box.addEventListener("keydown", (event) => this.key(event));
    box.addEventListener("blur", () => setTimeout(() => this.close(), 150));
    list.addEventListener("mousedown", (event) => {
      event.preventDefault();
      const option = event.target.closest("[role=option]");
      if (option) this.take(option);
    });
  }

  later() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.ask(), wait);
  }

  async ask() {
    this.asking?.abort();
    this.asking = new AbortController();
    const text = this.box.value;
    if (text.trim().length < 2) { this.close(); return; }
    try {
      const answer = await fetch(`/api/suggest?q=${encodeURIComponent(text)}`, { signal: this.asking.signal });
      if (answer.ok && document.activeElement === this.box) this.show(await answer.json(), text);
    } catch { /* the next letter asks again */ }
  }

  show({ terms, entities }, typed) {
    const options = [
      ...entities.map((entity) => ({
        label: entity.name,
        note: `${entity.matched ? `“${entity.matched}”, ` : ""}${names[entity.type]} · ${entity.episodes} ep.`,
        href: `/${pages[entity.type]}/${encodeURIComponent(entity.id)}`,
      })),
      ...terms.filter((term) => term !== typed).map((term) => ({ label: term, note: "", text: term })),
    ];
    this.list.replaceChildren(...options.map((option, number) => {
      const item = document.createElement("li");
      item.id = `suggestion-${number}`;
      item.setAttribute("role", "option");
      item.setAttribute("aria-selected", "false");
      const label = document.createElement("span");
      label.textContent = option.label;
      const note = document.createElement("span");
      note.className = "meta";
      note.textContent = option.note;
      item.append(label, note);
      item.option = option;
      return item;
    }));
    this.at = -1;
    this.box.removeAttribute("aria-activedescendant");
    this.open(options.length > 0);
  }

  open(on) {
    this.list.hidden = !on;
    this.box.setAttribute("aria-expanded", String(on));
  }

  close() {
    clearTimeout(this.timer);
    this.asking?.abort();
    this.open(false);
    this.at = -1;
    this.box.removeAttribute("aria-activedescendant");
  }

  key(event) {
    const options = [...this.list.children];
    if (event.key === "Escape" && !this.list.hidden) { event.preventDefault(); this.close(); return; }
    if (event.key === "Enter") {
      const chosen = this.list.hidden ? null : options[this.at];
      if (chosen) { event.preventDefault(); this.take(chosen); } else this.close();
      return;
    }
    if (!["ArrowDown", "ArrowUp"].includes(event.key) || this.list.hidden || !options.length) return;
    event.preventDefault();
    const step = event.key === "ArrowDown" ? 1 : -1;
    this.at = (this.at + step + options.length + 1) % (options.length + 1);
    options.forEach((option, number) => option.setAttribute("aria-selected", String(number === this.at)));
    if (options[this.at]) this.box.setAttribute("aria-activedescendant", options[this.at].id);
    else this.box.removeAttribute("aria-activedescendant");
  }

  take(item) {
    const { href, text } = item.option;
    this.close();
    if (href) { location.assign(href); return; }
    this.box.value = text;
    this.box.form.requestSubmit();
  }
}
