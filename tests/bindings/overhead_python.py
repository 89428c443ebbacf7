"""overhead.c in Python."""
import sys
import time

import numpy as np

import nnpost


def values(count, seed):
    out = np.empty(count)
    for i in range(count):
        seed = seed * 16807 % 2147483647
        out[i] = 2 * (seed / 2147483647) - 1
    return out


x, y = values(8000, 1).reshape(400, 20, order="F"), values(400, 2)
net = nnpost.Net(20).dense(10).relu().dense(1).gaussian()


def once():
    began = time.process_time()
    nnpost.sample(net, x, y, chains=1, warmup=0, draws=1000, seed=1)
    return time.process_time() - began


print(f"{min(once() for _ in range(int(sys.argv[1]))):.6f}")
