# regression [TABLE]: regression on a CSV file with intervals, all settings as recommended. 31 black cherry
# trees: girth in inches, height in feet, and the target, the volume of their timber in cubic feet.
import sys
import numpy as np
import nnpost

table = np.genfromtxt(sys.argv[1] if len(sys.argv) > 1 else "trees.csv", delimiter=",", skip_header=1)
model = nnpost.NNPostRegressor(random_state=1).fit(table[:, :2], table[:, 2])  # reports convergence

new = np.array([[9.0, 70.0], [13.0, 76.0], [18.0, 82.0]])
mean = model.predict(new)
low, high = model.predict_interval(new, level=0.9)
for (girth, height), m, a, b in zip(new, mean, low, high):
    print(f"girth {girth:.0f}, height {height:.0f}: volume {m:.1f}, 90 % between {a:.1f} and {b:.1f}")
