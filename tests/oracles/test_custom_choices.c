/* Which rules of custom ops decide something by their direction. */
#include "../../oracles/custom_choices.h"

#include <string.h>

#include "../../graph/testcase.h"
#include "../check.h"

/* The rule of a custom of x, in the direction g (a number, as x), gives the last value of its body. */
static const struct {
	const char *body, *result;
	enum rule_choice choice;
} rows[] = {
    {"{'out':['a: f64[]'],'op':'mul','args':['x','g']}", "a", RULE_LINEAR},
    /* What is decided by x is decided alike in all directions. */
    {"{'out':['p: bool[]'],'op':'lt','args':['x','z']},{'out':['a: f64[]'],'op':'select','args':['p','g','h']}", "a", RULE_LINEAR},
    {"{'out':['a: f64[]'],'op':'abs','args':['x']},{'out':['b: f64[]'],'op':'mul','args':['a','g']}", "b", RULE_LINEAR},
    {"{'out':['a: f64[]'],'op':'stop_gradient','args':['g']}", "a", RULE_LINEAR},
    /* An exact 0 may stay one, */
    {"{'out':['p: bool[]'],'op':'eq','args':['g','z']},{'out':['a: f64[]'],'op':'select','args':['p','z','g']}", "a", RULE_GUARDS},
    {"{'out':['p: bool[]'],'op':'ne','args':['zs','g']},{'out':['a: f64[]'],'op':'select','args':['p','g','z']}", "a", RULE_GUARDS},
    {"{'out':['p: bool[]'],'op':'cast','args':['g'],'dtype':'bool'},{'out':['a: f64[]'],'op':'select','args':['p','g','z']}", "a", RULE_GUARDS},
    /* and what is made of that decision decides no more. */
    {"{'out':['p: bool[]'],'op':'eq','args':['g','z']},{'out':['q: bool[]'],'op':'logical_not','args':['p']},{'out':['a: f64[]'],'op':'cond','args':['q'],'regions':["
     "{'params':[],'body':[],'results':['g']},{'params':[],'body':[],'results':['z']}]}",
	"a", RULE_GUARDS},
    {"{'out':['p: bool[]'],'op':'eq','args':['g','x']},{'out':['a: f64[]'],'op':'select','args':['p','z','g']}", "a", RULE_CHOOSES},
    {"{'out':['p: bool[]'],'op':'eq','args':['g','h']},{'out':['a: f64[]'],'op':'select','args':['p','z','g']}", "a", RULE_CHOOSES},
    {"{'out':['p: bool[]'],'op':'gt','args':['g','z']},{'out':['a: f64[]'],'op':'select','args':['p','g','z']}", "a", RULE_CHOOSES},
    {"{'out':['a: f64[]'],'op':'abs','args':['g']}", "a", RULE_CHOOSES},
    {"{'out':['a: f64[]'],'op':'max','args':['g','x']}", "a", RULE_CHOOSES},
    {"{'out':['a: f64[]'],'op':'floor','args':['g']}", "a", RULE_CHOOSES},
    {"{'out':['i: i64[]'],'op':'cast','args':['g'],'dtype':'i64'},{'out':['a: f64[]'],'op':'cast','args':['i'],'dtype':'f64'}", "a", RULE_CHOOSES},
    /* Through a loop: what is carried beside the direction is none, */
    {"{'out':['a: f64[]','b: f64[]'],'op':'for','args':['g','x'],'trip':3,'regions':[{'params':['i: i64[]','c: f64[]','d: f64[]'],'body':[{'out':['e: f64[]'],'op':'abs','args':['d']},"
     "{'out':['f: f64[]'],'op':'mul','args':['c','e']}],'results':['f','e']}]}",
	"a", RULE_LINEAR},
    /* until it takes it over, in the second iteration. */
    {"{'out':['a: f64[]','b: f64[]'],'op':'for','args':['g','x'],'trip':3,'regions':[{'params':['i: i64[]','c: f64[]','d: f64[]'],'body':[{'out':['e: f64[]'],'op':'abs','args':['d']}],"
     "'results':['e','c']}]}",
	"a", RULE_CHOOSES},
    {"{'out':['a: f64[]'],'op':'while','args':['g'],'cap':3,'regions':[{'params':['c: f64[]'],'body':[{'out':['p: bool[]'],'op':'lt','args':['c','x']}],'results':['p']},"
     "{'params':['d: f64[]'],'body':[{'out':['e: f64[]'],'op':'add','args':['d','d']}],'results':['e']}]}",
	"a", RULE_CHOOSES},
};

/* A case whose program is one custom, a vjp, around the row's rule; h is half of g. */
static const char frame[] =
    "{'schema':'adjudge.case/1','inputs':['v: f64[]'],'body':[{'out':['w: f64[]'],'op':'custom','args':['v'],'transform':'vjp','regions':[{'params':['u: f64[]'],'body':[],'results':['u']},"
    "{'params':['x: f64[]','g: f64[]'],'body':[{'out':['z: f64[]'],'op':'constant','value':0},{'out':['zs: f64[]'],'op':'reshape','args':['z'],'shape':[]},"
    "{'out':['half: f64[]'],'op':'constant','value':0.5},{'out':['h: f64[]'],'op':'mul','args':['g','half']},%s],'results':['%s']}]}],'results':['w'],"
    "'points':[[1]],'request':[{'transform':'vjp','wrt':[0],'cotangents':[1]}]}";

int main(void)
{
	struct arena a;

	arena_init(&a, (size_t)64 << 20);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char *text = arena_printf(&a, frame, rows[i].body, rows[i].result);
		struct testcase c;
		struct error e = {0};

		for (char *at = text; (at = strchr(at, '\'')); at++)
			*at = '"';
		CHECK(testcase_read(text, strlen(text), &a, &c, &e), "row %zu: %s %s", i, e.place, e.text);
		if (!*e.text)
			CHECK(custom_choices(&c.program, &c.program.top.node[0], &a) == rows[i].choice, "row %zu: %d", i, custom_choices(&c.program, &c.program.top.node[0], &a));
	}
	arena_free(&a);
	return check_done();
}
