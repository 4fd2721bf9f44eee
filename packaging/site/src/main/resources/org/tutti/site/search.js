// Looks for pages that have all the words; those with them in their title come first, decisions after guides.
const up = document.currentScript.dataset.up;
const box = document.getElementById("search"), found = document.getElementById("found");

function look() {
  const words = box.value.toLowerCase().split(/\s+/).filter(w => w.length > 1);
  found.replaceChildren();
  found.hidden = words.length === 0;
  if (found.hidden) return;
  const hits = [];
  for (const [target, title, text] of tuttiPages) {
    const lowTitle = title.toLowerCase(), lowText = text.toLowerCase();
    if (!words.every(w => lowTitle.includes(w) || lowText.includes(w))) continue;
    hits.push({ target, title, text, at: lowText.indexOf(words[0]), rank: words.filter(w => lowTitle.includes(w)).length });
  }
  const isReason = hit => hit.target.startsWith("docs/decisions/");
  hits.sort((a, b) => b.rank - a.rank || isReason(a) - isReason(b));
  for (const hit of hits.slice(0, 20)) {
    const item = document.createElement("li"), link = document.createElement("a"), line = document.createElement("p");
    link.href = up + hit.target;
    link.textContent = hit.title;
    line.textContent = hit.at < 0 ? "" : "… " + hit.text.slice(Math.max(0, hit.at - 30), hit.at + 90) + " …";
    item.append(link, line);
    found.append(item);
  }
  if (hits.length === 0) found.append(Object.assign(document.createElement("li"), { textContent: "nothing" }));
}

box.addEventListener("input", look);
document.addEventListener("keydown", e => {
  if (e.key === "/" && document.activeElement !== box) { e.preventDefault(); box.focus(); }
});
