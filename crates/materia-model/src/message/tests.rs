//! Properties of addresses, envelopes and message folds.

mod folds;
mod words;
