"""Every format of `adjudge emit` that an adapter writes is source that its language can read, with the calls that the case asks for.

Usage: test_emit.py ADJUDGE SOURCE_ROOT.  Formats that node runs are left out where there is no node.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

adjudge, root = sys.argv[1], pathlib.Path(sys.argv[2])
# A case of the corpus, and what the source for it must have, by the beginning of the format's name.
CASES = {
    "real/tfjs-cumsum-axis": {"torch": "torch.cumsum(v0, 0)", "tfjs": "tf.cumsum(v0, 0)", "jax-js": "np.cumsum(v0, 0)"},
    "real/jaxjs-norm-with-a-zero": {"torch": "torch.linalg.vector_norm(v0, 2, [0]", "tfjs": "tf.norm(v0, 'euclidean', [0]", "jax-js": "np.linalg.vectorNorm(v0, {", "mathjs": "sqrt(x0 ^ 2 + x1 ^ 2)"},
    # an array is moved by its last use alone
    "real/tfjs-second-derivative-of-exp": {"torch": "v0 * v1", "tfjs": "tf.mul(v0, v1)", "jax-js": "np.exp(v0.ref)"},
    "real/jaxjs-running-product-with-a-zero": {"torch": "torch.cumprod(v0, 0)", "jax-js": "np.cumprod(v0, 0)", "mathjs": "x0 * x1"},
    "zoo/jax-vmap-clip-oob": {"torch": "func.vmap(f, (0, 0,))"},
    # a BigNumber needs all digits of a double, or its sine is that of another number
    "regressions/sine-of-a-number-of-146-digits": {"torch": "torch.sin(v0)", "jax-js": "np.sin(v0)", "mathjs": f"'{int(float.fromhex('0x1.6256p+485'))}'"},
}
NO_COUNTERPART = 5  # exit status of emit, for a request or an op that the engine has not


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, env={**os.environ, "ADJUDGE_ADAPTERS": str(root / "engines" / "external")})


def readable(source):
    """None, or what is wrong with it."""
    if "require(" not in source:
        try:
            compile(source, "emitted", "exec")
        except SyntaxError as e:
            return str(e)
        return None
    with tempfile.TemporaryDirectory() as place:
        path = pathlib.Path(place) / "emitted.cjs"
        path.write_text(source)
        done = run("node", "--check", str(path))
        return done.stderr if done.returncode else None


ADAPTERS = ("torch", "tfjs", "jax-js", "mathjs")  # test_emit_c.py and test_emit_targets.py try the other formats
formats = [name for name in (line.split()[0] for line in run(adjudge, "emit", "--formats").stdout.splitlines()) if name.startswith(ADAPTERS)]
failed = 0
for name in formats:
    if not name.startswith("torch") and not shutil.which("node"):
        continue
    written = 0
    for case, wanted in CASES.items():
        done = run(adjudge, "emit", "--format", name, str(root / "corpus" / f"{case}.json"))
        if done.returncode == NO_COUNTERPART:
            continue
        call = next((text for start, text in wanted.items() if name.startswith(start)), "nothing, as it has no such op")
        wrong = done.stderr if done.returncode else None if call in done.stdout else f"no '{call}' in\n{done.stdout[:600]}"
        wrong = wrong or readable(done.stdout)
        written += 1
        if wrong:
            failed += 1
            print(f"{name}, {case}: {wrong}", file=sys.stderr)
    if not written:
        failed += 1
        print(f"{name}: wrote nothing", file=sys.stderr)
sys.exit(1 if failed or not formats else 0)
