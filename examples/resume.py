# resume [FILE]: saves chains to a file and continues from it, like a job that was ended and started
# again. The draws are the same as without the stop, bit for bit.
import pickle
import sys
import numpy as np
import nnpost

path = sys.argv[1] if len(sys.argv) > 1 else "resume.bin"
i = np.arange(1, 201)
x = 4 * np.mod(np.outer(i, [0.7548776662466927, 0.5698402909980532]), 1) - 2
y = abs(x[:, 0]) - x[:, 1] / 2
net = nnpost.Net(2).dense(6).relu().dense(1).gaussian().set("noise", 1e-2)
how = {"chains": 2, "warmup": 0, "thin": 5, "start": "prior", "seed": 1}

first = nnpost.sample(net, x, y, draws=100, **how)
with open(path, "wb") as file:
    pickle.dump((first.draws, first.save()), file)

with open(path, "rb") as file:  # in another session
    draws, saved = pickle.load(file)
second = nnpost.sample(net, x, y, draws=100, resume=saved, **how)
whole = nnpost.sample(net, x, y, draws=200, **how)
same = np.array_equal(whole.draws, np.concatenate((draws, second.draws), axis=1))
print("the same draws after a restart:", "yes" if same else "no")
