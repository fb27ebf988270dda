#!/usr/bin/env python3
"""Writes corpus/zoo/: for every fault of engines/faults/faults.def a case that shows it, with the numbers of the public report.

Truths are those of the reports; closed forms stand beside the rows, in scripts/zoo/.  The output is committed.

Usage: scripts/zoo_corpus.py
"""
import argparse

from zoo import blocks, kinks, loops, rules, scatters

if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    for write in (loops.loops, loops.checkpoints, kinks.kinks, kinks.conventions, scatters.scatters, rules.rules, rules.batches, rules.others, blocks.blocks):
        write()
