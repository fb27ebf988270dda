const jax = require('@jax-js/jax');
const np = jax.numpy;

function f(a, b) {
    return np.min(np.add(a, b), [0], { keepdims: false });
}

jax.init('cpu').then(() => {
    jax.defaultDevice('cpu');
    const list = (x, shape) => np.array(new Float32Array([x]), { shape, dtype: np.float32 });
    const pull = jax.vjp(f, [list(1.5733617544174194, [1]), list(0.796875, [1])])[1];
    const [d0, d1] = pull(list(1, []));
    const got = [d0.js()[0], d1.js()[0]];
    console.log('derivatives:', got, 'expected:', [1, 1]);
    process.exitCode = String(got) === '1,1' ? 0 : 1;
});
