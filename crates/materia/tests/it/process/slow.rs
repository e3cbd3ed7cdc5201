//! Tests that take seconds.

#[test]
fn ten_thousand_commands_leak_nothing() {
    super::ends::assert_no_leaks(10_000);
}
