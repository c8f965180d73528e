// What is pleasant and not needed: a button to copy a command, the day below a slider, the key / for a search.
"use strict";
for (const code of document.querySelectorAll("code.copy")) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copying";
  button.setAttribute("aria-label", "Copy " + code.textContent);
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(code.textContent);
    button.textContent = "\u2713";
  });
  code.after(" ", button);
}
for (const slider of document.querySelectorAll("input[data-days]")) {
  const told = slider.closest("label").querySelector("output");
  slider.addEventListener("input", () => { told.textContent = new Date(slider.value * 86400000).toISOString().slice(0, 10); });
  slider.addEventListener("change", () => slider.form.requestSubmit());
}
document.addEventListener("keydown", (event) => {
  const search = document.querySelector("nav a[href$='/search']");
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.target.closest("input, textarea, select") || !search) return;
  event.preventDefault();
  const field = document.querySelector("input[type=search]");
  if (field) field.focus(); else location.assign(search.href);
});
