//! The name of a snapshot: a digest over everything that went into it.

use std::fmt;
use std::str::FromStr;

/// Names a snapshot by content. Shown as 64 lowercase hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SnapshotKey(pub [u8; 32]);

impl fmt::Display for SnapshotKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for byte in &self.0 {
            write!(f, "{byte:02x}")?;
        }
        Ok(())
    }
}

/// The text is not 64 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a snapshot key is 64 hexadecimal digits")]
pub struct ParseSnapshotKeyError;

impl FromStr for SnapshotKey {
    type Err = ParseSnapshotKeyError;

    fn from_str(text: &str) -> Result<SnapshotKey, ParseSnapshotKeyError> {
        if text.len() != 64 {
            return Err(ParseSnapshotKeyError);
        }
        let mut key = [0; 32];
        let (pairs, _) = text.as_bytes().as_chunks::<2>();
        for (byte, [high, low]) in key.iter_mut().zip(pairs) {
            *byte = (digit(*high)? << 4) | digit(*low)?;
        }
        Ok(SnapshotKey(key))
    }
}

fn digit(ascii: u8) -> Result<u8, ParseSnapshotKeyError> {
    let value = char::from(ascii).to_digit(16);
    let value = value.and_then(|value| u8::try_from(value).ok());
    value.ok_or(ParseSnapshotKeyError)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn displays_and_parses_as_lowercase_hex() {
        let key = SnapshotKey(std::array::from_fn(|i| u8::try_from(i * 8 + 7).unwrap()));
        let text = key.to_string();
        assert_eq!(text.len(), 64);
        assert!(text.starts_with("070f171f"));
        assert_eq!(text.parse(), Ok(key));
        assert_eq!(text.to_uppercase().parse(), Ok(key));
    }

    #[test]
    fn anything_else_does_not_parse() {
        for text in ["", "00", &"0".repeat(63), &"0".repeat(65), &"g".repeat(64)] {
            assert_eq!(text.parse::<SnapshotKey>(), Err(ParseSnapshotKeyError));
        }
        assert_eq!(
            "é".repeat(32).parse::<SnapshotKey>(),
            Err(ParseSnapshotKeyError)
        );
    }
}
