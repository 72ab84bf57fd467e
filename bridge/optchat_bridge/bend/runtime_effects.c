/* Effects: what a main of type IO does. An action is an object; it is done here, one step after another. */

/* The text that is being drained: bytes, and where they go. */
static unsigned char *buffer;
static size_t buffer_used, buffer_room;
static FILE *buffer_target; /* NULL: keep them */

static void buffer_flush(void) {
  if (buffer_target != NULL && buffer_used > 0) {
    fwrite(buffer, 1, buffer_used, buffer_target);
    buffer_used = 0;
  }
}

static void buffer_add(uint32_t code) {
  if (buffer_used + 8 > buffer_room) {
    buffer_flush();
    if (buffer_used + 8 > buffer_room) {
      buffer_room = buffer_room ? buffer_room * 2 : 1 << 16;
      buffer = realloc(buffer, buffer_room);
      if (buffer == NULL) fail("out of memory");
    }
  }
  buffer_used += encode(code, buffer + buffer_used);
}

static void drain_to(FILE *target) {
  buffer_used = 0;
  buffer_target = target;
}

/* ret is a string in weak head normal form; its bytes are added to the buffer; then the code on the stack goes on. */
static int code_text(int pc) {
  (void)pc;
  for (;;) {
    W text = ret;
    if (IS_IMM(text)) {
      buffer_flush();
      return (int)IMM_VALUE(POP());
    }
    if (KIND(text) == K_TEXT) {
      const unsigned char *p = text_bytes(text);
      size_t left = (size_t)IMM_VALUE(OBJ(text)[2]), length;
      for (; left > 0; left -= length, p += length) buffer_add(decode(p, left, &length));
      ret = CON0(C_SNil);
      continue;
    }
    if (KIND(text) == K_CON) {
      PUSH(OBJ(text)[2]);
      return evaluate(OBJ(text)[1], CODE_TEXT_HEAD);
    }
    buffer_add((uint32_t)INFO(text));
    W tail = OBJ(text)[1];
    if (DELAYED(tail)) return evaluate(tail, CODE_TEXT);
    ret = tail;
  }
}

static int code_text_head(int pc) {
  (void)pc;
  buffer_add((uint32_t)IMM_VALUE(ret));
  return evaluate(POP(), CODE_TEXT);
}

static int argument_count;
static char **arguments;

static void set_arguments(int count, char **values) {
  argument_count = count;
  arguments = values;
}

/* Room for `words` more words; what is needed later must be on the stack. */
static void room(size_t words) {
  if ((size_t)(hlim - hp) < words) collect(0, words);
}

static W object(W constructor, size_t size) {
  W *p = hp;
  hp += size + 1;
  p[0] = HEADER(K_CON, size, constructor);
  return ADDRESS(p);
}

/* Text over bytes that stay where they are. Three words. */
static W text_over(const char *bytes, size_t length) {
  if (length == 0) return CON0(C_SNil);
  W *p = hp;
  hp += 3;
  p[0] = HEADER(K_TEXT, 2, C_SCon);
  p[1] = ADDRESS(bytes);
  p[2] = NAT(length);
  return ADDRESS(p);
}

static char *kept(const char *bytes, size_t length) {
  char *copy = malloc(length + 1);
  if (copy == NULL) fail("out of memory");
  memcpy(copy, bytes, length);
  copy[length] = 0;
  return copy;
}

static W done(W value) {
  W result = object(C_Done, 1);
  OBJ(result)[1] = value;
  return result;
}

/* Fail{(code, text)}: 8 words. */
static W failed(int code, const char *why) {
  W text = text_over(kept(why, strlen(why)), strlen(why));
  W pair = object(C_Tuple, 2);
  OBJ(pair)[1] = U32(code);
  OBJ(pair)[2] = text;
  W result = object(C_Fail, 1);
  OBJ(result)[1] = pair;
  return result;
}

static W pair_of(W first, W second) {
  W pair = object(C_Tuple, 2);
  OBJ(pair)[1] = first;
  OBJ(pair)[2] = second;
  return pair;
}

enum { FILES = 64 };
static struct {
  FILE *file;
  char pending[4]; /* bytes of a character that the last read cut off */
  size_t pending_count;
} files[FILES];

static W open_file(const char *path, const char *mode) {
  for (W i = 0; i < FILES; i++) {
    if (files[i].file == NULL) {
      errno = 0;
      files[i].file = fopen(path, mode);
      files[i].pending_count = 0;
      if (files[i].file == NULL) return failed(errno, strerror(errno));
      return done(NAT(i));
    }
  }
  return failed(EMFILE, strerror(EMFILE));
}

/* How many bytes at the end begin a character that is not whole. */
static size_t cut_off(const char *bytes, size_t length) {
  size_t want;
  for (size_t back = 1; back <= 3 && back <= length; back++) {
    if (character((const unsigned char *)bytes + length - back, back, &want) == back && want > back) return back;
  }
  return 0;
}

static W read_text(W handle, size_t max) {
  size_t i = (size_t)IMM_VALUE(handle), held = files[i].pending_count;
  char *bytes = malloc(held + max + 1);
  if (bytes == NULL) return failed(ENOMEM, strerror(ENOMEM));
  memcpy(bytes, files[i].pending, held);
  errno = 0;
  size_t got = fread(bytes + held, 1, max, files[i].file), length = held + got;
  if (ferror(files[i].file)) {
    free(bytes);
    return failed(errno, strerror(errno));
  }
  size_t cut = feof(files[i].file) ? 0 : cut_off(bytes, length);
  files[i].pending_count = cut;
  memcpy(files[i].pending, bytes + length - cut, cut);
  length -= cut;
  bytes = realloc(bytes, length + 1); /* text stays until the program ends */
  return done(text_over(bytes, length));
}

static W read_bytes(W handle, size_t max) {
  FILE *file = files[IMM_VALUE(handle)].file;
  unsigned char *bytes = malloc(max + 1);
  if (bytes == NULL) return failed(ENOMEM, strerror(ENOMEM));
  size_t got = fread(bytes, 1, max, file);
  room(got * 3 + 16);
  W list = CON0(C_Nil);
  for (size_t i = got; i-- > 0;) {
    W cell = object(C_Con, 2);
    OBJ(cell)[1] = U32(bytes[i]);
    OBJ(cell)[2] = list;
    list = cell;
  }
  free(bytes);
  return done(list);
}

static W file_size(W handle) {
  FILE *file = files[IMM_VALUE(handle)].file;
  long here = ftell(file), size;
  if (here < 0 || fseek(file, 0, SEEK_END) != 0) return failed(errno, strerror(errno));
  size = ftell(file);
  if (size < 0 || fseek(file, here, SEEK_SET) != 0) return failed(errno, strerror(errno));
  if ((uint64_t)size > UINT32_MAX) return failed(EFBIG, strerror(EFBIG));
  return done(U32(size));
}

static W argument_list(void) {
  W list = CON0(C_Nil);
  room((size_t)argument_count * 6);
  for (int i = argument_count; i-- > 1;) {
    W text = text_over(arguments[i], strlen(arguments[i]));
    W cell = object(C_Con, 2);
    OBJ(cell)[1] = text;
    OBJ(cell)[2] = list;
    list = cell;
  }
  return list;
}

/* The value of an effect goes to the code on the stack, which is waiting for it. */
static int yield(W value) { RETURN(value); }

/* ret is an action: does it, or begins to. */
static int code_step(int pc) {
  (void)pc;
  W action = ret;
  int effect = (int)TAG(action);
  W first = IS_IMM(action) ? NONE : OBJ(action)[1];
  W second = IS_IMM(action) || SIZE(OBJ(action)[0]) < 2 ? NONE : OBJ(action)[2];
  if (sp >= slim) grow_stack();
  switch (effect) {
    case E_IO_pure:
      return yield(first);
    case E_IO_bind:
      PUSH(second);
      PUSH(CODE(CODE_BOUND));
      return evaluate(first, CODE_STEP);
    case E_IO_args:
      return yield(argument_list());
    case E_IO_print:
    case E_IO_write:
    case E_IO_print_err:
    case E_IO_get_env:
      drain_to(effect == E_IO_get_env ? NULL : effect == E_IO_print_err ? stderr : stdout);
      PUSH(NAT(effect));
      PUSH(CODE(CODE_DONE));
      return evaluate(first, CODE_TEXT);
    case E_File_open: /* the mode first: it is short and kept aside */
      PUSH(first);
      PUSH(NAT(effect));
      PUSH(CODE(CODE_DONE));
      drain_to(NULL);
      return evaluate(second, CODE_TEXT);
    case E_IO_die:
    case E_File_read:
    case E_File_read_bytes:
    case E_File_size:
    case E_File_write:
    case E_File_close:
      PUSH(second);
      PUSH(NAT(effect));
      return evaluate(first, CODE_GOT);
    default:
      return fail("an action of an unknown kind");
  }
}

/* ret is the value of an action, the function that waits for it is on the stack. */
static int code_bound(int pc) {
  (void)pc;
  W function = POP(), value = ret;
  PUSH(CODE(CODE_STEP));
  PUSH(value);
  PUSH(NAT(1));
  return evaluate(function, CODE_APPLY);
}

/* ret is an effect's first argument. */
static int code_got(int pc) {
  (void)pc;
  int effect = (int)IMM_VALUE(POP());
  W second = POP(), first = ret;
  switch (effect) {
    case E_File_size:
      room(16);
      return yield(pair_of(first, file_size(first)));
    case E_File_close:
      fclose(files[IMM_VALUE(first)].file);
      files[IMM_VALUE(first)].file = NULL;
      return yield(CON0(C_Unit));
    case E_File_read:
    case E_File_read_bytes:
      PUSH(first);
      PUSH(NAT(effect));
      return evaluate(second, CODE_DONE);
    default: /* die and write: a text follows */
      PUSH(first);
      PUSH(NAT(effect));
      PUSH(CODE(CODE_DONE));
      drain_to(NULL);
      return evaluate(second, CODE_TEXT);
  }
}

/* The last argument is there: in ret, or in the buffer. */
static int code_done(int pc) {
  static char mode[8];
  static int have_mode;
  (void)pc;
  int effect = (int)IMM_VALUE(POP());
  room(24);
  switch (effect) {
    case E_IO_print:
      fputc('\n', stdout);
      return yield(CON0(C_Unit));
    case E_IO_print_err:
      fputc('\n', stderr);
      return yield(CON0(C_Unit));
    case E_IO_write:
      return yield(CON0(C_Unit));
    case E_IO_get_env: {
      char *name = kept((const char *)buffer, buffer_used), *value = getenv(name);
      free(name);
      return yield(value == NULL ? failed(ENOENT, "no such variable") : done(text_over(value, strlen(value))));
    }
    case E_IO_die:
      fflush(stdout);
      fwrite(buffer, 1, buffer_used, stderr);
      fputc('\n', stderr);
      exit((int)(IMM_VALUE(POP()) & 255u));
    case E_File_open:
      if (!have_mode) {
        size_t length = buffer_used < sizeof mode - 1 ? buffer_used : sizeof mode - 1;
        W path = POP();
        memcpy(mode, buffer, length);
        mode[length] = 0;
        have_mode = 1;
        PUSH(NAT(effect));
        PUSH(CODE(CODE_DONE));
        drain_to(NULL);
        return evaluate(path, CODE_TEXT);
      } else {
        char *path = kept((const char *)buffer, buffer_used);
        W result = open_file(path, mode);
        free(path);
        have_mode = 0;
        return yield(result);
      }
    case E_File_write: {
      W file = POP();
      size_t wrote = fwrite(buffer, 1, buffer_used, files[IMM_VALUE(file)].file);
      W result = wrote == buffer_used ? done(CON0(C_Unit)) : failed(errno, strerror(errno));
      return yield(pair_of(file, result));
    }
    default: {
      W file = POP();
      size_t max = (size_t)IMM_VALUE(ret);
      W result = effect == E_File_read ? read_text(file, max) : read_bytes(file, max);
      room(3 + 16);
      return yield(pair_of(file, result));
    }
  }
}

/* The last value is there. */
static int finish(void) { return -1; }
