# Stopping distances of 50 cars of the 1920s against their speed: regression with intervals.
import numpy as np
import nnpost

speed = [4, 4, 7, 7, 8, 9, 10, 10, 10, 11, 11, 12, 12, 12, 12, 13, 13, 13, 13, 14, 14, 14, 14, 15, 15,
         15, 16, 16, 17, 17, 17, 18, 18, 18, 18, 19, 19, 19, 20, 20, 20, 20, 20, 22, 23, 24, 24, 24, 24, 25]
feet = [2, 10, 4, 22, 16, 10, 18, 26, 34, 17, 28, 14, 20, 24, 28, 26, 34, 34, 46, 26, 36, 60, 80, 20, 26,
        54, 32, 40, 32, 40, 50, 42, 56, 76, 84, 36, 46, 68, 32, 48, 52, 56, 64, 66, 54, 70, 92, 93, 120, 85]

x = np.array(speed, dtype=float).reshape(-1, 1)  # rows x inputs
model = nnpost.NNPostRegressor(hidden=(8,), random_state=1).fit(x, np.array(feet, dtype=float))

new = np.array([[5.0], [15.0], [25.0]])
mean = model.predict(new)
low, high = model.predict_interval(new, level=0.9)
for at, m, a, b in zip(new[:, 0], mean, low, high):
    print(f"{at:2.0f} mph: {m:.1f} feet, 90 % between {a:.1f} and {b:.1f}")
