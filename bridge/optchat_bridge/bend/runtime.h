/* The machine that compiled Bend programs run on. Plain C99.
 *
 * A value is a 64-bit word: an immediate (lowest bit 1), or the address of an object. Objects live in one heap that a
 * copying collector compacts; an object is a header and its words. Generated functions keep their variables in C
 * variables, pass arguments in `reg`, and save what they need later on `sp`, an explicit stack: so depth is limited
 * by memory alone, and the collector's roots are exactly the stack and `caf`.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uint64_t W;
typedef int (*Code)(int);

/* Immediates: 60 bits, the kind, the bit. */
enum { I_NAT, I_U32, I_CHR, I_CON, I_WORD, I_CODE, I_NONE };
#define IMM(kind, n) ((W)(n) << 4 | (W)(kind) << 1 | 1u)
#define IS_IMM(x) (((x) & 1u) != 0)
#define IMM_KIND(x) ((int)((x) >> 1 & 7u))
#define IMM_VALUE(x) ((x) >> 4)
#define NAT(n) IMM(I_NAT, n)
#define U32(n) IMM(I_U32, (n) & UINT32_C(0xffffffff))
#define CHR(n) IMM(I_CHR, n)
#define CON0(id) IMM(I_CON, id)
#define CODE(id) IMM(I_CODE, id)
#define NONE IMM(I_NONE, 0)
#define BOOL(test) ((test) ? CON0(C_True) : CON0(C_False))

/* Objects. The kinds from K_THUNK on are no values yet. Kinds are odd: a header with an even word is a forward address. */
enum { K_CON = 1, K_CELL = 3, K_TEXT = 5, K_FUN = 7, K_PAP = 9, K_THUNK = 11, K_HOLE = 13, K_IND = 15 };
#define OBJ(x) ((W *)(uintptr_t)(x))
#define ADDRESS(p) ((W)(uintptr_t)(p))
#define HEADER(kind, size, info) ((W)(info) << 32 | (W)(size) << 8 | (W)(kind))
#define KIND(x) ((int)(OBJ(x)[0] & 0xffu))
#define SIZE(header) ((size_t)((header) >> 8 & 0xffffffu))
#define INFO(x) (OBJ(x)[0] >> 32)
#define TAG(x) (IS_IMM(x) ? IMM_VALUE(x) : INFO(x))

/* A value that is not evaluated, or that is only a link to one that is. */
#define DELAYED(x) (!IS_IMM(x) && KIND(x) >= K_THUNK)
#define LINKED(x) (KIND(x) == K_IND)
#define TARGET(x) (OBJ(x)[1])

extern W *hp, *hlim, *sp, *slim;
extern W ret;
extern W reg[];
extern W caf[];

/* A function's return goes to the code on top of the stack. */
#define RETURN(x) do { ret = (x); return (int)IMM_VALUE(*--sp); } while (0)
#define TAIL(v) do { if (DELAYED(v)) { if (!LINKED(v)) return enter(v); v = TARGET(v); } RETURN(v); } while (0)
/* A character in front of a string, compact if the character is known; needs room for three words. */
#define CELL(v, head, tail) do { \
    if (IS_IMM(head)) { hp[0] = HEADER(K_CELL, 1, IMM_VALUE(head)); hp[1] = (tail); v = ADDRESS(hp); hp += 2; } \
    else { hp[0] = HEADER(K_CON, 2, C_SCon); hp[1] = (head); hp[2] = (tail); v = ADDRESS(hp); hp += 3; } \
  } while (0)
#define PUSH(x) (*sp++ = (x))
#define POP() (*--sp)
#define STACK_SLACK 4096

/* Codes of the machine itself; the program's follow. */
enum {
  CODE_STOP,
  CODE_UPDATE,
  CODE_APPLY,
  CODE_TEXT,
  CODE_TEXT_HEAD,
  CODE_STEP,
  CODE_BOUND,
  CODE_GOT,
  CODE_DONE,
  CODE_FORCE,
  CODE_FORCED,
  CODE_PRINT,
  CODE_FIRST
};

void collect(size_t saved, size_t need);
void grow_stack(void);
int enter(W thunk);
int apply(W function, size_t count);
int fail(const char *why);
int outside(const char *what);
W text_head(W text);
W text_tail(W text);
W nat_checked(W n);
W nat_times(W a, W b);
W nat_power(W a, W b);
W word_pack(W word);
W word_cons(W head, W tail);
