// Search over search-index.js: entries of [title, address, text]. Works from file://, without a server.
(function () {
  "use strict";
  var box = document.getElementById("search"), list = document.getElementById("found"), chosen = -1;

  // How well an entry answers: every word must be in it; titles count more, whole titles most.
  function score(entry, words) {
    var title = entry[0].toLowerCase(), text = entry[2].toLowerCase(), sum = 0;
    for (var k = 0; k < words.length; ++k) {
      var at = title.indexOf(words[k]);
      if (title === words[k]) sum += 100;
      else if (at === 0) sum += 40;
      else if (at > 0) sum += title.charAt(at - 1) === "_" || title.charAt(at - 1) === " " ? 25 : 12;
      else if (text.indexOf(words[k]) >= 0) sum += 4;
      else return 0;
    }
    return sum - Math.min(entry[0].length, 60) / 100;
  }

  function show() {
    var words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
    list.textContent = "";
    chosen = -1;
    list.hidden = words.length === 0;
    if (list.hidden) return;
    var hits = [];
    nnpostIndex.forEach(function (entry) {
      var points = score(entry, words);
      if (points > 0) hits.push([points, entry]);
    });
    hits.sort(function (a, b) { return b[0] - a[0]; });
    hits.slice(0, 20).forEach(function (hit) {
      var item = document.createElement("li"), link = document.createElement("a");
      var note = document.createElement("small");
      link.href = hit[1][1];
      link.textContent = hit[1][0];
      note.textContent = hit[1][2].slice(0, 120);
      link.appendChild(note);
      link.addEventListener("click", function () { list.hidden = true; });
      item.appendChild(link);
      list.appendChild(item);
    });
    if (hits.length === 0) list.appendChild(document.createElement("li")).textContent = "Nothing found.";
  }

  function move(by) {
    var links = list.getElementsByTagName("a");
    if (links.length === 0) return;
    if (chosen >= 0) links[chosen].className = "";
    chosen = (chosen + by + links.length) % links.length;
    links[chosen].className = "chosen";
    links[chosen].scrollIntoView({ block: "nearest" });
  }

  box.addEventListener("input", show);
  box.addEventListener("focus", show);
  box.addEventListener("keydown", function (event) {
    var links = list.getElementsByTagName("a");
    if (event.key === "ArrowDown") { move(1); event.preventDefault(); }
    if (event.key === "ArrowUp") { move(-1); event.preventDefault(); }
    if (event.key === "Enter" && links.length > 0) links[Math.max(chosen, 0)].click();
    if (event.key === "Escape") { box.value = ""; show(); box.blur(); }
  });
  document.addEventListener("keydown", function (event) {
    if (event.key === "/" && document.activeElement !== box) { box.focus(); event.preventDefault(); }
  });
  document.addEventListener("click", function (event) {
    if (!event.target.closest(".search")) list.hidden = true;
  });
})();
