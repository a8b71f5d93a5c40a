// Elements. Text from the result model only ever becomes text nodes, so no name can be markup.

// h("p", {class: "x", onclick: f}, "text", node, [more]): attributes that are null or false are
// left out, children that are null are skipped.
function h(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value === true ? "" : value);
  }
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : String(child));
  }
  return element;
}

const emulatedStamp = () =>
  h("a", { class: "stamp stamp-small", href: "#method-emulated", title: "Not the product: a local store slowed by a profile" }, "Emulated");

// A text whose word EMULATED, as in "s3 (EMULATED) takes" or "EMULATED: s3 is", becomes the stamp.
function stamped(text) {
  const parts = String(text).split(/\(EMULATED\)|\bEMULATED\b[:.,;]?/);
  return parts.flatMap((part, i) => (i === 0 ? [part] : [emulatedStamp(), part]));
}

// A box that scrolls sideways by itself, reachable by keyboard.
function scrollBox(label, child, tall = false) {
  return h("div", { class: tall ? "scroll tall" : "scroll", role: "region", "aria-label": label, tabindex: "0" }, child);
}

function section(id, title, lead, ...children) {
  return h("section", { id, class: "section", "aria-labelledby": `${id}-title` },
    h("h2", { id: `${id}-title` }, title),
    lead ? h("p", { class: "lead" }, lead) : null,
    children);
}

function details(summary, ...children) {
  return h("details", { class: "more" }, h("summary", null, summary), children);
}

function select(label, options, value, onchange) {
  const control = h("select", { onchange: () => onchange(control.value) },
    options.map(([key, text]) => h("option", { value: key, selected: key === value }, text)));
  return h("label", { class: "control" }, h("span", null, label), control);
}

// A button that stays pressed.
function toggle(label, pressed, onchange) {
  const button = h("button", { type: "button", class: "toggle", "aria-pressed": String(pressed) }, label);
  button.addEventListener("click", () => {
    const now = button.getAttribute("aria-pressed") !== "true";
    button.setAttribute("aria-pressed", String(now));
    onchange(now);
  });
  return button;
}

function copyButton(text) {
  const button = h("button", { type: "button", class: "copy" }, "Copy");
  const say = (word) => {
    button.textContent = word;
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  };
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text);
      say("Copied");
    } catch {
      // No clipboard from this page: leave the text selected for the reader's own copy key.
      const range = document.createRange();
      range.selectNodeContents(button.previousElementSibling);
      getSelection().removeAllRanges();
      getSelection().addRange(range);
      say("Selected");
    }
  });
  return button;
}

const command = (text) => h("div", { class: "command" }, h("pre", { tabindex: "0" }, h("code", null, text)), copyButton(text));

// A JSON value as nested definition lists. Sizes in bytes are told as sizes.
function tree(value, name = "") {
  if (Array.isArray(value)) {
    return value.some((v) => v !== null && typeof v === "object")
      ? h("ul", { class: "tree" }, value.map((v) => h("li", null, tree(v))))
      : value.map(String).join(", ") || NONE;
  }
  if (value !== null && typeof value === "object") {
    const entries = Object.entries(value);
    return entries.length === 0 ? NONE
      : h("dl", { class: "tree" }, entries.map(([key, v]) => [h("dt", null, key.replace(/_/g, " ")), h("dd", null, tree(v, key))]));
  }
  if (isNumber(value) && /_bytes$/.test(name)) return bytes(value);
  return value === null || value === "" ? NONE : String(value);
}
