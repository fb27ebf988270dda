/* Atomic files: content, refusals, a full disk, and that nothing is left over or torn. */
#include "reports/file.h"
#include "tests/check.h"

#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char root[64];

static char *path_of(const char *name, char path[256])
{
	snprintf(path, 256, "%s/%s", root, name);
	return path;
}

/* The bytes of root/name, or -1. */
static long read_back(const char *name, char *buffer, size_t room)
{
	char path[256];
	FILE *f = fopen(path_of(name, path), "rb");
	size_t n;

	if (!f)
		return -1;
	n = fread(buffer, 1, room, f);
	fclose(f);
	return (long)n;
}

static int count_temporaries(const char *dir)
{
	DIR *d = opendir(dir);
	int n = 0;

	for (struct dirent *entry; d && (entry = readdir(d));)
		n += !strncmp(entry->d_name, ".tmp.", 5);
	if (d)
		closedir(d);
	return n;
}

static void test_rows(void)
{
	static const struct {
		const char *dir, *name;
		bool ok;
		const char *text; /* part of the message */
	} rows[] = {
	    {"", "a.json", true, NULL},
	    {"", "a.json", true, NULL}, /* over the first */
	    {"", "", false, "not a file name"},
	    {"", ".", false, "not a file name"},
	    {"", "..", false, "not a file name"},
	    {"", "x/y", false, "not a file name"},
	    {"none", "a", false, "No such file"},
	    {"a.json", "a", false, "Not a directory"},
	    {"", "fifo", false, "not a regular file"},
	    {"", "directory", false, "not a regular file"},
	};

	for (size_t k = 0; k < sizeof(rows) / sizeof(rows[0]); k++) {
		if (!row_wanted("%s", rows[k].name))
			continue;
		struct error e = {.text = ""};
		char dir[256], data[32], back[64];
		bool ok;

		snprintf(data, sizeof(data), "row %zu\n", k);
		ok = file_write_atomic(path_of(rows[k].dir, dir), rows[k].name, data, strlen(data), &e);
		CHECK(ok == rows[k].ok, "row %zu: %s", k, e.text);
		if (rows[k].text)
			CHECK(strstr(e.text, rows[k].text), "row %zu: '%s'", k, e.text);
		if (rows[k].ok) {
			long n = read_back(rows[k].name, back, sizeof(back));

			CHECK(n == (long)strlen(data) && !memcmp(back, data, (size_t)n), "row %zu: %ld bytes", k, n);
		}
	}
	if (all_wanted())
		CHECK(count_temporaries(root) == 0, "temporary files left");
}

static void test_directories(void)
{
	static const struct {
		const char *path;
		bool ok;
	} rows[] = {
	    {"d", true},
	    {"d", true},
	    {"d/e/f", true},
	    {"d//g///", true},
	    {"a.json/x", false},
	    {"a.json", false},
	};
	char path[256], longer[5000];
	struct error e = {.text = ""};
	struct stat status;

	for (size_t k = 0; k < sizeof(rows) / sizeof(rows[0]); k++) {
		if (!row_wanted("directories: %s", rows[k].path))
			continue;
		struct error why = {.text = ""};
		bool ok = file_make_directory(path_of(rows[k].path, path), &why);

		CHECK(ok == rows[k].ok, "row %zu (%s): %s", k, rows[k].path, why.text);
		CHECK(ok == !why.text[0], "row %zu: '%s'", k, why.text);
		CHECK(!ok || (stat(path, &status) == 0 && S_ISDIR(status.st_mode)), "row %zu: no directory", k);
	}
	if (all_wanted())
		CHECK(!file_make_directory("", &e), "empty name");
	memset(longer, 'x', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	if (all_wanted())
		CHECK(!file_make_directory(longer, &e), "long name");
}

/* A file that may not grow stands for a disk that is full: EFBIG in place of ENOSPC, the same path through the code. */
static void test_full(void)
{
	struct rlimit limit, old;
	static char data[1 << 16];
	struct error e = {.text = ""};
	char back[16];

	getrlimit(RLIMIT_FSIZE, &old);
	signal(SIGXFSZ, SIG_IGN);
	limit = old;
	limit.rlim_cur = 1000;
	setrlimit(RLIMIT_FSIZE, &limit);
	CHECK(!file_write_atomic(root, "full", data, sizeof(data), &e), "a full disk was not noticed");
	setrlimit(RLIMIT_FSIZE, &old);
	CHECK(strstr(e.text, "write"), "'%s'", e.text);
	CHECK(read_back("full", back, sizeof(back)) == -1, "a torn file is there");
	CHECK(count_temporaries(root) == 0, "a temporary file is left");
}

/* Killed at any moment, the file is one of the two versions. */
static void test_kill(void)
{
	static char data[1 << 15], back[1 << 16];

	for (int round = 0; round < 20; round++) {
		pid_t pid = fork();
		long n;

		if (pid == 0) {
			for (int v = 0;; v++) {
				struct error e = {.text = ""};

				memset(data, 'a' + v % 26, sizeof(data));
				(void)!file_write_atomic(root, "torn", data, sizeof(data) - (size_t)(v % 26), &e);
			}
		}
		usleep((useconds_t)(2000 + 700 * round));
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		n = read_back("torn", back, sizeof(back));
		if (n < 0)
			continue;
		CHECK(n > 0 && n == (long)sizeof(data) - (back[0] - 'a'), "round %d: %ld bytes of '%c'", round, n,
		    back[0]);
		CHECK(n > 0 && back[n - 1] == back[0], "round %d: mixed", round);
	}
}

int main(int argc, char **argv)
{
	char command[128], path[256];

	check_begin(argc, argv);
	snprintf(root, sizeof(root), "%s", "/tmp/test_file.XXXXXX");
	if (!mkdtemp(root))
		return 1;
	if (mkfifo(path_of("fifo", path), 0600) != 0 || mkdir(path_of("directory", path), 0700) != 0)
		return 1;
	test_rows();
	test_directories();
	CHECK_LAW(test_full());
	CHECK_LAW(test_kill());
	snprintf(command, sizeof(command), "rm -rf '%s'", root);
	if (system(command) != 0)
		return 1;
	return check_done();
}
