"""Questions with choices: plain words in a notebook, buttons with feedback in the book.

    <!-- question: Is x2 unknown at $x_p \\le 2$?
    - Yes | It can be raised to 2, and 2 passes the test.
    + No | It goes left under every attack.
    -->

In a source, `+` marks the choice that is right, and what follows the bar is said to who takes a choice.
Longer lines go on in the next one, indented.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

_MARK = re.compile(r"<!-- question: (.*?)\s*-->", re.S)
_CHOICE = re.compile(r"^([+-]) (.*?)\s+\|\s+(.*)$", re.S)
SUMMARY = "Which one, and why not the others?"
_LIST = r"(?:- \*\*[A-Z]\*\*[^\n]+\n)+"
_ASKED = re.compile(
    rf"^\*\*Question\.\*\* (?P<words>[^\n]+)\n\n(?P<choices>{_LIST})\n"
    rf"<details><summary>{re.escape(SUMMARY)}</summary>\n\n(?P<replies>{_LIST})\n</details>$",
    re.M,
)
_ITEM = re.compile(r"^- \*\*[A-Z]\*\* (.+)$", re.M)
_REPLIES = re.compile(r"^- \*\*[A-Z]\*\* (is right|is not)\. (.+)$", re.M)
Write = Callable[[str], str]


class AnswerChoice(NamedTuple):
    """What can be answered, and what is said to who answers it."""

    words: str
    right: bool
    reply: str


class Question(NamedTuple):
    """One of its choices is right."""

    words: str
    choices: tuple[AnswerChoice, ...]


def for_notebooks(source: str) -> str:
    """Marks become a question, its choices, and a folded answer.

    >>> for_notebooks("<!-- question: Ready?\\n+ Yes | Go on.\\n- No | Read again.\\n-->")[:20]
    '**Question.** Ready?'
    """
    return _MARK.sub(lambda found: _words(_read(found[1])), source)


def _read(text: str) -> Question:
    """The question that a mark asks."""
    words, *listed = re.split(r"\n(?=[+-] )", text)
    found = [_CHOICE.match(one) for one in listed]
    choices = tuple(AnswerChoice(_line(c[2]), c[1] == "+", _line(c[3])) for c in found if c)
    if len(choices) != len(listed) or len(choices) < 2 or sum(c.right for c in choices) != 1:
        raise ValueError(f'expected choices "- words | what is said", one of them "+", got {text!r}')
    return Question(_line(words), choices)


def _line(text: str) -> str:
    return " ".join(text.split())


def _words(question: Question) -> str:
    lettered = list(zip("ABCDEF", question.choices, strict=False))
    choices = "".join(f"- **{letter}** {c.words}\n" for letter, c in lettered)
    verdict = {True: "is right", False: "is not"}
    replies = "".join(f"- **{letter}** {verdict[c.right]}. {c.reply}\n" for letter, c in lettered)
    folded = f"<details><summary>{SUMMARY}</summary>\n\n{replies}\n</details>"
    return f"**Question.** {question.words}\n\n{choices}\n{folded}"


def asked(words: str) -> list[Question]:
    """The questions in the words of a notebook."""
    return [_found(found) for found in _ASKED.finditer(words)]


def _found(found: re.Match[str]) -> Question:
    told = zip(_ITEM.findall(found["choices"]), _REPLIES.findall(found["replies"]), strict=True)
    return Question(
        found["words"], tuple(AnswerChoice(w, verdict == "is right", reply) for w, (verdict, reply) in told)
    )


def with_buttons(words: str, name: str, write: Write) -> str:
    """The words of a cell, its questions as HTML; `write` turns Markdown into HTML of one line."""
    number = iter(range(1, 100))
    return _ASKED.sub(lambda found: _html(_found(found), f"{name}-question-{next(number)}", write), words)


def _html(question: Question, name: str, write: Write) -> str:
    """Buttons; what a choice says waits in a template, and is read aloud once it is put below them."""
    items = "".join(
        f'<li><button type="button" data-right="{str(c.right).lower()}">{write(c.words)}</button>'
        f"<template>{write(c.reply)}</template></li>"
        for c in question.choices
    )
    told = "".join(f"<li>{write(c.words)}: {write(c.reply)}</li>" for c in question.choices)
    return (
        f'<section class="question" aria-labelledby="{name}"><p id="{name}">'
        f"<strong>What do you think?</strong> {write(question.words)}</p><ul>{items}</ul>"
        f'<div class="feedback" role="status"></div><noscript><ul>{told}</ul></noscript></section>'
    )


__all__ = ["AnswerChoice", "Question", "asked", "for_notebooks", "with_buttons"]
