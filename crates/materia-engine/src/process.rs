//! The process floor.
