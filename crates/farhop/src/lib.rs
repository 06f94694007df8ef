//! Long-range graph learning: exact graph elimination networks on an ordinary machine.
