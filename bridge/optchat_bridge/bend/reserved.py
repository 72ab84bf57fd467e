"""The names that Bend's Base owns: no file that is loaded beside Base may declare them, whether ours has them or not.

Taken from the digest of Base. Names that our own Base declares beyond these are refused as duplicates as well.
"""

from typing import Final

_TYPES = (
    "Empty Unit Bool Cmp Either Sigma Nat Maybe Result List Word.Nil Word.Con U32 F32 Char String Array Image Event"
    " Map IO.OP App File Socket Listener Window Audio Chan Pair Exists Or IO Word Set"
)
TYPES: Final = frozenset(_TYPES.split())

_CONSTRUCTORS = (
    "Unit False True LT EQ GT Inl Inr Tuple Zero Succ None Some Fail Done Nil Con WNil WCon U32 F32 Chr SNil SCon"
    " ALeaf ANode Pix Qua Key Mouse Move Close MTip MLeaf MNode Emit Halt App"
)
CONSTRUCTORS: Final = frozenset(_CONSTRUCTORS.split())

_DEFS = {
    "Equal": "sym trans cong",
    "Empty": "absurd",
    "Bool": "not and or xor cmp pick to_u32 show",
    "Cmp": "is_lt is_eq is_gt is_le is_ge",
    "Nat": "double add sub mul divmod divmod.go div mod pow cmp is_lt is_le is_gt is_ge is_eq is_ne min max"
    " ge_refl max_ge_l max_ge_r show read",
    "Maybe": "pure bind default is_some is_none map or",
    "Result": "pure bind default is_done map",
    "Pair": "fst snd",
    "List": "length append concat reverse reverse.go is_empty head tail last last.go get set take drop zip range"
    " replicate map filter foldl foldr any all find contains sort show",
    "Char": "to_u32 from_u32 is_eq is_digit is_alpha is_upper is_lower is_space to_upper to_lower",
    "String": "append length is_empty eq cmp order is_lt is_le is_gt is_ge reverse starts_with contains take drop get"
    " to_list from_list split lines join trim",
    "U32": "add sub mul div mod and or xor not shl shr shln shrn cmp is_eq is_ne is_lt is_le is_gt is_ge is_zero inc"
    " min max to_nat from_nat add_comm show read",
    "F32": "add sub mul div",
    "IO": "pure bind print write print_err args get_env try pass die",
    "File": "open read read_bytes size write close",
    "Map": "new set get has del keys size to_list",
}

DEFS: Final = frozenset(f"{space}.{word}" for space, words in _DEFS.items() for word in words.split())

NAMES: Final = TYPES | DEFS
