//! The durable floor.
