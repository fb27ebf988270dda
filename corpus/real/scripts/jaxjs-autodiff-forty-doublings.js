const jax = require('@jax-js/jax');
const np = jax.numpy;

function f(x) {
    for (let k = 0; k < 40; k++)
        x = np.add(x.ref, x);
    return x;
}

jax.init('cpu').then(() => {
    jax.defaultDevice('cpu');
    const x = np.array(new Float32Array([1]), { shape: [], dtype: np.float32 });
    const got = jax.jit(f)(x).js(), right = 2 ** 40;
    console.log('primal:', got, 'expected:', right);
    process.exitCode = got === right ? 0 : 1;
});
