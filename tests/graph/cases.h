/*
 * cases.h: hand-made cases in JSON, one per kind of attribute and per region op, as people would write them; ' stands
 * for ".
 */
#ifndef TESTS_GRAPH_CASES_H
#define TESTS_GRAPH_CASES_H

#include <stddef.h>

struct sample {
	const char *name, *text;
};

#define CASE(members) "{'schema':'adjudge.case/1'," members "}"
#define PRIMAL        "'request':[]"

static const struct sample samples[] = {
    {"primal", CASE("'inputs':['x: f64[]'],'body':[],'results':['x'],'points':[[1]]," PRIMAL)},
    {"no inputs",
        CASE("'inputs':[],'body':[{'out':['c: i64[2]'],'op':'constant',"
             "'value':['9223372036854775807',-9007199254740992]}],'results':['c'],'points':[[]]," PRIMAL)},
    {"vjp of a loop",
        CASE("'title':'x^3','source':'a \\'quoted\\' \\u00e9\\n','comment':'',"
             "'inputs':['x: f64[]'],'body':["
             "{'out':['one: f64[]'],'op':'constant','value':1},"
             "{'out':['y'],'op':'for','args':['one'],'trip':3,'regions':["
             "{'params':['i','acc: f64[]'],'body':[{'out':['next'],'op':'mul','args':['acc','x']}],"
             "'results':['next']}]}"
             "],'results':['y'],'points':[['0x1.8p-1'],[-0.5],['nan'],['-inf']],"
             "'request':[{'transform':'vjp','wrt':[0],'cotangents':['0x1p+0']}],"
             "'expect':[{'returned':['1.6875','0.75','nan','inf']},"
             "{'engine':'functional+residual-fifo','verdict':'wrong','returned':['1.3']},"
             "{'engine':'*','verdict':'agree'}]")},
    {"for with a count",
        CASE("'inputs':['n: i32[]','x: f32[2]'],'body':["
             "{'out':['y: f32[2]'],'op':'for','args':['n','x'],'cap':8,'until':true,'regions':["
             "{'params':['i: i64[]','a: f32[2]'],'body':["
             "{'out':['b'],'op':'add','args':['a','x']},"
             "{'out':['seven: i64[]'],'op':'constant','value':7},"
             "{'out':['stop: bool[]'],'op':'gt','args':['i','seven']}],'results':['b','stop']}]}"
             "],'results':['y'],'points':[[3,[0.5,'inf']]],"
             "'request':[{'transform':'jvp','wrt':[0,1],'tangents':[0,[1,2]]}]")},
    {"while",
        CASE("'inputs':['x: f64[]'],'body':[{'out':['y'],'op':'while','args':['x'],'cap':5,'regions':["
             "{'params':['a'],'body':[{'out':['c'],'op':'lt','args':['a','x']}],'results':['c']},"
             "{'params':['b'],'body':[],'results':['x']}]}],'results':['y'],'points':[[2]]," PRIMAL)},
    {"scan",
        CASE("'inputs':['x: f64[]','xs: f64[3,2]'],'body':["
             "{'out':['y','ys'],'op':'scan','args':['x','xs'],'trip':3,'carries':1,'regions':["
             "{'params':['c','row'],'body':[{'out':['d'],'op':'sin','args':['c']}],'results':['d','row']}]}],"
             "'results':['ys','y'],'points':[[1,[1,2,3,4,5,6]]],"
             "'request':[{'transform':'vjp','wrt':[0],'cotangents':[[1,1,1,1,1,1],2]}]")},
    {"cond inside cond",
        CASE("'inputs':['p: bool[]','x: f64[]'],'body':[{'out':['y'],'op':'cond','args':['p'],'regions':["
             "{'body':[{'out':['z'],'op':'cond','args':['p'],'regions':[{'results':['x']},"
             "{'params':[],'body':[],'results':['x']}]}],"
             "'results':['z']},{'results':['x']}]}],'results':['y'],'points':[[true,4]],"
             "'request':[{'transform':'vjp','wrt':[0,1],'cotangents':[1]},{'transform':'jvp',"
             "'wrt':[1],'tangents':[1]}]")},
    {"shape attributes",
        CASE("'inputs':['x: f64[2,3]','s: f64[]'],'body':["
             "{'out':['a'],'op':'transpose','args':['x'],'axes':[1,0]},"
             "{'out':['b'],'op':'reshape','args':['a'],'shape':[6]},"
             "{'out':['c'],'op':'broadcast_to','args':['b'],'shape':[1,6]},"
             "{'out':['d'],'op':'squeeze','args':['c'],'axes':[0]},"
             "{'out':['e'],'op':'reverse','args':['d'],'axes':[0]},"
             "{'out':['f'],'op':'slice','args':['e'],'start':[5],'size':[3],'stride':[-2]},"
             "{'out':['g'],'op':'slice','args':['x'],'start':[0,1],'size':[2,2]},"
             "{'out':['h'],'op':'pad','args':['g','s'],'low':[1,0],'high':[0,2]},"
             "{'out':['i'],'op':'slice_scatter','args':['e','f'],'start':[1],'stride':[2]},"
             "{'out':['j'],'op':'concatenate','args':['i','f','b'],'axis':0},"
             "{'out':['k'],'op':'reduce_sum','args':['h'],'axes':[1],'keepdims':true},"
             "{'out':['l'],'op':'norm','args':['h'],'axes':[]},"
             "{'out':['m'],'op':'cumsum','args':['h'],'axis':1},"
             "{'out':['n'],'op':'matmul','args':['x','a']}"
             "],'results':['j','k','l','m','n'],'points':[[[1,2,3,4,5,6],0]]," PRIMAL)},
    {"indexing",
        CASE("'inputs':['x: f64[4]','i: i64[3]','u: f64[3]','s: i32[1]'],'body':["
             "{'out':['a'],'op':'gather','args':['x','i'],'axis':0,'mode':'wrap'},"
             "{'out':['b'],'op':'scatter_add','args':['x','i','u'],'axis':0,'mode':'drop'},"
             "{'out':['c'],'op':'take_along_axis','args':['x','i'],'axis':0,'mode':'clip'},"
             "{'out':['d'],'op':'dynamic_slice','args':['x','s'],'size':[2]},"
             "{'out':['e'],'op':'dynamic_update_slice','args':['x','d','s']},"
             "{'out':['f'],'op':'gt','args':['x','e']},"
             "{'out':['g'],'op':'masked_scatter','args':['x','f','u']},"
             "{'out':['h'],'op':'select','args':['f','x','g']}"
             "],'results':['a','b','c','h'],'points':[[[1,2,3,4],[-1,0,9],[1,1,1],[1]],[[1,2,3,4],"
             "[0,0,0],[1,1,1],[-7]]],"
             "'request':[{'transform':'vjp','wrt':[0,2],'cotangents':[[1,0,0],[1,2,3,4],[0,0,1],[1,1,1,1]]}]")},
    {"dtypes",
        CASE("'inputs':['a: f16[]','b: bf16[2]','c: f32[0,3]','d: bool[2]','e: i32[]'],'body':["
             "{'out':['f'],'op':'cast','args':['a'],'dtype':'bf16'},"
             "{'out':['g'],'op':'mul','args':['f','b']},"
             "{'out':['h: bool[2]'],'op':'constant','value':[true,false]},"
             "{'out':['k: f16[]'],'op':'constant','value':'0x1p-24'}"
             "],'results':['g','c','h','e','k'],'points':[[65504,['-0x0p+0',-0],[],[true,false],-2147483648]],"
             "'request':[{'transform':'jvp','wrt':[0,3,4],'tangents':[1,[false,false],0]}]")},
    {"batch of gradients",
        CASE("'inputs':['x: f64[]','y: f64[]'],'body':[{'out':['z'],'op':'mul','args':['x','y']}],"
             "'results':['z'],'points':[[[1,2,3],4]],'request':[{'transform':'vjp','wrt':[1],'cotangents':[1]},"
             "{'transform':'batch','wrt':[0],'size':3}]")},
    {"derivative",
        CASE("'inputs':['x: f64[]','n: i64[]','y: f32[2]'],'body':["
             "{'out':['d','e'],'op':'derivative','args':['x','n','y','x','y'],'primals':3,"
             "'transform':'jvp','regions':["
             "{'params':['a','m: i64[]','b'],'body':[{'out':['c'],'op':'mul','args':['b','y']}],"
             "'results':['a','m','c']}]},"
             "{'out':['g'],'op':'derivative','args':['y','e'],'primals':1,'transform':'vjp','regions':["
             "{'params':['u'],'body':[{'out':['v'],'op':'sin','args':['u']}],'results':['v']}]}"
             "],'results':['d','g'],'points':[[1,2,[3,4]]]," PRIMAL)},
    {"variant", CASE("'inputs':['x: f64[]'],'body':[],'results':['x'],'points':[[1]],'request':[],'variant':65535")},
};

enum { N_SAMPLE = sizeof samples / sizeof samples[0] };

#endif
