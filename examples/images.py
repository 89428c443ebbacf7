# images: a convolutional network classifies bars. Images are 8 x 8 pixels with one bright bar,
# across, upright or from corner to corner, and noise.
import numpy as np
import nnpost


def images(first, count):
    """Images number `first` and so on: pixels, one image per row, and classes."""
    number = np.arange(first, first + count)
    kind, place = number % 3, number // 3 % 8
    row, column = np.arange(8).reshape(8, 1), np.arange(8)
    here = np.stack([row + 0 * column, column + 0 * row, (row + column) % 8])[kind]
    k = (number.reshape(-1, 1, 1) * 8 + row) * 8 + column + 1
    x = (here == place.reshape(-1, 1, 1)) + 2 * np.mod(k * 0.7548776662466927, 1) - 1
    return x.reshape(count, 64), kind


x, y = images(0, 300)
new_x, new_y = images(300, 150)
net = nnpost.Net(1, 8, 8).conv2d(4, 3).relu().avgpool(2).dense(3).argmax()
fit = nnpost.sample(net, x, y, chains=1, warmup=1000, draws=200, thin=5, seed=1)
print(f"{len(new_y)} new images: {100 * fit.score(new_x, new_y):.0f} % are classified correctly")
