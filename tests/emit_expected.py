"""What `adjudge emit` writes as expected: "1.5 +- 2e-16", several with "or" between them, "undecided (...)"."""
import math


def right(returned, expected):
    """Whether a number (or True, False) is what is expected."""
    if expected.startswith("undecided"):
        return True
    for one in expected.split(" or "):
        value, _, radius = one.partition(" +- ")
        x, y = float(returned), float(value)
        if x == y or (math.isnan(x) and math.isnan(y)) or (radius and abs(x - y) <= float(radius)):
            return True
    return False
