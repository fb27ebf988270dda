/* no_engine.c: a shared object that is no engine. */
int no_engine(void);
int no_engine(void) { return 0; }
