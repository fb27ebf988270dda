/* stop.c: see stop.h. */
#include "stop.h"

#include <signal.h>
#include <stddef.h>

/* A signal handler writes it: there is no context to hand one. */
static volatile sig_atomic_t requested;

static void request_stop(int signal)
{
	(void)signal;
	requested = 1;
}

void stop_on_signals(void)
{
	struct sigaction action = {0};

	action.sa_handler = request_stop;
	action.sa_flags = (int)SA_RESETHAND; /* a second signal ends the process at once */
	sigemptyset(&action.sa_mask);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
}

bool stop_requested(void) { return requested; }
