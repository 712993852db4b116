"use strict";
(function () {
  function get(name) { return document.getElementById(name); }
  var found = JSON.parse(get("found").textContent);
  var names = found.nodes.map(function (node) { return node.name; });
  var body = document.querySelector("#table tbody");
  var rows = Array.prototype.slice.call(body.rows);
  var rowOf = {};
  rows.forEach(function (row) { rowOf[row.dataset.edge] = row; });
  var filter = get("filter"), verdict = get("verdict"), level = get("level"), net = get("net");
  var chosen = null, graph = null, soon = 0;

  // ---- which edges are shown at the slider, and which the filter asks for

  function within(edge) {
    return level === null || edge.q === undefined ? edge.kept : edge.q <= Number(level.value);
  }

  function asked(edge) {
    var text = (names[edge.cause] + " " + names[edge.effect]).toLowerCase();
    return filter.value.toLowerCase().split(/\s+/).every(function (word) { return text.indexOf(word) >= 0; });
  }

  function listed(edge) {
    if (!asked(edge)) { return false; }
    if (verdict.value === "slider") { return within(edge); }
    return verdict.value === "" || (verdict.value === "kept") === edge.kept;
  }

  function show() {
    var shown = rows.filter(function (row) {
      row.hidden = !listed(found.edges[row.dataset.edge]);
      return !row.hidden;
    });
    get("count").textContent = shown.length + " of " + rows.length + " edges";
    var stop = rows.filter(function (row) { return row.tabIndex === 0 && !row.hidden; })[0] || shown[0];
    rows.forEach(function (row) { row.tabIndex = row === stop ? 0 : -1; });
    paint();
  }

  // ---- the table: sorting, and one stop of the keyboard that arrow keys move

  function key(row, column) {
    var cell = row.cells[column];
    return cell.dataset.value === undefined ? cell.textContent.toLowerCase() : Number(cell.dataset.value);
  }

  function compare(a, b) {
    if (typeof a === "number" && (isNaN(a) || isNaN(b))) { return isNaN(a) - isNaN(b); }
    return a < b ? -1 : a > b ? 1 : 0;
  }

  document.querySelectorAll("#table th").forEach(function (head, column) {
    head.firstElementChild.addEventListener("click", function () {
      var down = head.getAttribute("aria-sort") === "ascending";
      document.querySelectorAll("#table th").forEach(function (one) { one.removeAttribute("aria-sort"); });
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      rows.sort(function (a, b) { return (down ? -1 : 1) * compare(key(a, column), key(b, column)); });
      rows.forEach(function (row) { body.appendChild(row); });
    });
  });

  body.addEventListener("click", function (event) {
    var row = event.target.closest("tr");
    if (row) { choose(Number(row.dataset.edge)); }
  });
  body.addEventListener("keydown", function (event) {
    var shown = rows.filter(function (row) { return !row.hidden; });
    var place = shown.indexOf(event.target.closest("tr"));
    var to = {ArrowDown: place + 1, ArrowUp: place - 1, Home: 0, End: shown.length - 1}[event.key];
    if (event.key === "Enter" || event.key === " ") { choose(Number(shown[place].dataset.edge)); event.preventDefault(); }
    if (to === undefined || !shown[to]) { return; }
    shown[place].tabIndex = -1;
    shown[to].tabIndex = 0;
    shown[to].focus();
    event.preventDefault();
  });

  // ---- what is told of the chosen edge

  function words(edge) {
    return names[edge.cause] + (edge.open ? " -- " : " -> ") + names[edge.effect] + " at lag " + edge.lag;
  }

  function choose(place) {
    chosen = place;
    rows.forEach(function (row) { row.classList.toggle("chosen", Number(row.dataset.edge) === place); });
    get("why").hidden = place === null;
    if (place !== null) { tell(found.edges[place], rowOf[place]); }
    paint();
  }

  function tell(edge, row) {
    get("sentence").textContent = edge.why || words(edge) + ": " + (edge.kept ? "kept." : "pruned.");
    get("numbers").textContent = "";
    document.querySelectorAll("#table th").forEach(function (head, column) {
      if (column < 2) { return; }
      var item = get("numbers").appendChild(document.createElement("div"));
      item.appendChild(document.createElement("dt")).textContent = head.textContent;
      item.appendChild(document.createElement("dd")).textContent = row.cells[column].textContent;
    });
    get("answer").textContent = "";
    if (edge.curve) { draw(edge); }
  }

  function svg(kind, marks, parent, text) {
    var made = document.createElementNS("http:" + "//www.w3.org/2000/svg", kind);
    Object.keys(marks).forEach(function (name) { made.setAttribute(name, marks[name]); });
    if (text !== undefined) { made.textContent = text; }
    return parent.appendChild(made);
  }

  function draw(edge) {
    var curve = edge.curve, low = curve.low || curve.y, high = curve.high || curve.y;
    var left = curve.x[0], right = curve.x[curve.x.length - 1];
    var bottom = Math.min.apply(null, low), top = Math.max.apply(null, high);
    function at(x, y) {
      return (40 + 220 * (x - left) / (right - left || 1)).toFixed(1) + "," + (12 + 116 * (top - y) / (top - bottom || 1)).toFixed(1);
    }
    function line(values) { return values.map(function (y, place) { return at(curve.x[place], y); }); }
    var box = svg("svg", {viewBox: "0 0 272 176", role: "img",
      "aria-label": names[edge.effect] + " answers to " + names[edge.cause]}, get("answer"));
    if (curve.low) { svg("polygon", {points: line(low).concat(line(high).reverse()).join(" "), fill: "#0072B2", opacity: 0.18}, box); }
    (curve.ticks || []).forEach(function (x) {
      if (x >= left && x <= right) { svg("line", {x1: at(x, 0).split(",")[0], x2: at(x, 0).split(",")[0], y1: 131, y2: 137, stroke: "#5b6270", "stroke-width": 0.8}, box); }
    });
    if (bottom < 0 && top > 0) { svg("polyline", {points: at(left, 0) + " " + at(right, 0), stroke: "#8a8f98", fill: "none"}, box); }
    svg("polyline", {points: line(curve.y).join(" "), fill: "none", stroke: "#0072B2", "stroke-width": 2}, box);
    svg("text", {x: 36, y: 16, "text-anchor": "end"}, box, top.toPrecision(2));
    svg("text", {x: 36, y: 128, "text-anchor": "end"}, box, bottom.toPrecision(2));
    svg("text", {x: 40, y: 150}, box, left.toPrecision(2));
    svg("text", {x: 260, y: 150, "text-anchor": "end"}, box, right.toPrecision(2));
    svg("text", {x: 150, y: 168, "text-anchor": "middle"}, box, short(names[edge.cause], 40));
  }

  function short(name, most) {
    return name.length <= most ? name : name.slice(0, most / 2 - 1) + "\u2026" + name.slice(1 - most / 2);
  }

  // ---- the graph

  var many = found.nodes.length > 15;

  function elements() {
    var size = many ? 60 * Math.sqrt(found.nodes.length) : 210;
    var made = found.nodes.map(function (node, place) {
      var beside = !many && Math.abs(node.y) < 0.8;
      return {data: {id: "n" + place, label: node.label, name: node.name,
        across: !beside ? "center" : node.x > 0 ? "right" : "left", up: beside ? "center" : node.y < 0 && !many ? "top" : "bottom"},
        position: {x: 1.5 * size * node.x, y: size * node.y}};
    });
    found.edges.forEach(function (edge, place) {
      var possible = edge.kept || (level !== null && edge.q <= Number(level.max));
      if (!possible || edge.cause === edge.effect) { return; }
      made.push({data: {id: "e" + place, place: place, source: "n" + edge.cause, target: "n" + edge.effect, lag: edge.lag,
        colour: edge.colour || "#8a8f98", width: edge.width || 1.2, line: edge.kept ? "solid" : "dashed",
        head: edge.open ? "none" : "triangle"}});
    });
    return made;
  }

  function look() {
    return [
      {selector: "node", style: {"background-color": "#20242c", width: 10, height: 10, label: "data(label)", color: "#20242c",
        "font-size": 12, "text-wrap": "wrap", "text-max-width": "130px", "text-valign": "data(up)", "text-halign": "data(across)",
        "text-margin-y": many ? 2 : 0, "text-outline-color": "#fff", "text-outline-width": 2}},
      {selector: "node.quiet", style: {label: ""}},
      {selector: "edge", style: {width: "data(width)", "line-color": "data(colour)", "line-style": "data(line)",
        "target-arrow-color": "data(colour)", "target-arrow-shape": "data(head)", "arrow-scale": 1.1, "curve-style": "bezier",
        "control-point-step-size": 26, "font-size": 10, color: "#20242c", "text-background-color": "#fff",
        "text-background-opacity": 0.85, "text-background-padding": "1px"}},
      {selector: "edge.lags", style: {label: "data(lag)"}},
      {selector: ".away", style: {display: "none"}},
      {selector: ".faded", style: {opacity: 0.12}},
      {selector: ".chosen", style: {opacity: 1, "line-color": "#d10a7a", "target-arrow-color": "#d10a7a", width: 4, label: "data(lag)", "z-index": 9}},
      {selector: "node.centre", style: {"background-color": "#d10a7a", width: 15, height: 15}}
    ];
  }

  function paint() {
    if (graph === null) { return; }
    var centre = graph.nodes(".centre"), some = filter.value.trim() !== "" || centre.nonempty();
    graph.batch(function () {
      graph.edges().forEach(function (one) {
        var edge = found.edges[one.data("place")];
        var near = centre.empty() || one.connectedNodes().anySame(centre);
        one.toggleClass("away", !within(edge)).toggleClass("faded", some && !(asked(edge) && near));
        one.toggleClass("chosen", one.data("place") === chosen).toggleClass("lags", get("lags").checked);
      });
      graph.nodes().forEach(function (one) {
        var edges = one.connectedEdges().filter(function (edge) { return !edge.hasClass("faded") && !edge.hasClass("away"); });
        one.toggleClass("faded", some && edges.empty() && !one.hasClass("centre"));
      });
    });
    if (level !== null) {
      var share = Number(level.value), count = found.edges.filter(within).length;
      get("at").textContent = Math.round(100 * share) + " %: " + count + " edges";
      level.setAttribute("aria-valuetext", get("at").textContent);
    }
  }

  // Names keep their size whatever the zoom, and those of less connected variables give way where names would overlap.
  function letter() {
    var size = 12 / graph.zoom(), taken = [];
    graph.style().selector("node").style({"font-size": size, "text-outline-width": 2 / graph.zoom(),
      "text-max-width": 150 / graph.zoom() + "px", width: 10 / Math.sqrt(graph.zoom()), height: 10 / Math.sqrt(graph.zoom())});
    graph.style().selector("edge").style({"font-size": 11 / graph.zoom()}).update();
    graph.nodes().removeClass("quiet");
    if (!many) { return; }
    graph.nodes().sort(function (a, b) {
      return b.hasClass("centre") - a.hasClass("centre") || a.hasClass("faded") - b.hasClass("faded") || b.degree() - a.degree();
    }).forEach(function (node) {
      var box = node.boundingBox({includeNodes: false, includeEdges: false, includeLabels: true, includeOverlays: false});
      var free = taken.every(function (one) { return box.x1 > one.x2 || box.x2 < one.x1 || box.y1 > one.y2 || box.y2 < one.y1; });
      if (free) { taken.push(box); } else { node.addClass("quiet"); }
    });
  }

  function centreOn(node) {
    graph.nodes().removeClass("centre");
    if (node) { node.addClass("centre"); }
    filter.value = node ? node.data("name") : "";
    show();
    letter();
  }

  function zoomed(by) {
    graph.zoom({level: by * graph.zoom(), renderedPosition: {x: graph.width() / 2, y: graph.height() / 2}});
  }

  function walk(by) {
    var shown = graph.edges().filter(function (one) { return !one.hasClass("away") && !one.hasClass("faded"); });
    var places = shown.map(function (one) { return one.data("place"); });
    if (places.length) { choose(places[(places.indexOf(chosen) + by + places.length + (chosen === null && by < 0 ? 1 : 0)) % places.length]); }
  }

  function start() {
    graph = cytoscape({container: net, elements: elements(), layout: {name: "preset", fit: true, padding: 40},
      style: look(), minZoom: 0.2, maxZoom: 6, userZoomingEnabled: false, boxSelectionEnabled: false,
      autounselectify: true});
    graph.on("tap", "edge", function (event) { choose(event.target.data("place")); });
    graph.on("tap", "node", function (event) { centreOn(event.target.hasClass("centre") ? null : event.target); });
    graph.on("tap", function (event) { if (event.target === graph) { choose(null); centreOn(null); } });
    graph.on("mouseover", "edge", function (event) { net.title = words(found.edges[event.target.data("place")]); });
    graph.on("mouseover", "node", function (event) { net.title = event.target.data("name"); });
    graph.on("mouseout", function () { net.title = ""; });
    net.addEventListener("pointerdown", function () { graph.userZoomingEnabled(true); });  // until then the wheel scrolls the page
    net.addEventListener("pointerleave", function () { graph.userZoomingEnabled(false); });
    net.addEventListener("keydown", function (event) {
      var by = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1}[event.key];
      if (by) { walk(by); event.preventDefault(); }
      if (event.key === "Escape") { choose(null); centreOn(null); }
      if (event.key === "+" || event.key === "-") { zoomed(event.key === "+" ? 1.25 : 0.8); }
    });
    get("closer").addEventListener("click", function () { zoomed(1.25); });
    get("farther").addEventListener("click", function () { zoomed(0.8); });
    get("fit").addEventListener("click", function () { graph.fit(undefined, 40); });
    get("lags").checked = graph.edges().length <= 150;
    get("lags").addEventListener("change", paint);
    window.addEventListener("beforeprint", function () { get("printed").src = graph.png({full: true, scale: 2, maxWidth: 3000}); });
    graph.on("zoom", function () { window.clearTimeout(soon); soon = window.setTimeout(letter, 80); });
    letter();
    net.graph = graph;
  }

  start();
  if (level !== null) { level.addEventListener("input", show); }
  filter.addEventListener("input", function () { graph.nodes().removeClass("centre"); show(); });
  verdict.addEventListener("change", show);
  get("close").addEventListener("click", function () { choose(null); });
  document.addEventListener("keydown", function (event) { if (event.key === "Escape") { choose(null); } });
  show();
}());
