"use strict";
(() => {
  const tip = document.getElementById("tip");
  let marked = null;
  const hide = () => { tip.hidden = true; if (marked) marked.classList.remove("on"); marked = null; };
  const show = (mark, x, y) => {
    hide();
    marked = mark;
    mark.classList.add("on");
    tip.textContent = mark.dataset.tip;
    tip.hidden = false;
    const box = tip.getBoundingClientRect();
    tip.style.left = Math.max(4, Math.min(x + 12, innerWidth - box.width - 8)) + "px";
    tip.style.top = Math.max(4, y - box.height - 10) + "px";
  };
  document.addEventListener("pointermove", (event) => {
    const mark = event.target.closest("[data-tip]");
    if (mark) show(mark, event.clientX, event.clientY);
    else if (marked && !marked.closest(".chart").contains(document.activeElement)) hide();
  });
  for (const chart of document.querySelectorAll(".chart")) {
    const marks = [...chart.querySelectorAll("[data-tip]")];
    chart.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (event.key === "Escape") hide();
      if (!step || !marks.length) return;
      event.preventDefault();
      const at = (marks.indexOf(marked) + step + marks.length) % marks.length;
      const mark = marks[marked && marks.includes(marked) ? at : step > 0 ? 0 : marks.length - 1];
      const box = mark.getBoundingClientRect();
      show(mark, box.right, box.top);
    });
    chart.addEventListener("blur", hide);
    const get = document.createElement("button");
    get.className = "get";
    get.textContent = "Save as SVG";
    const figure = chart.parentElement;
    get.setAttribute("aria-label", "Save the chart " + figure.id + " as SVG");
    get.addEventListener("click", () => {
      const copy = chart.querySelector("svg").cloneNode(true);
      const style = document.createElementNS("http://www.w3.org/2000/svg", "style");
      style.textContent = document.querySelector("style").textContent;
      copy.prepend(style);
      const link = document.createElement("a");
      link.href = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(copy.outerHTML);
      link.download = figure.id + ".svg";
      link.click();
    });
    figure.querySelector("figcaption").append(get);
  }
  const open = () => {
    const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    for (let at = target; at; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true;
    if (target) target.scrollIntoView();
  };
  addEventListener("hashchange", open);
  open();
  addEventListener("beforeprint", () => document.querySelectorAll("details.section").forEach((part) => { part.open = true; }));
})();
