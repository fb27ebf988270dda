/* cross_check_jvp.c: compares each component of the results along the tangent. Where the whole tangent leaves the
 * path, it compares along parts of it. */
#include "cross_check_internal.h"

#include <math.h>

/* The place of a target's decided component. */
struct component_place {
	int derivative, element;
};

static int jvp_targets(const struct check_run *p, struct fd_target *target, struct component_place *place)
{
	int n = 0, j = 0;
	for (int r = 0; r < p->truth->n_primal; r++) {
		const struct type *type = &p->truth->primal[r].type;
		if (!dtype_is_float(type->dtype))
			continue;
		for (int e = 0; e < shape_elements(&type->shape); e++, j++) {
			const struct component *d = &p->truth->derivative[0][r].at[e];
			if (d->reason != REASON_NONE || p->truth->primal[r].at[e].reason == REASON_UNSTABLE_PATH)
				continue;
			double magnitude = fmax(d->magnitude, fabs(d->value)), size = fmax(magnitude, d->tight);
			struct fd_target t = {.first = j, .count = 1, .known = true};
			t.scale = size > 0 && isfinite(size) ? ilogb(size) : 0;
			t.value = scalbn(d->value, -t.scale);
			t.low = scalbn(d->low, -t.scale);
			t.tolerance = scalbn(d->tight, -t.scale) + scalbn(cross_check_grain, -t.scale);
			t.magnitude = scalbn(magnitude, -t.scale);
			place[n] = (struct component_place){r, e};
			target[n++] = t;
		}
	}
	return n;
}

/* Quotients along parts of the tangent, and their sums. */
struct parts {
	int n;
	struct fd_target *target;    /* [n], scratch */
	struct compensated_sum *sum; /* [n] */
	double *error;               /* [n]; infinite if a part did not converge */
	enum reason off;             /* why a single coordinate leaves the path on both sides */
	struct fd_run last;
};

static void jvp_add_parts(struct check_run *p, struct parts *parts, int first, int n)
{
	if (n == 0 || parts->off != REASON_NONE)
		return;
	parts->last = cross_check_measure(p, first, n, false, parts->target, parts->n);
	if (!parts->last.left && !parts->last.right) {
		if (n > 1 && p->work_left > 0) {
			jvp_add_parts(p, parts, first, n / 2);
			jvp_add_parts(p, parts, first + n / 2, n - n / 2);
			return;
		}
		for (int i = 0; i < parts->n; i++)
			if (cross_check_off_path(&parts->target[i]) && parts->off != REASON_JUMP)
				parts->off = parts->target[i].reason;
		return;
	}
	for (int i = 0; i < parts->n; i++) {
		const struct fd_target *t = &parts->target[i];
		if (t->outcome != FD_AGREES) {
			parts->error[i] = INFINITY;
			continue;
		}
		cross_check_add(&parts->sum[i], t->quotient);
		parts->sum[i].low += t->quotient_low;
		parts->error[i] += t->error;
	}
}

/*
 * For a tangent that leaves the path on both sides although its parts may not. The derivative is linear along the
 * path. So the quotients along the parts, each on its own side, add up to it.
 */
static void jvp_decompose(struct check_run *p, struct fd_target *target, int n_target, struct fd_run *run)
{
	struct parts parts = {.n = n_target, .last = *run};
	parts.target = NEW(p->arena, struct fd_target, n_target);
	parts.sum = NEW(p->arena, struct compensated_sum, n_target);
	parts.error = NEW(p->arena, double, n_target);
	for (int i = 0; i < n_target; i++) {
		parts.target[i] = target[i];
		parts.target[i].known = false;
	}
	int positive = 0;
	while (positive < p->n_coordinate && p->coordinate[positive].move > 0)
		positive++;
	jvp_add_parts(p, &parts, 0, positive);
	jvp_add_parts(p, &parts, positive, p->n_coordinate - positive);
	*run = parts.last;
	for (int i = 0; i < n_target; i++) {
		struct fd_target *t = &target[i];
		if (!cross_check_off_path(t))
			continue;
		if (parts.off != REASON_NONE) {
			/* It is unknown which results depend on the coordinate. */
			t->reason = t->reason == REASON_JUMP ? REASON_JUMP : parts.off;
			continue;
		}
		double excess = fabs((parts.sum[i].high - t->value) + (parts.sum[i].low - t->low));
		t->quotient = parts.sum[i].high + parts.sum[i].low;
		t->error = parts.error[i];
		if (!isfinite(t->error)) {
			t->reason = REASON_ILL_CONDITIONED;
		} else if (fd_accepts(t, excess)) {
			t->outcome = FD_AGREES;
			t->reason = REASON_NONE;
		} else {
			t->outcome = FD_DISAGREES;
		}
	}
}

void cross_check_jvp(struct check_run *p)
{
	int room = fd_components(p->self->fd);
	struct fd_target *target = NEW(p->arena, struct fd_target, room);
	struct component_place *place = NEW(p->arena, struct component_place, room);
	int n = jvp_targets(p, target, place);
	if (n == 0)
		return;
	struct fd_run run = cross_check_measure(p, 0, p->n_coordinate, false, target, n);
	bool off = false;
	for (int i = 0; i < n; i++)
		off |= cross_check_off_path(&target[i]);
	if (off && p->n_coordinate > 1 && !p->n_fixed)
		jvp_decompose(p, target, n, &run);
	for (int i = 0; i < n; i++) {
		const struct fd_target *t = &target[i];
		cross_check_note(p, &run, t, n == 1 ? -1 : cross_check_flat(p, place[i].derivative, place[i].element));
		if (cross_check_off_path(t) || t->outcome == FD_DISAGREES)
			cross_check_undecide(p, place[i].derivative, place[i].element,
			    t->outcome == FD_DISAGREES ? REASON_ORACLE : t->reason);
	}
}
