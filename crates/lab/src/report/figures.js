// Figures answer: an entry of the legend shows or hides its curve, and the value nearest to the
// pointer, or chosen by the arrow keys, is written below. Without this script the pictures stand as
// they are, with their values in titles.
for (const svg of document.querySelectorAll("figure svg:has([data-key])")) {
  svg.setAttribute("role", "group");
  svg.setAttribute("tabindex", "0");
  const value = document.createElement("p");
  value.className = "value";
  value.setAttribute("aria-live", "polite");
  value.textContent = "Point at a value, or step with ← and →; the legend shows and hides curves.";
  svg.after(value);
  for (const key of svg.querySelectorAll("[data-key]")) {
    const curves = svg.querySelectorAll(`[data-curve="${key.dataset.key}"]`);
    const label = key.nextElementSibling;
    const toggle = () => {
      const shown = key.getAttribute("aria-pressed") !== "true";
      key.setAttribute("aria-pressed", shown);
      for (const one of [key, label]) one.classList.toggle("off", !shown);
      for (const curve of curves) curve.style.display = shown ? "" : "none";
    };
    key.setAttribute("role", "button");
    key.setAttribute("tabindex", "0");
    key.setAttribute("aria-label", label.textContent);
    key.setAttribute("aria-pressed", "true");
    for (const one of [key, label]) {
      one.classList.add("key");
      one.addEventListener("click", toggle);
    }
    key.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      toggle();
    });
  }
  const spots = [...svg.querySelectorAll("g:has(> title) > circle[fill-opacity='0']")]
    .map((spot) => ({ x: Number(spot.getAttribute("cx")), y: Number(spot.getAttribute("cy")), of: spot.parentElement }))
    .sort((one, other) => one.x - other.x || one.y - other.y);
  const seen = () => spots.filter(({ of }) => of.closest("[data-curve]")?.style.display !== "none");
  let near;
  const show = (spot) => {
    near?.of.classList.remove("pointed");
    near = spot;
    if (!spot) return;
    spot.of.classList.add("pointed");
    value.textContent = spot.of.querySelector("title").textContent;
  };
  svg.addEventListener("pointermove", (event) => {
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
    const far = ({ x, y }) => Math.hypot(x - at.x, y - at.y);
    show(seen().reduce((best, spot) => (!best || far(spot) < far(best) ? spot : best), undefined));
  });
  svg.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const all = seen();
    if (!step || all.length === 0) return;
    event.preventDefault();
    const next = near ? all.indexOf(near) + step : 0;
    show(all[Math.min(Math.max(next, 0), all.length - 1)]);
  });
}
