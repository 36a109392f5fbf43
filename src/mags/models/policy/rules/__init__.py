"""Policies without a model: plain English read by rules."""

from mags.models.policy.rules.policy import RulePolicy

__all__ = ["RulePolicy"]
