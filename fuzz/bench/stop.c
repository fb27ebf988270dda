/* stop.c: see stop.h. */
#include "stop.h"

#include <signal.h>
#include <stddef.h>

static const struct {
	int number;
	const char *name;
} signals[] = {{SIGINT, "SIGINT"}, {SIGTERM, "SIGTERM"}, {SIGHUP, "SIGHUP"}};

enum { SIGNALS = sizeof signals / sizeof *signals };

/* The first signal that came.  A signal handler writes it: there is no context to hand one. */
static volatile sig_atomic_t requested;

static void request_stop(int signal)
{
	if (!requested)
		requested = signal;
}

static bool is_ignored(int signal)
{
	struct sigaction action;

	return sigaction(signal, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

void stop_on_signals(void)
{
	struct sigaction action = {0};

	action.sa_handler = request_stop;
	action.sa_flags = (int)SA_RESETHAND; /* a second signal ends the process at once */
	sigemptyset(&action.sa_mask);
	for (int k = 0; k < SIGNALS; k++)
		if (signals[k].number != SIGHUP || !is_ignored(SIGHUP))
			sigaction(signals[k].number, &action, NULL);
}

bool stop_requested(void) { return requested; }

int stop_signal(void) { return requested; }

const char *stop_signal_name(void)
{
	for (int k = 0; k < SIGNALS; k++)
		if (signals[k].number == requested)
			return signals[k].name;
	return NULL;
}
