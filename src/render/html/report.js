/* SPDX-License-Identifier: Apache-2.0
   What a pointer can do on a page: values at the marks of charts, zoom, sorted tables, linked lines of code. The page says
   everything without it. Needs D3 5 or later (d3js.org), which stands before it. */
(function (d3) {
"use strict";
if (!d3 || !d3.zoom) return;

/* ---- values under the pointer ---- */
var tip = d3.select("body").append("div").attr("class", "tip").attr("role", "status").attr("hidden", "");

function tipText(mark) {
  var title = mark.querySelector ? mark.querySelector("title") : null;
  if (title) { /* the browser's own would come on top */
    mark.setAttribute("data-tip", title.textContent);
    mark.removeChild(title);
  }
  return mark.getAttribute && mark.getAttribute("data-tip");
}
function showTip(text, event) {
  tip.attr("hidden", null).text(text);
  var box = tip.node().getBoundingClientRect(), width = document.documentElement.clientWidth;
  tip.style("left", Math.max(4, Math.min(event.clientX + 12, width - box.width - 8)) + "px")
     .style("top", (event.clientY + 18 + box.height > window.innerHeight ? event.clientY - box.height - 10
                                                                         : event.clientY + 18) + "px");
}
document.addEventListener("pointermove", function (event) {
  var mark = event.target.closest ? event.target.closest("svg path, svg rect, svg circle, svg text") : null;
  var text = mark && tipText(mark);
  if (text) showTip(text, event); else tip.attr("hidden", "");
});

/* ---- zoom of plots ---- */
function scaleOf(text, begin, end) {
  var part = text.split(" "), domain = [+part[0], +part[1]];
  var scale = part[2] === "log" ? d3.scaleLog() : d3.scaleLinear();
  return { scale: scale.domain(domain).range([begin, end]), unit: part.slice(3).join(" ") };
}
function tickText(unit) {
  var si = d3.format(".3~s"), plain = d3.format(".4~g");
  return function (value) {
    if (unit === "%") return plain(100 * value) + " %";
    if (unit === "1") return Math.abs(value) >= 1e4 ? si(value).replace("µ", "u") : plain(value);
    return si(value).replace("µ", "u").replace(/([a-zA-Z]?)$/, " $1") + unit;
  };
}
function drawTicks(svg, name, axis, box) {
  var group = svg.select(".ticks." + name), across = name === "x";
  var ticks = axis.scale.ticks(across ? 7 : 5), text = tickText(axis.unit), last = -1e9;
  if (ticks.length > 12) ticks = ticks.filter(function (v, i) { return i % Math.ceil(ticks.length / 8) === 0; });
  group.selectAll("text").remove();
  ticks.forEach(function (value) {
    var at = axis.scale(value), words = text(value);
    if (across && at - words.length * 3.5 < last) return;
    if (across) last = at + words.length * 3.5 + 6;
    group.append("text").attr("x", across ? at : box[0] - 6).attr("y", across ? box[3] + 16 : at + 4)
         .attr("text-anchor", across ? "middle" : "end").text(words);
  });
  return ticks.map(axis.scale);
}
d3.selectAll("svg.chart-xy").each(function () {
  var svg = d3.select(this), plot = svg.select(".plot");
  if (plot.empty()) return;
  var box = plot.attr("data-box").split(" ").map(Number);
  var x = scaleOf(plot.attr("data-x"), box[0], box[2]), y = scaleOf(plot.attr("data-y"), box[3], box[1]);
  var grid = svg.select("path.grid");
  var before = { grid: grid.attr("d"), x: svg.select(".ticks.x").html(), y: svg.select(".ticks.y").html() };
  var figure = d3.select(this.closest("figure")), reset;
  function restore() {
    grid.attr("d", before.grid);
    svg.select(".ticks.x").html(before.x);
    svg.select(".ticks.y").html(before.y);
    plot.attr("transform", null).style("--z", null);
    reset.attr("hidden", "");
  }
  function zoomed(event) {
    var t = (d3.event || event).transform; /* D3 5, or later */
    if (t.k === 1 && t.x === 0 && t.y === 0) { restore(); return; }
    plot.attr("transform", t.toString()).style("--z", 1 / t.k);
    var columns = drawTicks(svg, "x", { scale: t.rescaleX(x.scale), unit: x.unit }, box);
    var rows = drawTicks(svg, "y", { scale: t.rescaleY(y.scale), unit: y.unit }, box);
    grid.attr("d", rows.map(function (v) { return "M" + box[0] + "," + v + "H" + box[2]; }).join("") +
                   columns.map(function (v) { return "M" + v + "," + box[1] + "V" + box[3]; }).join(""));
    reset.attr("hidden", null);
  }
  var zoom = d3.zoom().scaleExtent([1, 40]).extent([[box[0], box[1]], [box[2], box[3]]])
    .translateExtent([[box[0], box[1]], [box[2], box[3]]])
    .filter(function (event) { /* a page must scroll on */
      var e = d3.event || event;
      return e.type === "wheel" ? e.ctrlKey || e.metaKey : e.type === "touchstart" ? e.touches.length > 1 : !e.button;
    }).on("zoom", zoomed);
  var tools = figure.insert("p", ".scroll").attr("class", "tools");
  function button(words, label, act) {
    return tools.append("button").attr("type", "button").attr("aria-label", label).text(words).on("click", act);
  }
  button("+", "Zoom in", function () { zoom.scaleBy(svg, 1.6); });
  button("\u2212", "Zoom out", function () { zoom.scaleBy(svg, 1 / 1.6); });
  reset = button("Reset", "Show the whole chart", function () { svg.call(zoom.transform, d3.zoomIdentity); });
  reset.attr("hidden", "");
  svg.call(zoom).on("dblclick.zoom", null).style("touch-action", "pan-y");
});

/* ---- tables sorted by a column ---- */
function keyOf(row, column) {
  var cell = row.cells[column], data = cell && cell.querySelector("data");
  var text = data ? data.value : cell ? cell.textContent.replace(/,/g, "") : "";
  var number = parseFloat(text);
  return { number: number, text: cell ? cell.textContent : "" };
}
function sortBy(table, head, column) {
  var down = head.getAttribute("aria-sort") !== "descending";
  var body = table.tBodies[0], rows = Array.prototype.slice.call(body.rows);
  var numeric = head.classList.contains("n");
  if (!numeric) down = head.getAttribute("aria-sort") === "ascending";
  rows.map(function (row, i) { return { row: row, key: keyOf(row, column), i: i }; }).sort(function (a, b) {
    var order;
    if (numeric) {
      var none = isNaN(a.key.number) - isNaN(b.key.number);
      if (none) return none;
      order = a.key.number - b.key.number || 0;
    } else order = a.key.text < b.key.text ? -1 : a.key.text > b.key.text ? 1 : 0;
    return (down ? -order : order) || a.i - b.i;
  }).forEach(function (entry) { body.appendChild(entry.row); });
  Array.prototype.forEach.call(table.tHead.rows[0].cells, function (cell) { cell.removeAttribute("aria-sort"); });
  head.setAttribute("aria-sort", down ? "descending" : "ascending");
}
d3.selectAll("main table").each(function () {
  var table = this;
  if (!table.tHead || !table.tBodies[0] || table.tBodies[0].rows.length < 3) return;
  Array.prototype.forEach.call(table.tHead.rows[0].cells, function (head, column) {
    var words = head.textContent;
    d3.select(head).text(null).append("button").attr("type", "button").attr("class", "sort").text(words)
      .on("click", function () { sortBy(table, head, column); });
  });
});

/* ---- source, PTX and native code ---- */
d3.selectAll(".listing").each(function () {
  var listing = this, rows = listing.querySelectorAll("tbody tr");
  function number(row) { return row.id.slice(row.id.lastIndexOf("-") + 2); }
  function level(row) { return row.id.charAt(row.id.lastIndexOf("-") + 1); }
  function show(row) {
    var s = level(row) === "s" ? number(row) : row.getAttribute("data-s");
    var p = level(row) === "p" ? number(row) : row.getAttribute("data-p");
    Array.prototype.forEach.call(rows, function (other) {
      var at = level(other), same;
      if (at === level(row)) same = other === row;
      else if (at === "s") same = number(other) === s;
      else if (at === "p") same = level(row) === "n" && p !== null ? number(other) === p : other.getAttribute("data-s") === s;
      else same = level(row) === "p" ? other.getAttribute("data-p") === p : other.getAttribute("data-s") === s;
      other.classList.toggle("linked", !!same && s + "" + p !== "nullnull");
    });
  }
  function reveal(row) {
    show(row);
    Array.prototype.forEach.call(listing.querySelectorAll(".scroll"), function (pane) {
      var first = pane.querySelector("tr.linked");
      if (first && !pane.contains(row)) pane.scrollTop = first.offsetTop - pane.clientHeight / 3;
    });
  }
  listing.addEventListener("click", function (event) {
    var row = event.target.closest("tbody tr");
    if (row) reveal(row);
  });
});

/* ---- contents and print ---- */
var links = d3.selectAll("nav a").nodes();
if ("IntersectionObserver" in window && links.length) {
  var seen = {};
  var watch = new IntersectionObserver(function (entries) {
    entries.forEach(function (entry) { seen[entry.target.id] = entry.isIntersecting; });
    var here = null;
    links.forEach(function (link) { if (!here && seen[link.hash.slice(1)] && link.dataset.leaf) here = link; });
    links.forEach(function (link) { link.classList.toggle("here", link === here); });
  }, { rootMargin: "-10% 0px -60% 0px" });
  links.forEach(function (link) {
    var section = document.getElementById(decodeURIComponent(link.hash.slice(1)));
    if (!section) return;
    if (section.classList.contains("card")) link.dataset.leaf = "1";
    watch.observe(section);
  });
}
var opened = [];
window.addEventListener("beforeprint", function () {
  opened = d3.selectAll("details:not([open])").nodes();
  opened.forEach(function (details) { details.open = true; });
});
window.addEventListener("afterprint", function () {
  opened.forEach(function (details) { details.open = false; });
});
})(window.d3);
