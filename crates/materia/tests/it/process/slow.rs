//! What takes its time.

#[test]
fn ten_thousand_commands_leak_nothing() {
    super::ends::leaks_nothing(10_000);
}
