#include "choice.h"

#include "graph/random.h"

static uint64_t rotate(uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }

struct choice choice_seeded(uint64_t seed)
{
	struct choice c = {.seeded = true};

	for (int i = 0; i < 4; i++)
		c.state[i] = random_next(&seed);
	return c;
}

struct choice choice_bytes(const uint8_t *bytes, size_t len) { return (struct choice){.bytes = bytes, .len = len}; }

/* xoshiro256** */
static uint64_t next(uint64_t s[4])
{
	const uint64_t result = rotate(s[1] * 5, 7) * 9;
	const uint64_t t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = rotate(s[3], 45);
	return result;
}

/* `count` bytes, little-endian.  Missing bytes are 0, so every prefix of a byte string is a valid source. */
static uint64_t take(struct choice *c, int count)
{
	uint64_t x = 0;

	for (int i = 0; i < count && c->at < c->len; i++)
		x |= (uint64_t)c->bytes[c->at++] << (8 * i);
	return x;
}

static bool from_bytes(const struct choice *c) { return c->at < c->len || !c->seeded; }

uint64_t choice_bits(struct choice *c) { return from_bytes(c) ? take(c, 8) : next(c->state); }

int choice_below(struct choice *c, int n)
{
	if (n <= 1)
		return 0;
	if (from_bytes(c))
		return (int)(take(c, n <= 256 ? 1 : n <= 65536 ? 2 : 4) % (uint64_t)n);
	/* The bias of the multiplication is below n / 2^32. */
	return (int)(((next(c->state) >> 32) * (uint64_t)n) >> 32);
}

int choice_between(struct choice *c, int low, int high)
{
	return high <= low ? low : low + choice_below(c, high - low + 1);
}

bool choice_percent(struct choice *c, int percent)
{
	if (c->at >= c->len && !c->seeded)
		return false;
	/* The top of the range means true, so a zero byte gives the simple answer. */
	return choice_below(c, 100) >= 100 - percent;
}

int choice_weighted(struct choice *c, const int *weight, int n)
{
	int total = 0, r;

	for (int i = 0; i < n; i++)
		total += weight[i];
	r = choice_below(c, total);
	for (int i = 0; i < n; i++) {
		if (r < weight[i])
			return i;
		r -= weight[i];
	}
	return 0;
}

uint64_t seed_mix(uint64_t a, uint64_t b)
{
	uint64_t state = a ^ rotate(b, 32);

	return random_next(&state);
}
