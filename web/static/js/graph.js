// The drawing of the graph page. Cytoscape is loaded here alone.
import cytoscape from "../vendor/cytoscape.esm.min.mjs";

const place = document.querySelector("#graph");
const about = document.querySelector("#graph-about");
const token = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const colours = {
  person: "--voice-0", org: "--voice-1", topic: "--voice-2", insight: "--edge", episode: "--voice-5", podcast: "--voice-3",
};
const shapes = { person: "ellipse", org: "rectangle", topic: "diamond", insight: "ellipse", episode: "round-rectangle", podcast: "hexagon" };
const short = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

function style() {
  const font = getComputedStyle(document.body).fontFamily;
  return [
    { selector: "node", style: {
      label: "data(short)", "font-size": 17, "font-family": font, color: token("--ink"), "text-wrap": "wrap", "text-max-width": 160,
      "text-valign": "bottom", "text-margin-y": 4, "text-background-color": token("--paper"), "text-background-opacity": .8,
      width: 18, height: 18, "background-color": (node) => token(colours[node.data("type")]), shape: (node) => shapes[node.data("type")],
    } },
    { selector: "node[type = 'insight']", style: { width: 9, height: 9, label: "" } },
    { selector: "node[hop = 0]", style: { width: 34, height: 34, "font-size": 22, "font-weight": 700 } },
    { selector: "edge", style: { width: 1, "line-color": token("--line"), "curve-style": "haystack" } },
    { selector: "edge.near", style: { "line-color": token("--accent"), width: 2 } },
    { selector: "node.far", style: { opacity: .25 } },
    { selector: "node.read", style: { label: "data(label)", "z-index": 9, "text-max-width": 320, color: token("--ink"), "font-size": 17 } },
  ];
}

// Cytoscape would add a style element of its own, which the page's policy forbids; our style sheet
// has its one rule, and an element of this name keeps it from trying.
document.head.append(Object.assign(document.createElement("meta"), { id: "__________cytoscape_stylesheet" }));

const answer = await fetch(place.dataset.url);
if (answer.ok) {
  const { nodes, edges } = await answer.json();
  place.hidden = false;
  document.querySelector("#graph-hint").hidden = false;
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const graph = cytoscape({
    container: place,
    elements: [
      ...nodes.map((node) => ({ data: { ...node, short: short(node.label, node.type === "insight" ? 28 : 40) } })),
      ...edges.map((edge, number) => ({ data: { id: `e${number}`, ...edge } })),
    ],
    style: style(),
    layout: {
      name: "cose", animate: false, randomize: false, padding: 30, numIter: 2000, nodeDimensionsIncludeLabels: true,
      nodeRepulsion: (node) => (node.data("type") === "insight" ? 20000 : 400000), idealEdgeLength: () => 70, gravity: .3,
    },
    userZoomingEnabled: false,
  });
  // The wheel scrolls the page; with Ctrl it zooms.
  place.addEventListener("wheel", (event) => graph.userZoomingEnabled(event.ctrlKey), { capture: true, passive: true });
  place.addEventListener("touchstart", (event) => graph.userZoomingEnabled(event.touches.length > 1), { capture: true, passive: true });
  graph.on("tap", "node", (event) => {
    const node = event.target;
    const near = node.closedNeighborhood();
    graph.elements().removeClass("near far read");
    graph.nodes().difference(near).addClass("far");
    node.connectedEdges().addClass("near");
    node.addClass("read");
    about.textContent = `${node.data("label")}: ${near.nodes().length - 1} neighbours here.`;
  });
  graph.on("dbltap", "node", (event) => location.assign(`/graph?id=${encodeURIComponent(event.target.id())}`));
  graph.on("tap", (event) => { if (event.target === graph) graph.elements().removeClass("near far read"); });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => graph.style(style()));
  place.dataset.ready = still ? "still" : "true";
}
