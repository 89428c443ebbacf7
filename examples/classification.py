# classification [TABLE]: classes of a CSV file with their probabilities. 150 irises of three species: length
# and width of sepals and petals in centimetres.
import sys
import numpy as np
import nnpost

table = np.genfromtxt(sys.argv[1] if len(sys.argv) > 1 else "iris.csv", delimiter=",", skip_header=1, dtype=str)
x, species = table[:, :4].astype(float), table[:, 4]
model = nnpost.NNPostClassifier(hidden=(4,), random_state=1).fit(x, species)  # reports convergence

new = np.array([[5.0, 3.4, 1.5, 0.2], [5.9, 2.8, 4.3, 1.3], [6.0, 2.8, 4.9, 1.7]])
for flower, p in zip(new, model.predict_proba(new)):
    words = ", ".join(f"{name} {q:.2f}" for name, q in zip(model.classes_, p))
    print(f"petal {flower[2]:.1f} x {flower[3]:.1f}: {words}")
