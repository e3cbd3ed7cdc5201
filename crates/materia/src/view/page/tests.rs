//! Text from outside never becomes markup.

use super::parts::escaped;

#[test]
fn markup_in_texts_stays_text() {
    assert_eq!(
        escaped("<img src=x onerror='a()'>\"&"),
        "&lt;img src=x onerror=&#39;a()&#39;&gt;&quot;&amp;"
    );
    assert!(!escaped("\u{1b}[31m\u{0}").contains('\u{1b}'));
    assert_eq!(escaped("two\nlines"), "two\nlines");
}
