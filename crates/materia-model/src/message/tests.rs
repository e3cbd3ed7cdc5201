//! What the words and folds of messages promise.

mod folds;
mod words;
