//! Every size that the wire may name, and the most this side accepts of it.
//!
//! PROTOCOL.md 3.3. A field over its bound makes the frame malformed; both
//! [`FrameDecoder`](crate::FrameDecoder) and the encoders hold to these numbers,
//! so what is written can be read.

/// Largest body before `Hello` has been answered, in bytes.
pub const HELLO_MAX_FRAME: u32 = 64 * 1024;

/// Largest body when the host asks for nothing else, in bytes.
pub const MAX_FRAME: u32 = 32 * 1024 * 1024;

/// Largest body that can be negotiated, in bytes.
pub const MAX_FRAME_CEILING: u32 = 64 * 1024 * 1024;

/// Most elements in a list: roots, entries, arguments, functions, methods.
pub const MAX_LIST: usize = 4096;

/// Longest name, in bytes of UTF-8: methods, error names, conditions, features.
pub const MAX_NAME: usize = 1024;

/// Longest name of a group of sessions, in bytes.
pub const MAX_GROUP: usize = 64;

/// Longest path or module specifier, in bytes of UTF-8.
pub const MAX_PATH: usize = 4096;

/// Longest single command-line argument, in bytes of UTF-8.
pub const MAX_ARG: usize = 128 * 1024;

/// Longest value of one environment variable, in bytes of UTF-8.
pub const MAX_ENV_VALUE: usize = 128 * 1024;

/// Largest environment: names and values of all variables together, in bytes.
pub const MAX_ENV_BYTES: usize = 1024 * 1024;

/// Longest snapshot script, in bytes of UTF-8. The frame limit is what binds.
pub const MAX_SCRIPT: usize = MAX_FRAME_CEILING as usize;

/// Longest explanation in a refusal, a reset or a limit report, in bytes of UTF-8.
pub const MAX_TEXT: usize = 4096;

/// Longest message of a JavaScript or host error, in bytes of UTF-8.
pub const MAX_MESSAGE: usize = 64 * 1024;

/// Longest formatted stack, in bytes of UTF-8.
pub const MAX_STACK: usize = 256 * 1024;

/// Most structured stack frames of one error.
pub const MAX_STACK_FRAMES: usize = 128;

/// Longest cause chain below an error.
pub const MAX_CAUSES: usize = 8;

/// Cuts `text` to at most `max` bytes, at a character boundary.
pub fn clip(text: &mut String, max: usize) {
    text.truncate(text.floor_char_boundary(max));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, max: usize, expected: &str) {
        let mut text = text.to_owned();
        clip(&mut text, max);
        assert_eq!(text, expected);
    }

    #[test]
    fn clips_at_a_character_boundary() {
        check("abc", 4, "abc");
        check("abc", 3, "abc");
        check("abc", 2, "ab");
        check("aé", 2, "a");
        check("é", 1, "");
    }
}
