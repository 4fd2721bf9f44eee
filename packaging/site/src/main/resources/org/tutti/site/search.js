// Finds entries that have all the terms, or terms that begin with them. Entries with the terms in their title are
// first. SearchIndex describes the files of the index.
const tuttiSearch = { terms: {}, entries: {} };
const up = document.currentScript.dataset.up, CHUNK = 64, SHOWN = 20;
const box = document.getElementById("search"), found = document.getElementById("found");
const loads = new Map();

function load(name) {
  if (!loads.has(name)) loads.set(name, new Promise(resolve => {
    const script = document.createElement("script");
    script.src = up + "search/" + name + ".js";
    script.onload = script.onerror = resolve; // no term has this initial
    document.head.append(script);
  }));
  return loads.get(name);
}

const initial = term => /^[a-z]/.test(term) ? term[0] : "0";

// Returns a score of each entry with the term: in the title 2, as a whole word 1 more.
function scores(term) {
  const scores = new Map();
  for (const [whole, differences] of Object.entries(tuttiSearch.terms[initial(term)] ?? {})) {
    if (!whole.startsWith(term)) continue;
    let n = 0;
    for (const difference of differences) {
      n += difference;
      const score = (n & 1) * 2 + (whole === term);
      scores.set(n >> 1, Math.max(score, scores.get(n >> 1) ?? 0));
    }
  }
  return scores;
}

function hits(terms) {
  const each = terms.map(scores), hits = [];
  for (const [entry, score] of each[0]) {
    if (each.every(s => s.has(entry))) hits.push([entry, each.reduce((sum, s) => sum + s.get(entry), 0)]);
  }
  hits.sort((a, b) => b[1] - a[1] || a[0] - b[0]);
  return hits.slice(0, SHOWN).map(hit => hit[0]);
}

async function look() {
  const query = box.value, terms = query.toLowerCase().match(/[\p{L}\p{N}_]{2,}/gu) ?? [];
  found.hidden = terms.length === 0;
  if (found.hidden) return;
  await Promise.all(terms.map(term => load("terms-" + initial(term))));
  const numbers = hits(terms);
  await Promise.all(numbers.map(n => load("entries-" + Math.floor(n / CHUNK))));
  if (query !== box.value) return; // the results of a later query are shown
  found.replaceChildren(...numbers.map(n => {
    const [target, title, text] = tuttiSearch.entries[Math.floor(n / CHUNK)][n % CHUNK];
    const item = document.createElement("li"), link = document.createElement("a"), line = document.createElement("p");
    link.href = up + target;
    link.textContent = title;
    line.textContent = text;
    item.append(link, line);
    return item;
  }));
  if (numbers.length === 0) found.append(Object.assign(document.createElement("li"), { textContent: "No page has these words." }));
}

box.addEventListener("input", look);
document.addEventListener("keydown", e => {
  if (e.key === "/" && document.activeElement !== box) { e.preventDefault(); box.focus(); }
});
