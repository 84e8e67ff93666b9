//! What a session may read, and what sessions share.

use super::*;

#[test]
fn file_size_below_at_and_above_the_limit() {
    let dir = tree(&[
        ("9", "123456789"),
        ("10", "1234567890"),
        ("11", "12345678901"),
    ]);
    let limits = ReaderLimits {
        max_file_bytes: 10,
        ..ReaderLimits::default()
    };
    let directories = with_limits(dir.path(), limits);
    assert!(directories.read("/app/9").is_ok());
    assert!(directories.read("/app/10").is_ok());
    let refused = ReadError::TooLarge {
        limit: 10,
        size: 11,
    };
    assert_eq!(directories.read("/app/11").err(), Some(refused));
}

#[test]
fn default_file_limit_is_enforced_before_reading() {
    let dir = tree(&[("huge", "")]);
    let file = fs::File::create(dir.path().join("huge")).unwrap();
    file.set_len(1 << 40).unwrap();
    let refused = ReadError::TooLarge {
        limit: 32 << 20,
        size: 1 << 40,
    };
    let directories = with_limits(dir.path(), ReaderLimits::default());
    assert_eq!(directories.read("/app/huge").err(), Some(refused));
}

#[test]
fn a_file_without_a_size_is_limited_by_what_is_read() {
    let limits = ReaderLimits {
        max_file_bytes: 4,
        ..ReaderLimits::default()
    };
    let roots = [(Path::new("/proc"), "/proc")];
    let directories = HostDirectories::open(&roots).unwrap().for_session(limits);
    let refused = ReadError::TooLarge { limit: 4, size: 5 };
    assert_eq!(directories.read("/proc/version").err(), Some(refused));
}

#[test]
fn totals_below_at_and_above_the_limits() {
    let dir = tree(&[("five", "12345"), ("six", "123456"), ("empty", "")]);
    let limits = ReaderLimits {
        max_total_bytes: 10,
        max_files: 3,
        ..ReaderLimits::default()
    };
    let directories = with_limits(dir.path(), limits);
    assert!(directories.read("/app/five").is_ok());
    let refused = ReadError::TooManyBytes { limit: 10 };
    assert_eq!(directories.read("/app/six").err(), Some(refused));
    assert!(
        directories.read("/app/five").is_ok(),
        "a refusal costs nothing"
    );
    assert!(directories.read("/app/empty").is_ok());
    let refused = ReadError::TooManyFiles { limit: 3 };
    assert_eq!(directories.read("/app/empty").err(), Some(refused));
    let again = directories.for_session(limits);
    assert!(
        again.read("/app/five").is_ok(),
        "each session has its budget"
    );
}

#[test]
fn sessions_share_contents_until_the_file_changes() {
    let dir = tree(&[("a.js", "one")]);
    let first = with_limits(dir.path(), ReaderLimits::default());
    let second = first.for_session(ReaderLimits::default());
    let contents = first.read("/app/a.js").unwrap();
    assert!(second.read("/app/a.js").unwrap().is_same(&contents));
    assert_eq!(contents.get_derived::<usize>(), None);
    let length = contents.derived_weighed(|bytes| (bytes.len(), 0));
    let again = second.read("/app/a.js").unwrap();
    assert_eq!(again.get_derived::<usize>(), Some(length.clone()));
    assert_eq!(again.derived_weighed(|_| (7_usize, 0)), length);
    again.set_derived(7_usize, 0);
    assert_eq!(contents.get_derived::<usize>().as_deref(), Some(&7));

    // The same size, under the same name.
    fs::write(dir.path().join("new"), "two").unwrap();
    fs::rename(dir.path().join("new"), dir.path().join("a.js")).unwrap();
    let changed = second.read("/app/a.js").unwrap();
    assert_eq!(text(changed.clone()), "two");
    assert_ne!(changed.digest(), contents.digest());
}

#[test]
fn a_file_that_just_changed_is_not_shared() {
    let dir = tree(&[("a.js", "one")]);
    let options = ReaderOptions {
        shared: Arc::new(SharedSources::with_settle_time(
            1 << 20,
            Duration::from_secs(3600),
        )),
        ..ReaderOptions::default()
    };
    let directories = HostDirectories::open_with(&[(dir.path(), "/app")], options).unwrap();
    let contents = directories.read("/app/a.js").unwrap();
    assert!(!directories.read("/app/a.js").unwrap().is_same(&contents));
}

#[test]
fn shared_contents_are_bounded_and_the_oldest_go_first() {
    let dir = tree(&[("a", "aaaa"), ("b", "bbbb"), ("c", "cccc")]);
    let shared = Arc::new(SharedSources::with_settle_time(2 * 516, Duration::ZERO));
    let options = ReaderOptions {
        shared: Arc::clone(&shared),
        ..ReaderOptions::default()
    };
    let directories = HostDirectories::open_with(&[(dir.path(), "/app")], options).unwrap();
    let read = |guest| directories.read(guest).unwrap();
    let (a, b, c) = (read("/app/a"), read("/app/b"), read("/app/c"));
    assert_eq!(shared.n_bytes(), 2 * 516);
    assert!(read("/app/b").is_same(&b));
    assert!(read("/app/c").is_same(&c));
    assert!(!read("/app/a").is_same(&a));
}

#[test]
fn derived_values_count_against_the_capacity() {
    let dir = tree(&[("a", "aaaa"), ("b", "bbbb")]);
    let shared = Arc::new(SharedSources::with_settle_time(2_000, Duration::ZERO));
    let options = ReaderOptions {
        shared: Arc::clone(&shared),
        ..ReaderOptions::default()
    };
    let directories = HostDirectories::open_with(&[(dir.path(), "/app")], options).unwrap();
    let read = |guest| directories.read(guest).unwrap();
    let (a, b) = (read("/app/a"), read("/app/b"));
    b.set_derived("small", 100);
    assert_eq!(shared.n_bytes(), 2 * 516 + 228);
    b.set_derived("larger, in its place", 700);
    assert_eq!(shared.n_bytes(), 2 * 516 + 828);
    assert!(read("/app/a").is_same(&a));

    // One byte more than fits: the oldest makes room.
    b.set_derived("larger still", 841);
    assert_eq!(shared.n_bytes(), 516 + 969);
    assert!(read("/app/b").is_same(&b));
    assert!(!read("/app/a").is_same(&a));

    // What is heavier than all that may be kept is not kept, and costs nothing else.
    let n_bytes = 516;
    let a = read("/app/a");
    b.set_derived("too heavy", 2_000);
    assert_eq!(shared.n_bytes(), n_bytes);
    assert!(read("/app/a").is_same(&a));
    assert_eq!(b.get_derived::<&str>().as_deref(), Some(&"too heavy"));
    b.set_derived("nobody counts this", 10_000);
    assert_eq!(shared.n_bytes(), n_bytes);
}
