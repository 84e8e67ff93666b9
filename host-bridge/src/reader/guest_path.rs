//! Guest paths as text: absolute, POSIX, normal.

use super::ReadError;

/// Bytes that a guest path may have, before and after links are expanded.
pub const MAX_PATH_BYTES: usize = 4096;
/// Names that a guest path may have.
pub const MAX_DEPTH: usize = 128;

/// The normal form of `path`: no empty name, no `.` and no `..`, no slash at the end.
///
/// `..` above `/` stays at `/`, as in `path.resolve`.
pub(super) fn normalize(path: &str) -> Result<String, ReadError> {
    if MAX_PATH_BYTES < path.len() {
        return Err(ReadError::PathTooLong);
    }
    if !path.starts_with('/') || path.contains('\0') {
        return Err(ReadError::NotFound);
    }
    let mut names = Vec::new();
    for name in path.split('/') {
        match name {
            "" | "." => {}
            ".." => {
                names.pop();
            }
            name => names.push(name),
        }
    }
    if MAX_DEPTH < names.len() {
        return Err(ReadError::PathTooLong);
    }
    let mut normal = String::with_capacity(path.len());
    for name in names {
        normal.push('/');
        normal.push_str(name);
    }
    if normal.is_empty() {
        normal.push('/');
    }
    Ok(normal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normal_forms() {
        for (path, normal) in [
            ("/", Ok("/")),
            ("//a///b/", Ok("/a/b")),
            ("/a/./b/.", Ok("/a/b")),
            ("/a/../b", Ok("/b")),
            ("/../../a", Ok("/a")),
            ("/a/..", Ok("/")),
            ("/a/...", Ok("/a/...")),
            ("", Err(ReadError::NotFound)),
            ("a/b", Err(ReadError::NotFound)),
            ("/a\0b", Err(ReadError::NotFound)),
        ] {
            assert_eq!(normalize(path), normal.map(str::to_owned), "{path:?}");
        }
    }

    #[test]
    fn length_below_at_and_above_the_limit() {
        for (n_bytes, fits) in [(4095, true), (4096, true), (4097, false)] {
            let path = format!("/{}", "a".repeat(n_bytes - 1));
            assert_eq!(normalize(&path).is_ok(), fits, "{n_bytes}");
        }
    }

    #[test]
    fn depth_below_at_and_above_the_limit() {
        for (depth, fits) in [(127, true), (128, true), (129, false)] {
            assert_eq!(normalize(&"/a".repeat(depth)).is_ok(), fits, "{depth}");
        }
    }
}
