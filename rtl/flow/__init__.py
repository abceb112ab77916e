"""The open tool flow of `rtl/`: lint, simulation, proofs, mutation and synthesis of every core.

A core is a folder with a FuseSoC `.core` file (its sources and what it depends on) and a
`sweep.toml` (the configurations to lint and to synthesize). `cores` reads both; each activity has a
module of its own. Run from `rtl/`: `python -m flow lint|formal|mutate|synth [CORE]`.
"""
