import sys
from math import inf, nan

wrong = []


# right: of each result its dtype, its shape, and for each number what is right, with the largest error.
def judge(kind, results):
    wanted = right[kind].pop(0)
    for result, (dtype, shape, rows) in zip(results, [w for w in wanted if len(wanted) == len(results) or "float" in w[0]]):
        said, own, numbers = result if isinstance(result, tuple) else (dtype, shape, result)
        near = [any(r == v or abs(r - v) <= e or r != r and v != v for v, e in row) for r, row in zip(map(float, numbers), rows)]
        good = dtype in str(said) and list(own) == shape and len(numbers) == len(rows) and all(near)
        wrong.extend([] if good else [kind])
        print(kind, said, list(own), numbers, "right" if good else f"WRONG, expected {dtype} {shape} {[row[0][0] for row in rows]}")


