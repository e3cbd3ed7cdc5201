//! Layers as tables.
