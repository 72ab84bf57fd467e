/* Showing: what happens to the value of a main without effects. It is evaluated in full, then printed. */

/* Evaluates the values on the stack down to the first code, and everything in them. */
static int code_force(int pc) {
  (void)pc;
  W x = POP();
  if (IS_IMM(x)) {
    if (IMM_KIND(x) == I_NONE) return outside("a value that holds a type");
    return IMM_KIND(x) == I_CODE ? (int)IMM_VALUE(x) : CODE_FORCE;
  }
  return evaluate(x, CODE_FORCED);
}

static int code_forced(int pc) {
  (void)pc;
  W x = ret;
  if (IS_IMM(x)) return IMM_KIND(x) == I_NONE ? outside("a value that holds a type") : CODE_FORCE;
  if (KIND(x) == K_FUN || KIND(x) == K_PAP) return outside("a value that holds a function");
  if (KIND(x) == K_TEXT) return CODE_FORCE;
  size_t size = SIZE(OBJ(x)[0]);
  while (sp + size >= slim) grow_stack();
  for (size_t i = size; i >= 1; i--) PUSH(OBJ(x)[i]);
  return CODE_FORCE;
}

/* Codes on the stack are what is still to be printed between the values there. */
enum { P_COMMA, P_BRACE, P_PAREN, P_BRACKET, P_ELEMENTS, P_COMPONENTS, P_SLOTS, P_MORE_SLOTS };

static W plain(W x) {
  while (!IS_IMM(x) && KIND(x) == K_IND) x = OBJ(x)[1];
  return x;
}

static void print_character(uint32_t code, char quote) {
  unsigned char bytes[4];
  switch (code) {
    case '\n': fputs("\\n", stdout); return;
    case '\t': fputs("\\t", stdout); return;
    case '\r': fputs("\\r", stdout); return;
    case 0: fputs("\\0", stdout); return;
    case '\\': fputs("\\\\", stdout); return;
    default: break;
  }
  if (code == (uint32_t)quote) putchar('\\');
  fwrite(bytes, 1, encode(code, bytes), stdout);
}

static void print_text(W x) {
  putchar('"');
  for (x = plain(x); !IS_IMM(x);) {
    if (KIND(x) == K_TEXT) {
      const unsigned char *p = text_bytes(x);
      size_t left = (size_t)IMM_VALUE(OBJ(x)[2]), length;
      for (; left > 0; left -= length, p += length) print_character(decode(p, left, &length), '"');
      break;
    }
    print_character((uint32_t)IMM_VALUE(plain(text_head(x))), '"');
    x = plain(text_tail(x));
  }
  putchar('"');
}

static void print_immediate(W x) {
  W value = IMM_VALUE(x);
  switch (IMM_KIND(x)) {
    case I_NAT:
      printf("%" PRIu64 "n", value);
      break;
    case I_U32:
      printf("%" PRIu64, value);
      break;
    case I_CHR:
      putchar('\'');
      print_character((uint32_t)value, '\'');
      putchar('\'');
      break;
    case I_WORD:
      for (W i = 0; i < (value & 63u); i++) printf("WCon{%s{}, ", value >> (6 + i) & 1u ? "True" : "False");
      fputs("WNil{}", stdout);
      for (W i = 0; i < (value & 63u); i++) putchar('}');
      break;
    case I_CON:
      if (value == C_Nil) {
        fputs("[]", stdout);
      } else if (value == C_SNil) {
        fputs("\"\"", stdout);
      } else {
        fputs(constructor_names[value], stdout);
        if (constructor_names[value][0] != '{') fputs("{}", stdout);
      }
      break;
    default:
      break;
  }
}

/* The slots of an array's tree, from the left. */
static void print_slots(W tree) {
  while (INFO(tree) == C_ANode) {
    PUSH(OBJ(tree)[2]);
    PUSH(CODE(P_MORE_SLOTS));
    tree = plain(OBJ(tree)[1]);
  }
  PUSH(OBJ(tree)[1]);
}

/* Goes on in a list, a tuple or an array, whose rest is on the stack, or closes something. */
static void print_piece(W piece) {
  W rest;
  switch (piece) {
    case P_COMMA:
      fputs(", ", stdout);
      return;
    case P_BRACE:
      putchar('}');
      return;
    case P_PAREN:
      putchar(')');
      return;
    case P_BRACKET:
      putchar(']');
      return;
    case P_MORE_SLOTS:
      fputs(", ", stdout);
      print_slots(plain(POP()));
      return;
    case P_SLOTS:
      print_slots(plain(POP()));
      return;
    case P_ELEMENTS:
      rest = plain(POP());
      if (IS_IMM(rest)) {
        putchar(']');
        return;
      }
      break;
    default:
      rest = plain(POP());
      if (IS_IMM(rest) || INFO(rest) != C_Tuple) {
        fputs(", ", stdout);
        PUSH(CODE(P_PAREN));
        PUSH(rest);
        return;
      }
      break;
  }
  fputs(", ", stdout);
  PUSH(OBJ(rest)[2]);
  PUSH(CODE(piece));
  PUSH(OBJ(rest)[1]);
}

static void print_object(W x) {
  W tag = INFO(x);
  if (KIND(x) == K_CELL || tag == C_SCon) {
    print_text(x);
  } else if (tag == C_Con || tag == C_Tuple) {
    putchar(tag == C_Con ? '[' : '(');
    PUSH(OBJ(x)[2]);
    PUSH(CODE(tag == C_Con ? P_ELEMENTS : P_COMPONENTS));
    PUSH(OBJ(x)[1]);
  } else if (tag == C_ANode || tag == C_ALeaf) {
    putchar('[');
    PUSH(CODE(P_BRACKET));
    PUSH(x);
    PUSH(CODE(P_SLOTS));
  } else {
    size_t size = SIZE(OBJ(x)[0]);
    printf("%s{", constructor_names[tag]);
    PUSH(CODE(P_BRACE));
    for (size_t i = size; i >= 1; i--) {
      PUSH(OBJ(x)[i]);
      if (i > 1) PUSH(CODE(P_COMMA));
    }
  }
}

/* Prints the value on the stack; it is evaluated in full. */
static int code_print(int pc) {
  (void)pc;
  W value = POP();
  size_t base = (size_t)(sp - stack_base);
  PUSH(value);
  while ((size_t)(sp - stack_base) > base) {
    W x = plain(POP());
    if (sp >= slim) grow_stack();
    if (!IS_IMM(x)) {
      print_object(x);
    } else if (IMM_KIND(x) == I_CODE) {
      print_piece(IMM_VALUE(x));
    } else {
      print_immediate(x);
    }
  }
  putchar('\n');
  return -1;
}

static int finish(void) {
  W value = ret;
  PUSH(value);
  PUSH(CODE(CODE_PRINT));
  PUSH(value);
  return CODE_FORCE;
}

static void set_arguments(int count, char **values) {
  (void)count;
  (void)values;
}
