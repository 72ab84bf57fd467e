/* The main loop. */

int main(int argc, char **argv) {
  char *limit = getenv("OPTCHAT_BEND_MB");
  if (limit != NULL) {
    long megabytes = strtol(limit, NULL, 10);
    if (megabytes < 1 || megabytes > 1048576) return fail("OPTCHAT_BEND_MB is a number of megabytes, 1 to 1048576");
    heap_max = (size_t)megabytes << 17;
  }
  stack_words = (size_t)1 << 16;
  heap_words = (size_t)1 << 18;
  if (heap_words > (heap_max - stack_words) / 2) heap_words = (heap_max - stack_words) / 2;
  heap_base = hp = new_words(heap_words);
  hlim = heap_base + heap_words;
  stack_base = sp = new_words(stack_words);
  slim = stack_base + stack_words - STACK_SLACK;
  set_arguments(argc, argv);
  link_constants();
  for (int i = 0; i < CAFS; i++) {
    hp[0] = HEADER(K_THUNK, 1, caf_codes[i]);
    hp[1] = NONE;
    caf[i] = ADDRESS(hp);
    hp += 2;
  }
  PUSH(CODE(CODE_STOP));
  if (MAIN_EFFECT) PUSH(CODE(CODE_STEP));
  int pc = MAIN_CODE;
  while (pc >= 0) pc = table[pc](pc);
  return fflush(stdout) != 0 || ferror(stdout) ? fail("the output cannot be written") : 0;
}
