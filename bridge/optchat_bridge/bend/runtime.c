/* The machine's parts that are the same for every program: memory, thunks, application, effects, showing. */

W *hp, *hlim, *sp, *slim;
W ret;
W reg[REGISTERS];
W caf[CAFS + 1];

enum { NURSERY = 1 << 19 }; /* words */
static W *heap_base;
static W *stack_base;
static size_t heap_words, stack_words;
/* Words for both halves of the heap and the stack: 4096 MB, or OPTCHAT_BEND_MB. */
static size_t heap_max = (size_t)4096 << 17;

int fail(const char *why) {
  fflush(stdout);
  fprintf(stderr, "error: %s\n", why);
  exit(1);
}

/* ---- memory ---- */

/* What only the evaluator can do. Where nothing was done yet that can be seen, the caller starts it: execute.py. */
enum { CANNOT_RUN = 3 };

int outside(const char *what) {
  fprintf(stderr, "error: %s: only the evaluator can run this\n", what);
  exit(MAIN_EFFECT ? 1 : CANNOT_RUN);
}

static W *new_words(size_t words) {
  W *p = words <= SIZE_MAX / sizeof(W) ? malloc(words * sizeof(W)) : NULL;
  if (p == NULL) fail("out of memory");
  return p;
}

static W *spare; /* the block that the last collection emptied: fresh pages cost as much as copying into them */
static size_t spare_words;

void grow_stack(void) {
  size_t used = (size_t)(sp - stack_base);
  stack_words *= 2;
  if (stack_words + heap_words + spare_words > heap_max) {
    free(spare);
    spare = NULL;
    spare_words = 0;
  }
  if (stack_words + heap_words > heap_max) fail("the computation is too deep: it needs more than OPTCHAT_BEND_MB allows");
  stack_base = realloc(stack_base, stack_words * sizeof(W));
  if (stack_base == NULL) fail("out of memory");
  sp = stack_base + used;
  slim = stack_base + stack_words - STACK_SLACK;
}

static W *from_low, *from_high;

static W moved(W x) {
  for (;;) {
    if (IS_IMM(x)) return x;
    W *p = OBJ(x);
    if (p < from_low || p >= from_high) return x;
    W header = p[0];
    if (!(header & 1u)) return header;
    if ((header & 0xffu) == K_IND) {
      x = p[1];
      continue;
    }
    size_t words = SIZE(header) + 1;
    W *q = hp;
    memcpy(q, p, words * sizeof(W));
    hp += words;
    p[0] = ADDRESS(q);
    return ADDRESS(q);
  }
}

static void copy_all(size_t saved) {
  W *scan = hp;
  for (W *p = stack_base; p < sp + saved; p++) *p = moved(*p);
  for (int i = 0; i < CAFS; i++) caf[i] = moved(caf[i]);
  while (scan < hp) {
    W header = scan[0];
    size_t size = SIZE(header);
    int hole = (header & 0xffu) == K_HOLE; /* its words have been taken over by the code that evaluates it */
    for (size_t i = 1; i <= size; i++) scan[i] = hole ? NONE : moved(scan[i]);
    scan += size + 1;
  }
}

/* Copies what is reachable from the stack, with `saved` words above sp, and makes room for `need` words.
 * The next collection comes when half as much again as is alive was allocated, or 4 MB; near the limit when less was,
 * but not so little that the program does nothing but collect. */
void collect(size_t saved, size_t need) {
  size_t half = (heap_max - stack_words) / 2;
  size_t used = (size_t)(hp - heap_base), most = used + used / 2 + need + NURSERY;
  if (spare_words < used + need + NURSERY) {
    free(spare);
    spare_words = most > half ? used + need + NURSERY : most;
    spare = new_words(spare_words);
  }
  W *old = heap_base;
  size_t old_words = heap_words;
  from_low = old;
  from_high = hp;
  heap_base = hp = spare;
  heap_words = spare_words;
  copy_all(saved);
  spare = old;
  spare_words = old_words;
  size_t live = (size_t)(hp - heap_base), next = live + live / 2 + need + NURSERY;
  if (next > half) next = half;
  if (next < live + live / 8 + need) fail("out of memory: the program needs more than OPTCHAT_BEND_MB allows");
  hlim = heap_base + (next > heap_words ? heap_words : next);
}

/* ---- evaluation ---- */

int enter(W thunk) {
  if (KIND(thunk) == K_HOLE) return fail("a value depends on itself");
  reg[0] = thunk;
  return (int)INFO(thunk);
}

static int code_update(int pc) {
  (void)pc;
  W thunk = POP();
  OBJ(thunk)[0] = HEADER(K_IND, SIZE(OBJ(thunk)[0]), 0);
  OBJ(thunk)[1] = ret;
  return (int)IMM_VALUE(POP());
}

/* Calls a function value with the first `count` registers. */
int apply(W function, size_t count) {
  if (IS_IMM(function)) return fail("a value was called that is no function");
  if (sp >= slim) grow_stack();
  if (KIND(function) == K_PAP) {
    size_t held = SIZE(OBJ(function)[0]) - 1;
    for (size_t i = count; i-- > 0;) reg[i + held] = reg[i];
    for (size_t i = 0; i < held; i++) reg[i] = OBJ(function)[2 + i];
    function = OBJ(function)[1];
    count += held;
  }
  if (KIND(function) != K_FUN) return fail("a value was called that is no function");
  size_t arity = (size_t)IMM_VALUE(OBJ(function)[1]);
  if (count < arity) {
    if ((size_t)(hlim - hp) < count + 2) {
      for (size_t i = 0; i < count; i++) sp[i] = reg[i];
      sp[count] = function;
      collect(count + 1, count + 2);
      for (size_t i = 0; i < count; i++) reg[i] = sp[i];
      function = sp[count];
    }
    W *p = hp;
    hp += count + 2;
    p[0] = HEADER(K_PAP, count + 1, 0);
    p[1] = function;
    for (size_t i = 0; i < count; i++) p[2 + i] = reg[i];
    RETURN(ADDRESS(p));
  }
  if (count > arity) {
    for (size_t i = count; i-- > arity;) PUSH(reg[i]);
    PUSH(NAT(count - arity));
    PUSH(CODE(CODE_APPLY));
  }
  reg[arity] = function;
  return (int)INFO(function);
}

static int code_apply(int pc) {
  (void)pc;
  size_t count = (size_t)IMM_VALUE(POP());
  for (size_t i = 0; i < count; i++) reg[i] = POP();
  return apply(ret, count);
}

/* ---- numbers ---- */

W nat_checked(W n) {
  if (n >= (W)1 << 59) fail("a natural number of 2^59 or more does not fit this machine");
  return NAT(n);
}

W nat_times(W a, W b) {
  if (a != 0 && b > (((W)1 << 59) - 1) / a) fail("a natural number of 2^59 or more does not fit this machine");
  return NAT(a * b);
}

W nat_power(W a, W b) {
  W r = 1;
  if (a < 2) return NAT(b == 0 ? 1 : a);
  while (b-- > 0) r = IMM_VALUE(nat_times(r, a));
  return NAT(r);
}

/* A word's bits are shifted left by 6, their number is below. */
W word_cons(W head, W tail) {
  if (!IS_IMM(tail) || IMM_KIND(tail) != I_WORD) outside("a WCon over something that is no word");
  W bits = IMM_VALUE(tail) >> 6, count = IMM_VALUE(tail) & 63u;
  if (count >= 54) outside("a machine word of more than 54 bits");
  return IMM(I_WORD, (bits << 1 | (head == CON0(C_True) ? 1u : 0u)) << 6 | (count + 1));
}

W word_pack(W word) { return U32(IMM_VALUE(word) >> 6); }

/* ---- text ---- */

/* How many bytes at p, of at most n, are a character or the longest start of one; *want is how many it takes.
 * At least 1; a byte that begins nothing wants 0. */
static size_t character(const unsigned char *p, size_t n, size_t *want) {
  unsigned first = p[0], low = 0x80, high = 0xbf;
  *want = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  if (first == 0xe0) low = 0xa0;
  if (first == 0xed) high = 0x9f;
  if (first == 0xf0) low = 0x90;
  if (first == 0xf4) high = 0x8f;
  size_t have = 1;
  for (; have < *want && have < n && p[have] >= low && p[have] <= high; have++) {
    low = 0x80;
    high = 0xbf;
  }
  return have;
}

/* The code point at p, of at most n bytes, and its length; what is no UTF-8 is one U+FFFD for each start of a
 * character that is not whole, and for each other byte. */
static uint32_t decode(const unsigned char *p, size_t n, size_t *length) {
  size_t want;
  *length = character(p, n, &want);
  if (want == 1) return p[0];
  if (*length < want || want == 0) return 0xfffd;
  uint32_t code = want == 2 ? p[0] & 31u : want == 3 ? p[0] & 15u : p[0] & 7u;
  for (size_t i = 1; i < want; i++) code = code << 6 | (p[i] & 0x3fu);
  return code;
}

static size_t encode(uint32_t code, unsigned char *out) {
  if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) code = 0xfffd;
  if (code < 0x80) {
    out[0] = (unsigned char)code;
    return 1;
  }
  if (code < 0x800) {
    out[0] = (unsigned char)(0xc0u | code >> 6);
    out[1] = (unsigned char)(0x80u | (code & 0x3fu));
    return 2;
  }
  if (code < 0x10000) {
    out[0] = (unsigned char)(0xe0u | code >> 12);
    out[1] = (unsigned char)(0x80u | (code >> 6 & 0x3fu));
    out[2] = (unsigned char)(0x80u | (code & 0x3fu));
    return 3;
  }
  out[0] = (unsigned char)(0xf0u | code >> 18);
  out[1] = (unsigned char)(0x80u | (code >> 12 & 0x3fu));
  out[2] = (unsigned char)(0x80u | (code >> 6 & 0x3fu));
  out[3] = (unsigned char)(0x80u | (code & 0x3fu));
  return 4;
}

/* A text object is an address of bytes and their number; it is never empty. */
static const unsigned char *text_bytes(W text) { return (const unsigned char *)(uintptr_t)OBJ(text)[1]; }

W text_head(W text) {
  if (KIND(text) == K_CELL) return CHR(INFO(text));
  if (KIND(text) == K_CON) return OBJ(text)[1];
  size_t length;
  return CHR(decode(text_bytes(text), (size_t)IMM_VALUE(OBJ(text)[2]), &length));
}

/* Needs room for three words. */
W text_tail(W text) {
  if (KIND(text) == K_CELL) return OBJ(text)[1];
  if (KIND(text) == K_CON) return OBJ(text)[2];
  size_t length, left = (size_t)IMM_VALUE(OBJ(text)[2]);
  decode(text_bytes(text), left, &length);
  if (length == left) return CON0(C_SNil);
  W *p = hp;
  hp += 3;
  p[0] = HEADER(K_TEXT, 2, C_SCon);
  p[1] = ADDRESS(text_bytes(text) + length);
  p[2] = NAT(left - length);
  return ADDRESS(p);
}

/* Evaluates `x`, then goes to `next` with the value in ret. */
static int evaluate(W x, int next) {
  if (sp >= slim) grow_stack();
  if (DELAYED(x)) {
    if (!LINKED(x)) {
      PUSH(CODE(next));
      return enter(x);
    }
    x = TARGET(x);
  }
  ret = x;
  return next;
}

/* The value of main is there: what happens to it depends on whether main is an action. */
static int finish(void);

static int code_stop(int pc) {
  (void)pc;
  return finish();
}
