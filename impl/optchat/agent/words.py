"""Words by what they tell: those that every text is full of, and those that speak of errors and outcomes."""

from __future__ import annotations

_STOP = """
a about after all also am an and any are as at be because been before being both but by can con could das de der did
die do does doing don't done down each el en et even few for from further get gets got had has have having he her here
hers him his how i i'd i'll i'm i've if in into is isn't ist it it's its itself just la le les let let's like ll los
me more most my myself na no nor not now of off on once one only or other our ours out over own por pour que same she
should so some such than that that's the their them then there there's these they this those through to too un und
under une until up upon us very was we we'll were what when where which while who whom why will with would yes yet you
you'll you're your yours
"""
STOP = frozenset(_STOP.split())

_DULL = """
able above actually add added adding additional again aider allow allows already always another appropriate around
assistant available based below best better call called case cases certainly change changed changes chat check code
command commands common contains content correct correctly cost create created current currently data default define
details different ensure ensures example examples existing expected false feature features file files find first fix
following function functions general given handle handling help here's however implement implementation improve
include included including information instead issue keep kind know last line lines list long look main make makes
making many message messages method might model models must name necessary need needed needs never new next none note
null number often old order output part path please point possible print problem process proper properly provide
provided provides put question read really received remove removed repo request return returns right run running
sample say second see sent session set several show simple since something specific start still string sure take tell
test tests text thank thanks thing things think time token tokens true try two type update updated updates use used
useful user uses using value values various version via want way well whether without work working works write
"""
DULL = frozenset(_DULL.split())

_ERRORS = """
abort aborted assert assertionerror attributeerror broken bug bugs conflict conflicts corrupt corrupted crash crashed
crashes denied deprecated duplicate error errors exception exceptions fail failed failing fails failure failures fatal
filenotfounderror forbidden hang hangs importerror incompatible invalid keyerror killed leak leaks missing
modulenotfounderror nameerror oom overflow panic permissionerror refused regression rejected runtimeerror segfault
stuck syntaxerror timeout traceback typeerror unable undefined unexpected unreachable valueerror warning wrong
zerodivisionerror
"""
ERRORS = frozenset(_ERRORS.split())

_OUTCOMES = """
accepted agreed applied approved cancelled chose chosen commit committed completed confirmed decided decision deployed
disabled dropped enabled finished fixed installed landed launched merged migrated moved ordered paid passed postponed
published pushed released renamed replaced resolved reverted rolled scheduled shipped signed solved succeeded success
undo undone upgraded
"""
OUTCOMES = frozenset(_OUTCOMES.split())
