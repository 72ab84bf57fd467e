"""Hypothesis profiles: `ci` for every run, `nightly` for the long searches (`OPTCHAT_HYPOTHESIS=nightly`)."""

import os

from hypothesis import HealthCheck, settings

SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]
settings.register_profile(
    "ci", max_examples=60, stateful_step_count=40, deadline=None, suppress_health_check=SLOW, print_blob=True
)
settings.register_profile(
    "nightly", max_examples=3000, stateful_step_count=120, deadline=None, suppress_health_check=SLOW, print_blob=True
)
settings.load_profile(os.environ.get("OPTCHAT_HYPOTHESIS", "ci"))
