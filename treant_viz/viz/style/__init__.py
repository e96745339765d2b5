"""What all pictures share, so that they speak with one voice: colours, type, words and drawn parts.

How a picture is made. A display (`viz/<picture>/display.py`) says its takeaway (`title`, one sentence that is
true of *this* picture), how to read it (`subtitle`), and the same for those who cannot see it (`alt_text`,
`summary`). `plot` writes the two sentences on top, wrapped by measured width, and calls `_draw(pen, target)`
with the room that is left.

    palette.py   colours by meaning, light and dark: branches, predictions (`palette.prediction(share)`),
                 methods (`methods(labels)`: one table for all figures), coins; `palette.words(role)` for
                 words about a branch, `palette.on(fill)` for words on a fill
    typeface.py  the typeface, shipped in `fonts/`; `width` and `wrapped` measure words before they are drawn
    text.py      `number` (the only way to write a number: three digits), `value` (a feature's value or a
                 threshold: six), `counted`, `names` (short names for all names of a picture, no two alike),
                 `name` (one name), `for_html`, `for_dot`
    formula.py   `math("L", sup="A")`, `math("D", sub="L")`: real super- and subscripts; in plain strings
                 write "Lᴬ", "Λᴬ", "ŷ", "ŷₗ", "ŷᵣ": they are typeset when drawn, and can be read aloud
    pen.py       `Pen`: everything is drawn through it, and kept by its role; `panels` for plots with axes;
                 sizes in points: TITLE, HEAD, BODY, SMALL, and nothing below SMALL
    rich_text.py `RichText`, one artist whose pieces look different; `pen.text` makes it where it is needed
    sheet.py     `sheet`: axes whose unit is a point, for pictures that are laid out rather than plotted
    parts.py     `coin` (in any axes); on a sheet: `number_line`, `label_circles`, `class_strip`
    heading.py   the two sentences on top

Rules. Colour has one meaning, and never stands alone: a branch also has its letter, the unknown rows their
hatch (`pen.fill("unknown")`), the attacker a coin. Lengths that stand for counts are proportional to them.
What is drawn is labelled where it is; a legend is the last resort. Every artist that says something has a
role, and tests read artists by role: `drawn["coin"]`, `drawn.texts("leaf head")`.
"""
