"""Hypothesis profiles: "ci" (the default) and "thorough" (`pytest --hypothesis-profile=thorough`)."""

from hypothesis import HealthCheck, settings

_calm = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
settings.register_profile("ci", max_examples=500, deadline=None, derandomize=True, suppress_health_check=_calm)
settings.register_profile("thorough", max_examples=10_000, deadline=None, suppress_health_check=_calm)
settings.load_profile("ci")
