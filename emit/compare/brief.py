import os
import sys
from math import inf, nan

wrong = 0
child = os.fork()  # an engine that crashes is wrong
if child:
    status = os.waitpid(child, 0)[1]
    os._exit(1 if os.WIFSIGNALED(status) else os.WEXITSTATUS(status))


# points: of each result its dtype, its shape, and for each number what is right, with the largest error.
def judge(kind, results):
    global wrong
    wanted = points[kind].pop(0)
    wanted = [w for w in wanted if len(wanted) == len(results) or "float" in w[0]]
    for result, (dtype, shape, rows) in zip(results, wanted):
        said, own, numbers = result if isinstance(result, tuple) else (dtype, shape, result)
        near = [any(r == v or abs(r - v) <= e or r != r and v != v for v, e in row) for r, row in zip(map(float, numbers), rows)]
        right = dtype in str(said) and list(own) == shape and len(numbers) == len(rows) and all(near)
        wrong += not right
        print(kind, said, list(own), numbers, "right" if right else f"WRONG, expected {dtype} {shape} {[row[0][0] for row in rows]}")


