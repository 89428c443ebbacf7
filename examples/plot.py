# plot [PICTURE]: a fit and its 90 % band, drawn by gnuplot. The data are 40 points of a bent line with noise;
# the noise is learned.
import subprocess
import sys
import numpy as np
import nnpost

path = sys.argv[1] if len(sys.argv) > 1 else "plot.svg"
i = np.arange(40)
x = -1.5 + 3 * i / 39
y = abs(x) - 0.8 + 0.5 * (np.mod((i + 1) * 0.6180339887498949, 1) - 0.5)
net = nnpost.Net(1).dense(8).relu().dense(1).gaussian().learn_tied()
fit = nnpost.sample(net, x, y, chains=1, warmup=2000, draws=2000, thin=10, seed=1)
at = -2 + 4 * np.arange(101) / 100
low, median, high = fit.predict(at, "quantiles", levels=[0.05, 0.5, 0.95]).reshape(101, 3).T
print(f"at x = 0: {median[50]:.2f}, 90 % of new points between {low[50]:.2f} and {high[50]:.2f}")


def block(name, *columns):
    lines = (" ".join(f"{value:g}" for value in line) for line in zip(*columns))
    return f"${name} << EOD\n" + "\n".join(lines) + "\nEOD\n"


script = block("fit", at, low, median, high) + block("data", x, y) + f"""
set terminal svg size 640,400 font 'sans,13' background 'white'
set output '{path}'
set key top center; set xlabel 'x'; set ylabel 'y'
plot $fit using 1:2:4 with filledcurves lc rgb '#cfe0ee' title '90 % of new points', \
     $fit using 1:3 with lines lw 2 lc rgb '#1b6ca8' title 'median', \
     $data with points pt 7 ps 0.6 lc rgb '#333333' title 'data'
"""
subprocess.run(["gnuplot"], input=script, text=True, check=True)
