//! The kernel against written loadouts, tables of decisions, and a naive interpreter.

mod world;
mod routes;
mod loops;
mod limits;
mod turns;
mod people;
mod law;
mod naive;
