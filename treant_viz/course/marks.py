"""Marks in the notebooks' sources; notebooks for students are made without them.

    <!-- answer: What you see after "Try it". -->

An answer is for the version with solutions only. (`questions.py` has the marks of questions.)
"""

from __future__ import annotations

import re

from treant_viz.course.questions import for_notebooks

_ANSWER = re.compile(r"<!-- answer: (.*?)\s*-->\s*", re.S)


def without_marks(words: str, answers: bool = False) -> str:
    """The words of a notebook's cell, with the answers or without them.

    >>> without_marks("**Try it.** Add 1.\\n\\n<!-- answer: It is 2. -->", answers=True)
    '**Try it.** Add 1.\\n\\n**Answer.** It is 2.'
    >>> without_marks("**Try it.** Add 1.\\n\\n<!-- answer: It is 2. -->")
    '**Try it.** Add 1.'
    """
    return for_notebooks(_ANSWER.sub(r"**Answer.** \1\n\n" if answers else "", words)).rstrip()


__all__ = ["without_marks"]
