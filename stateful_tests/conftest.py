"""Hypothesis profiles: `ci` for every run, `nightly` for long searches (`OPTCHAT_HYPOTHESIS=nightly`); and Ctrl-C."""

import os
import signal

from hypothesis import HealthCheck, settings

SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]
settings.register_profile(
    "ci", max_examples=60, stateful_step_count=40, deadline=None, suppress_health_check=SLOW, print_blob=True
)
settings.register_profile(
    "nightly", max_examples=3000, stateful_step_count=120, deadline=None, suppress_health_check=SLOW, print_blob=True
)
# A shell's background job begins with Ctrl-C ignored, what nohup starts with SIGHUP, and so would every process that a
# test starts and signals.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
settings.load_profile(os.environ.get("OPTCHAT_HYPOTHESIS", "ci"))
