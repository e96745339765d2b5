"""Names for the sliders of ipywidgets, which have a label for the eye but none for a screen reader.

The handle of a slider is no form field, so no label can point at it. A picture that has loaded gives every
slider in its explorer the words beside it as its name, and new ones that come later too. Nothing of the
user's is in the script.
"""

from __future__ import annotations

NAMING = (
    "(box=>{if(!box)return;"
    "const name=()=>box.querySelectorAll('.widget-slider').forEach(slider=>{"
    "const label=slider.querySelector('.widget-label');"
    "slider.querySelectorAll('.noUi-handle,.widget-readout').forEach(part=>{"
    "if(label&&(part.tabIndex>=0||part.isContentEditable))part.setAttribute('aria-label',label.textContent)})});"
    "name();"
    "if(!box.dataset.named){box.dataset.named='yes';"
    "new MutationObserver(name).observe(box,{childList:true,subtree:true})}"
    "})(this.closest('.widget-vbox'))"
)


def naming(picture: str) -> str:
    """An <img> that names the sliders of its explorer when it has loaded.

    >>> naming('<img alt="x">').startswith('<img alt="x" onload="')
    True
    """
    return f'{picture.removesuffix(">")} onload="{NAMING}">'


__all__ = ["naming"]
