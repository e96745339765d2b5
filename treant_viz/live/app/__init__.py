"""The live pictures as one page for people without notebooks: `treant-viz app`.

`serve` listens on this machine alone (`server`: who may ask; `api`: what they may ask), a `Session` is one
open page with its `Study`, and `pictures` lists what a study is shown in.
"""
