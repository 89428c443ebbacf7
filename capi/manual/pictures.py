#!/usr/bin/env python3
"""pictures.py: draws the pictures of choosing.md into this folder, and prints the figures it quotes.

It needs numpy, the Python binding (PYTHONPATH) and the library (NNPOST_LIBRARY); it takes about a
minute. `make docs-pictures` runs it. The data are those of cars.py.
"""
import pathlib
import re

import numpy as np

import nnpost

HERE = pathlib.Path(__file__).resolve().parent
WIDTH, HEIGHT, GAP = 260, 200, 14  # of a panel

STYLE = """<style>
  .axis { stroke: #7a8594; fill: none } .dot { fill: #5a6475 } .band { fill: #2b7bba; opacity: .22 }
  .line { stroke: #0b5cad; fill: none; stroke-width: 1.8 } .thin { stroke: #0b5cad; fill: none; stroke-width: 1.1; opacity: .7 }
  text { font: 12px sans-serif; fill: #1c2330 }
</style>"""


def cars():
    lists = re.findall(r"= \[(.*?)\]", (HERE / "cars.py").read_text(encoding="utf-8"), re.DOTALL)
    return [np.array([float(v) for v in one.split(",")]) for one in lists[:2]]


class Panel:
    def __init__(self, title, x, y, ticks_x, ticks_y):
        self.title, self.x, self.y, self.ticks_x, self.ticks_y, self.parts = title, x, y, ticks_x, ticks_y, []

    def points(self, x, y):
        left, top, right, bottom = 34, 24, WIDTH - 14, HEIGHT - 24
        u = left + (np.asarray(x) - self.x[0]) / (self.x[1] - self.x[0]) * (right - left)
        v = bottom - (np.asarray(y) - self.y[0]) / (self.y[1] - self.y[0]) * (bottom - top)
        return u, np.clip(v, top - 1, bottom + 1)

    def path(self, kind, x, y):
        u, v = self.points(x, y)
        self.parts.append(f'<path class="{kind}" d="M' + "L".join(f"{a:.1f} {b:.1f}" for a, b in zip(u, v)) + '"/>')

    def band(self, x, low, high):
        self.path("band", np.concatenate([x, x[::-1]]), np.concatenate([low, high[::-1]]))

    def dots(self, x, y):
        self.parts += [f'<circle class="dot" cx="{a:.1f}" cy="{b:.1f}" r="2.2"/>' for a, b in zip(*self.points(x, y))]

    def svg(self, at):
        out = [f'<g transform="translate({at} 0)"><text x="{WIDTH / 2 + 14}" y="15" text-anchor="middle">{self.title}</text>',
               f'<path class="axis" d="M34 24V{HEIGHT - 24}H{WIDTH - 14}"/>']
        for t in self.ticks_x:
            u, _ = self.points([t], [self.y[0]])
            out.append(f'<text x="{u[0]:.0f}" y="{HEIGHT - 8}" text-anchor="middle">{t:g}</text>')
        for t in self.ticks_y:
            _, v = self.points([self.x[0]], [t])
            out.append(f'<text x="30" y="{v[0] + 4:.0f}" text-anchor="end">{t:g}</text>')
        return "\n".join(out + self.parts + ["</g>"])


def write(name, panels):
    width = len(panels) * (WIDTH + GAP) - GAP
    body = "\n".join(panel.svg(k * (WIDTH + GAP)) for k, panel in enumerate(panels))
    (HERE / name).write_text(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {HEIGHT}" width="{width}" '
                             f'height="{HEIGHT}">\n{STYLE}\n<rect width="100%" height="100%" fill="#fff"/>\n{body}\n</svg>\n',
                             encoding="utf-8")


class Cars:
    """Fits of standardized data, told in feet."""

    def __init__(self):
        self.speed, self.feet = cars()
        self.x = (self.speed - self.speed.mean()) / self.speed.std()
        self.y = (self.feet - self.feet.mean()) / self.feet.std()
        self.grid = np.linspace(0, 30, 61)

    def fit(self, net):
        recipe = nnpost.recommend(net, len(self.x), posterior="classical")
        recipe = recipe if isinstance(recipe, dict) else recipe._asdict()
        options = recipe.pop("options", {}) or {}
        return nnpost.sample(net, self.x, self.y, seed=1, threads=1, progress=False, **recipe, **options)

    def panel(self, title, net):
        fit = self.fit(net)
        at = (self.grid - self.speed.mean()) / self.speed.std()
        low, mid, high = self.feet.mean() + self.feet.std() * fit.predict(at, "quantiles")[:, 0, :].T
        panel = Panel(title, (0, 30), (-40, 160), (0, 10, 20, 30), (0, 50, 100, 150))
        panel.band(self.grid, low, high)
        panel.path("line", self.grid, mid)
        panel.dots(self.speed, self.feet)
        loo = fit.loo()
        print(f"| {title} | {loo.elpd:.1f} ± {loo.se:.1f} | {fit.convergence.text} |", flush=True)
        return panel


def from_prior(title, units, precision=None):
    x = np.linspace(-3, 3, 61)
    net = nnpost.Net(1).dense(units).tanh().dense(units).tanh().dense(1).gaussian()
    if precision:
        net.set("lambda_w", precision, layer=1).set("lambda_b", precision, layer=1)
    panel = Panel(title, (-3, 3), (-3, 3), (-2, 0, 2), (-2, 0, 2))
    for seed in range(1, 11):
        data = nnpost.Data(x, outputs=1)
        nnpost.Teacher(net, "classical", seed).label(data, 0)
        panel.path("thin", x, data.targets[:, 0])
    return panel


def main():
    write("prior.svg", [from_prior("4 units per layer", 4), from_prior("64 units per layer", 64),
                        from_prior("64 units, precisions 0.05 in layer 1", 64, 0.05)])
    data = Cars()
    def net(head="gaussian", hidden=(8,)):
        return nnpost.Net.recommended(1, head=head, hidden=hidden, posterior="classical", rows=50)
    def fixed(noise):
        made = net()
        return made.set("noise", noise, layer=made.layers)
    write("noise.svg", [data.panel("noise fixed, D = 0.01", fixed(0.01)), data.panel("noise learned", net()),
                        data.panel("noise fixed, D = 3", fixed(3.0))])
    write("heads.svg", [data.panel("gaussian", net()), data.panel("student_t", net("student_t")),
                        data.panel("location_scale", net("location_scale"))])
    write("width.svg", [data.panel("2 units", net(hidden=(2,))), data.panel("8 units", net()),
                        data.panel("32 units", net(hidden=(32,)))])


main()
