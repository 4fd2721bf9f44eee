// Colors code, and adds a copy button to each block of code.
if (window.hljs) for (const code of document.querySelectorAll("code[class^=language-]")) {
  const language = code.className.slice("language-".length);
  if (hljs.getLanguage(language)) {
    code.innerHTML = hljs.highlight(code.textContent, { language }).value;
  }
}

for (const pre of document.querySelectorAll("main pre")) {
  const code = pre.querySelector("code"), frame = document.createElement("div"), button = document.createElement("button");
  frame.className = "code";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    const text = code.cloneNode(true);
    for (const part of text.querySelectorAll(".prompt, .output")) part.remove();
    try {
      await navigator.clipboard.writeText(text.textContent.trimEnd() + "\n");
      button.textContent = "Copied";
    } catch {
      // without HTTPS a browser may refuse access to the clipboard; the user then copies the selection
      getSelection().selectAllChildren(code);
      button.textContent = "Selected";
    }
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  });
  pre.replaceWith(frame);
  frame.append(pre, button);
}

// Blocks that scroll can be reached with the keyboard.
for (const block of document.querySelectorAll("main pre, main table")) {
  if (block.scrollWidth > block.clientWidth) block.tabIndex = 0;
}
