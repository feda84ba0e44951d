"""Graphs of trees and what is computed with them, for the screen and as pictures."""
