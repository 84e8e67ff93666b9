//! What changes between two steps, and trees that are too deep.

use nix::fcntl::{OFlag, open, openat};
use nix::sys::stat::mkdirat;
use nix::unistd::{UnlinkatFlags, unlinkat};

use super::*;

#[test]
fn what_replaces_a_file_that_was_found_is_read_as_carefully() {
    for opener in openers() {
        let dir = tree(&[
            ("secret", "secret"),
            ("app/link-out", "a"),
            ("app/absolute", "a"),
            ("app/fifo", "a"),
            ("app/directory", "a"),
            ("app/gone", "a"),
            ("app/link-in", "a"),
            ("app/other", "b"),
        ]);
        let directories = open_with(dir.path(), &[("app", "/app")], opener);
        let replaced = |name: &str| {
            assert!(directories.lookup(&format!("/app/{name}")).is_ok());
            let path = dir.path().join("app").join(name);
            fs::remove_file(&path).unwrap();
            path
        };
        symlink("../secret", replaced("link-out")).unwrap();
        symlink("/etc/passwd", replaced("absolute")).unwrap();
        mkfifo(&replaced("fifo"), Mode::S_IRWXU).unwrap();
        fs::create_dir(replaced("directory")).unwrap();
        replaced("gone");
        symlink("other", replaced("link-in")).unwrap();
        for (name, wanted) in [
            ("link-out", Err(ReadError::OutsideRoot)),
            ("absolute", Err(ReadError::OutsideRoot)),
            ("fifo", Err(ReadError::NotAFile)),
            ("directory", Err(ReadError::NotAFile)),
            ("gone", Err(ReadError::NotFound)),
            ("link-in", Ok("b".to_owned())),
        ] {
            let read = directories.read_found(&format!("/app/{name}")).map(text);
            assert_eq!(read, wanted, "{name} {opener:?}");
        }
    }
}

#[test]
fn a_file_that_was_found_is_read_once_as_it_was_found() {
    let dir = tree(&[("a", "old")]);
    let directories = open_with(dir.path(), &[("", "/app")], Opener::probe());
    assert_eq!(text(directories.read("/app/a").unwrap()), "old");
    directories.lookup("/app/a").unwrap();
    fs::write(dir.path().join("new"), "new").unwrap();
    fs::rename(dir.path().join("new"), dir.path().join("a")).unwrap();
    assert_eq!(text(directories.read_found("/app/a").unwrap()), "old");
    assert_eq!(text(directories.read_found("/app/a").unwrap()), "new");
    let limits = ReaderLimits {
        max_files: 0,
        ..ReaderLimits::default()
    };
    let poor = directories.for_session(limits);
    poor.lookup("/app/a").unwrap();
    let refused = ReadError::TooManyFiles { limit: 0 };
    assert_eq!(poor.read_found("/app/a").err(), Some(refused));
}

#[test]
fn a_directory_that_is_moved_out_is_out() {
    let dir = tree(&[("app/sub/a", "inside"), ("app/b", "inside")]);
    for opener in openers() {
        let directories = open_with(dir.path(), &[("app", "/app")], opener);
        assert!(directories.lookup("/app/sub/a").is_ok());
        fs::rename(dir.path().join("app/sub"), dir.path().join("sub")).unwrap();
        assert_eq!(directories.stat("/app/sub/a"), Err(ReadError::NotFound));
        let read = directories.read("/app/sub/a").err();
        assert_eq!(read, Some(ReadError::NotFound));
        fs::rename(dir.path().join("sub"), dir.path().join("app/sub")).unwrap();
    }
}

#[test]
fn empty_and_sparse_files() {
    let dir = tree(&[("empty", ""), ("sparse", ""), ("large", "")]);
    let set_len = |name: &str, n_bytes| {
        let file = fs::File::create(dir.path().join(name)).unwrap();
        file.set_len(n_bytes).unwrap();
    };
    set_len("sparse", 200_000_000);
    let n_large = u64::try_from(crate::reader::read::MAX_RESERVED_BYTES).unwrap() + 5;
    set_len("large", n_large);
    let directories = with_limits(dir.path(), ReaderLimits::default());
    assert!(directories.read("/app/empty").unwrap().bytes().is_empty());
    let limit = ReaderLimits::default().max_file_bytes;
    let size = 200_000_000;
    let refused = ReadError::TooLarge { limit, size };
    assert_eq!(directories.read("/app/sparse").err(), Some(refused));

    let limits = ReaderLimits {
        max_file_bytes: n_large,
        ..ReaderLimits::default()
    };
    let contents = with_limits(dir.path(), limits).read("/app/large").unwrap();
    let n_bytes = u64::try_from(contents.bytes().len()).unwrap();
    assert_eq!(n_bytes, n_large);
}

#[test]
fn a_tree_of_ten_thousand_levels() {
    const N_LEVELS: usize = 10_000;
    // In memory where there is such a place: many disks take a minute for this.
    let memory = Path::new("/dev/shm");
    let dir = if memory.is_dir() {
        TempDir::new_in(memory).unwrap()
    } else {
        TempDir::new().unwrap()
    };
    let app = dir.path().join("app");
    fs::create_dir_all(app.join("top")).unwrap();
    // One step at a time, so that no path is ever long.
    let flags = OFlag::O_PATH | OFlag::O_DIRECTORY | OFlag::O_CLOEXEC;
    let mut here = open(&app.join("top"), flags, Mode::empty()).unwrap();
    for _ in 0..N_LEVELS {
        mkdirat(&here, "d", Mode::S_IRWXU).unwrap();
        here = openat(&here, "d", flags, Mode::empty()).unwrap();
    }
    symlink("top/".to_owned() + &"d/".repeat(1_500), app.join("far")).unwrap();
    symlink("top/".to_owned() + &"d/".repeat(60), app.join("near")).unwrap();
    for opener in openers() {
        let directories = open_with(dir.path(), &[("app", "/app")], opener);
        let stat = |path: String| directories.stat(&path);
        let too_long = Err(ReadError::PathTooLong);
        let found = Ok(FileKind::Directory);
        let deep = |n_levels| format!("/app/top{}", "/d".repeat(n_levels));
        // The root and `top` are two names of the path.
        assert_eq!(stat(deep(MAX_DEPTH - 2)), found);
        assert_eq!(stat(deep(MAX_DEPTH - 1)), too_long);
        assert_eq!(stat(deep(N_LEVELS)), too_long);
        assert_eq!(stat("/app/far".to_owned()), too_long);
        assert_eq!(stat("/app/near/d".to_owned()), found);
        assert_eq!(stat("/app/near".to_owned() + &"/d".repeat(100)), too_long);
    }
    // Nobody else removes a tree this deep.
    for _ in 0..N_LEVELS {
        here = openat(&here, "..", flags, Mode::empty()).unwrap();
        unlinkat(&here, "d", UnlinkatFlags::RemoveDir).unwrap();
    }
}
