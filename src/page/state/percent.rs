//! Text as part of an address, as forms write it: a space becomes `+`, what is not plain becomes `%41`.

/// The text in characters that mean nothing in an address.
///
/// A dot at the end is written out as well: programs that turn addresses into links take it for the end of a sentence.
pub(super) fn encode(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (at, byte) in text.bytes().enumerate() {
        let last = at + 1 == text.len();
        match byte {
            b' ' => out.push('+'),
            b'.' | b',' | b':' if last => push_escaped(&mut out, byte),
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'~' | b'.' | b',' | b':' => {
                out.push(char::from(byte));
            }
            _ => push_escaped(&mut out, byte),
        }
    }
    out
}

fn push_escaped(out: &mut String, byte: u8) {
    const DIGITS: [char; 16] =
        ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'A', 'B', 'C', 'D', 'E', 'F'];
    out.push('%');
    out.push(DIGITS[usize::from(byte >> 4)]);
    out.push(DIGITS[usize::from(byte & 15)]);
}

/// The text that [`encode`] was given; `None` where an escape is broken or the bytes are no text.
pub(super) fn decode(part: &str) -> Option<String> {
    let mut bytes = part.bytes();
    let mut out = Vec::with_capacity(part.len());
    while let Some(byte) = bytes.next() {
        out.push(match byte {
            b'+' => b' ',
            b'%' => digit(bytes.next()?)? * 16 + digit(bytes.next()?)?,
            _ => byte,
        });
    }
    String::from_utf8(out).ok()
}

fn digit(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).and_then(|value| u8::try_from(value).ok())
}
