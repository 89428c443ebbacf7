#!/usr/bin/env python3
"""browser_test.py HTML SCREENS: looks at the manual in headless Chromium, from file://.

Every page is loaded 390 and 1280 pixels wide: no script error, nothing that needs sideways scrolling,
and a search that finds things. Pictures of some pages go to the folder SCREENS.
"""
import html
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

WIDTHS = (390, 1280)
SHOWN = ("index", "choosing", "languages", "api-chains", "fortran")

DRIVER = """<!DOCTYPE html><meta charset="utf-8"><body><pre id="report"></pre><script>
var pages = %s, widths = %s, lines = [], jobs = [];
pages.forEach(function (page) { widths.forEach(function (width) { jobs.push([page, width]); }); });
function next() {
  var job = jobs.shift();
  if (!job) { document.getElementById("report").textContent = lines.join("\\n") + "\\nend"; return; }
  var frame = document.createElement("iframe");
  frame.style.width = job[1] + "px"; frame.style.height = "900px"; frame.style.border = "0";
  frame.onload = function () {
    var inside = frame.contentWindow, root = inside.document.documentElement, name = job[0] + " at " + job[1];
    if (inside.nnpostErrors.length) lines.push(name + ": " + inside.nnpostErrors.join("; "));
    if (root.scrollWidth > root.clientWidth) lines.push(name + ": " + root.scrollWidth + " pixels wide");
    var box = inside.document.getElementById("search");
    box.value = "chain_run";
    box.dispatchEvent(new inside.Event("input"));
    var first = inside.document.querySelector("#found a");
    if (!first || first.getAttribute("href").indexOf("#nnp_chain_run") < 0) lines.push(name + ": the search does not find nnp_chain_run");
    if (inside.nnpostErrors.length) lines.push(name + ": " + inside.nnpostErrors.join("; "));
    frame.remove(); next();
  };
  frame.src = job[0]; document.body.appendChild(frame);
}
next();
</script></body>
"""
CATCH = '<script>var nnpostErrors = []; window.onerror = function (e) { nnpostErrors.push(String(e)); };</script>'


def chromium(*arguments):
    program = shutil.which("chromium") or shutil.which("chromium-browser") or "chromium"
    with tempfile.TemporaryDirectory() as profile:
        return subprocess.run([program, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                               f"--user-data-dir={profile}", "--allow-file-access-from-files", *arguments],
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True, timeout=600).stdout


def main(source, screens):
    source, screens = pathlib.Path(source).resolve(), pathlib.Path(screens)
    screens.mkdir(parents=True, exist_ok=True)
    pages = sorted(path.name for path in source.glob("*.html"))
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder, "html")
        shutil.copytree(source, copy)
        for name in pages:
            text = (copy / name).read_text(encoding="utf-8")
            (copy / name).write_text(text.replace("<head>", "<head>" + CATCH, 1), encoding="utf-8")
        driver = copy / "driver.htm"
        driver.write_text(DRIVER % (json.dumps(pages), json.dumps(WIDTHS)), encoding="utf-8")
        dom = chromium("--virtual-time-budget=120000", "--dump-dom", driver.as_uri())
    report = html.unescape(re.search(r'<pre id="report">(.*?)</pre>', dom, re.DOTALL)[1]).strip().split("\n")
    for name in SHOWN:
        for width in (500, 1280):  # headless windows are at least 500 wide
            chromium(f"--window-size={width},1400", f"--screenshot={screens.resolve() / f'{name}-{width}.png'}",
                     (source / f"{name}.html").as_uri())
    if report[-1] != "end":
        print("FAIL: not all pages were loaded")
        return 1
    for line in report[:-1]:
        if line:
            print(f"FAIL: {line}")
    print(f"{len(pages)} pages at {WIDTHS} pixels; screenshots in {screens}")
    return 1 if any(report[:-1]) else 0


sys.exit(main(*sys.argv[1:]))
