r"""Words for TeX: only ASCII, so that pdflatex, lualatex and xelatex all read the same file.

Symbols that pictures use become commands, accented letters accents, and what is left over a box (or, where the engine
knows Unicode, the character itself).

>>> tex_text("x ≤ 1.5 → déjà–vu")
"x \\ensuremath{\\leq} 1.5 \\ensuremath{\\rightarrow} d\\'{e}j\\`{a}{-}{-}vu"
>>> tex_text("中"), tex_text("50_% --")
('\\unicode{4E2D}', '50\\_\\% {-}{-}')
"""

from __future__ import annotations

import unicodedata

from treant_viz.viz.text import for_tex

_MATH = {
    "≤": "leq", "≥": "geq", "≠": "neq", "≈": "approx", "∞": "infty", "±": "pm", "×": "times", "·": "cdot",
    "→": "rightarrow", "←": "leftarrow", "↑": "uparrow", "↓": "downarrow", "↔": "leftrightarrow",
    "⇒": "Rightarrow", "↦": "mapsto", "∈": "in", "∉": "notin", "∪": "cup", "∩": "cap", "∅": "emptyset",
    "⊆": "subseteq", "∑": "sum", "√": "surd", "∧": "wedge", "∨": "vee", "¬": "neg", "ℓ": "ell", "◇": "diamond",
    "◆": "diamond", "○": "circ", "●": "bullet", "•": "bullet", "★": "star", "☆": "star", "△": "triangle",
    "▲": "triangle", "Γ": "Gamma", "Δ": "Delta", "Λ": "Lambda", "Σ": "Sigma", "Φ": "Phi", "Ψ": "Psi", "Ω": "Omega",
    "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "varepsilon", "η": "eta", "θ": "theta",
    "κ": "kappa", "λ": "lambda", "μ": "mu", "π": "pi", "ρ": "rho", "σ": "sigma", "τ": "tau", "φ": "varphi",
    "χ": "chi", "ψ": "psi", "ω": "omega",
}  # fmt: skip
_WORDS = {
    "−": r"\ensuremath{-}", "…": r"\ldots{}", "–": "{-}{-}", "—": "{-}{-}{-}", "‘": "{'}", "’": "{'}", "“": "{''}",
    "”": "{''}", "²": r"\ensuremath{^2}", "³": r"\ensuremath{^3}", "½": r"\ensuremath{\frac12}", "°":
    r"\ensuremath{^\circ}", "ß": r"\ss{}", "æ": r"\ae{}", "Æ": r"\AE{}", "ø": r"\o{}", "Ø": r"\O{}", "ł": r"\l{}",
    "Ł": r"\L{}", "ı": r"\i{}", "§": r"\S{}", "¶": r"\P{}", "£": r"\pounds{}", "\u00a0": "~",
    "-": "{-}", "'": "{'}", "`": r"\textasciigrave{}", ",": "{,}",
}  # fmt: skip
_ACCENTS = {
    "\u0300": r"\`", "\u0301": r"\'", "\u0302": r"\^", "\u0303": r"\~", "\u0304": r"\=", "\u0306": r"\u",
    "\u0307": r"\.", "\u0308": r"\"", "\u030a": r"\r", "\u030b": r"\H", "\u030c": r"\v", "\u0327": r"\c",
    "\u0328": r"\k",
}  # fmt: skip


def tex_text(text: str) -> str:
    """One line of text as TeX prints it, letter by letter: no ligatures, no lost blanks, nothing obeyed."""
    said = "".join(map(_letter, unicodedata.normalize("NFC", text)))
    return said.replace("  ", r" \ ")


def _letter(c: str) -> str:
    if c in _MATH:
        return rf"\ensuremath{{\{_MATH[c]}}}"
    if c in _WORDS:
        return _WORDS[c]
    return for_tex(c) if c.isascii() else _other(c)


def _other(c: str) -> str:
    """A letter with an accent, or any character by its number."""
    base, marks = unicodedata.normalize("NFD", c)[0], unicodedata.normalize("NFD", c)[1:]
    if marks in _ACCENTS and base.isascii() and base.isalpha():
        return rf"{_ACCENTS[marks]}{{{base}}}"
    return rf"\unicode{{{ord(c):04X}}}"


__all__ = ["tex_text"]
