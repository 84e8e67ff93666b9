//! One table of trees for both ways of opening, and races.

mod escapes;
mod limits;
mod trace;

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use nix::sys::stat::Mode;
use nix::unistd::mkfifo;
use tempfile::TempDir;

use super::*;

/// The ways of opening that this kernel has.
fn openers() -> impl Iterator<Item = Opener> {
    let all = [Opener::Walk, Opener::Openat2];
    all.into_iter()
        .filter(|opener| *opener == Opener::Walk || *opener == Opener::probe())
}

/// Writes files (`path`, contents), and links (`path`, `-> target`).
fn tree(entries: &[(&str, &str)]) -> TempDir {
    let dir = TempDir::new().unwrap();
    for (path, contents) in entries {
        let path = dir.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        match contents.strip_prefix("-> ") {
            Some(target) => symlink(target, path).unwrap(),
            None => fs::write(path, contents).unwrap(),
        }
    }
    dir
}

fn open_with(dir: &Path, roots: &[(&str, &str)], opener: Opener) -> HostDirectories {
    let roots: Vec<_> = roots
        .iter()
        .map(|(host, guest)| (dir.join(host), *guest))
        .collect();
    let shared = SharedSources::with_settle_time(1 << 20, Duration::ZERO);
    let options = ReaderOptions {
        limits: ReaderLimits::default(),
        shared: Arc::new(shared),
        opener,
        trace: None,
    };
    HostDirectories::open_with(&roots, options).unwrap()
}

fn with_limits(dir: &Path, limits: ReaderLimits) -> HostDirectories {
    open_with(dir, &[("", "/app")], Opener::probe()).for_session(limits)
}

fn text(contents: FileContents) -> String {
    String::from_utf8(contents.bytes().to_vec()).unwrap()
}

#[test]
fn reads_confined() {
    let dir = tree(&[
        ("secret.txt", "secret"),
        ("app/a.js", "a"),
        ("app/dir/b.js", "b"),
        ("app/dir/up", "-> ../a.js"),
        ("app/dir/here", "-> ./b.js"),
        ("app/link-to-dir", "-> dir"),
        ("app/escape", "-> ../secret.txt"),
        ("app/dir/escape-deep", "-> ../../secret.txt"),
        ("app/escape-and-back", "-> ../app/a.js"),
        ("app/absolute", "-> /etc/passwd"),
        ("app/via-absolute", "-> absolute"),
        ("app/loop-a", "-> loop-b"),
        ("app/loop-b", "-> loop-a"),
        ("app/dangling", "-> nothing"),
        ("app/through-file", "-> a.js/../a.js"),
        ("app/trailing", "-> dir/"),
        ("app/self", "-> ."),
    ]);
    for (guest, wanted) in [
        ("/app/a.js", Ok(("a", "/app/a.js"))),
        ("/app//dir/./b.js", Ok(("b", "/app/dir/b.js"))),
        ("/app/dir/../a.js", Ok(("a", "/app/a.js"))),
        ("/app/dir/up", Ok(("a", "/app/a.js"))),
        ("/app/dir/here", Ok(("b", "/app/dir/b.js"))),
        ("/app/link-to-dir/b.js", Ok(("b", "/app/dir/b.js"))),
        ("/app/link-to-dir/up", Ok(("a", "/app/a.js"))),
        ("/app/trailing/b.js", Ok(("b", "/app/dir/b.js"))),
        ("/app/self/self/a.js", Ok(("a", "/app/a.js"))),
        ("/app/missing.js", Err(ReadError::NotFound)),
        ("/app/a.js/b", Err(ReadError::NotFound)),
        ("/app/dangling", Err(ReadError::NotFound)),
        ("/app/through-file", Err(ReadError::NotFound)),
        ("/app/../secret.txt", Err(ReadError::NotFound)),
        ("/secret.txt", Err(ReadError::NotFound)),
        ("/application/a.js", Err(ReadError::NotFound)),
        ("a.js", Err(ReadError::NotFound)),
        ("/app/a\0.js", Err(ReadError::NotFound)),
        ("/app/dir", Err(ReadError::NotAFile)),
        ("/app", Err(ReadError::NotAFile)),
        ("/app/escape", Err(ReadError::OutsideRoot)),
        ("/app/dir/escape-deep", Err(ReadError::OutsideRoot)),
        ("/app/escape-and-back", Err(ReadError::OutsideRoot)),
        ("/app/absolute", Err(ReadError::OutsideRoot)),
        ("/app/via-absolute", Err(ReadError::OutsideRoot)),
        ("/app/loop-a", Err(ReadError::TooManyLinks)),
    ] {
        for opener in openers() {
            let directories = open_with(dir.path(), &[("app", "/app")], opener);
            let got = directories.read(guest).map(|contents| {
                let real_path = directories.real_path(guest).unwrap();
                (text(contents), real_path)
            });
            let wanted = wanted.map(|(text, real)| (text.to_owned(), real.to_owned()));
            assert_eq!(got, wanted, "{guest} {opener:?}");
        }
    }
}

#[test]
fn absolute_link_back_into_its_root_is_refused() {
    let dir = tree(&[("app/a.js", "a")]);
    symlink(dir.path().join("app/a.js"), dir.path().join("app/link")).unwrap();
    for opener in openers() {
        let directories = open_with(dir.path(), &[("app", "/app")], opener);
        assert_eq!(directories.stat("/app/link"), Err(ReadError::OutsideRoot));
    }
}

#[test]
fn longest_root_wins_for_paths_and_links() {
    let dir = tree(&[
        ("app/data/x", "hidden by the nested root"),
        ("app/to-data", "-> data/x"),
        ("app/to-unseen", "-> modules/z"),
        ("data/x", "nested"),
        ("data/up", "-> ../app/data/x"),
        ("modules/z", "-> y"),
        ("modules/y", "y"),
    ]);
    let roots = [
        ("app", "/app"),
        ("data", "/app/data"),
        ("modules", "/app/modules"),
    ];
    for opener in openers() {
        let directories = open_with(dir.path(), &roots, opener);
        assert_eq!(
            directories.guest_roots().last(),
            Some("/app"),
            "longest first"
        );
        for (guest, wanted) in [
            ("/app/data/x", Ok("nested")),
            ("/app/to-data", Ok("nested")),
            ("/app/to-unseen", Ok("y")),
            ("/app/data/up", Err(ReadError::OutsideRoot)),
        ] {
            let got = directories.read(guest).map(text);
            assert_eq!(got, wanted.map(str::to_owned), "{guest} {opener:?}");
        }
        let real_path = directories.real_path("/app/to-unseen");
        assert_eq!(real_path.as_deref(), Ok("/app/modules/y"));
    }
}

#[test]
fn root_at_slash() {
    let dir = tree(&[("a.js", "a"), ("link", "-> a.js")]);
    for opener in openers() {
        let directories = open_with(dir.path(), &[("", "/")], opener);
        assert_eq!(directories.read("/a.js").map(text).as_deref(), Ok("a"));
        assert_eq!(directories.real_path("/link").as_deref(), Ok("/a.js"));
        assert_eq!(directories.stat("/"), Ok(FileKind::Directory));
    }
}

#[test]
fn pnpm_and_workspace_links_have_one_real_path() {
    let dir = tree(&[
        ("node_modules/.pnpm/b@1.0.0/node_modules/b/index.js", "b"),
        (
            "node_modules/.pnpm/b@1.0.0/node_modules/c",
            "-> ../../c@1.0.0/node_modules/c",
        ),
        ("node_modules/.pnpm/c@1.0.0/node_modules/c/index.js", "c"),
        ("node_modules/b", "-> .pnpm/b@1.0.0/node_modules/b"),
        ("packages/own/index.js", "own"),
        ("node_modules/@scope/own", "-> ../../packages/own"),
    ]);
    let store = "/app/node_modules/.pnpm";
    for (guest, real) in [
        (
            "/app/node_modules/b/index.js",
            format!("{store}/b@1.0.0/node_modules/b/index.js"),
        ),
        (
            "/app/node_modules/.pnpm/b@1.0.0/node_modules/c/index.js",
            format!("{store}/c@1.0.0/node_modules/c/index.js"),
        ),
        (
            "/app/node_modules/@scope/own/index.js",
            "/app/packages/own/index.js".to_owned(),
        ),
    ] {
        for opener in openers() {
            let directories = open_with(dir.path(), &[("", "/app")], opener);
            assert_eq!(directories.real_path(guest), Ok(real.clone()));
            assert_eq!(directories.stat(guest), Ok(FileKind::File));
        }
    }
}

#[test]
fn fifo_and_socket_never_block() {
    let dir = tree(&[("a.js", "a")]);
    mkfifo(&dir.path().join("fifo"), Mode::S_IRWXU).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(dir.path().join("socket")).unwrap();
    for opener in openers() {
        let directories = open_with(dir.path(), &[("", "/app"), ("/dev", "/dev")], opener);
        for guest in ["/app/fifo", "/app/socket", "/dev/null", "/dev/tty"] {
            assert_eq!(directories.read(guest).err(), Some(ReadError::NotAFile));
            assert_eq!(directories.stat(guest), Err(ReadError::NotAFile));
        }
    }
}

#[test]
fn links_of_proc_are_not_followed() {
    for opener in openers() {
        let directories = open_with(Path::new("/proc"), &[("", "/proc")], opener);
        for guest in ["/proc/self/cwd/Cargo.toml", "/proc/self/root/etc/passwd"] {
            assert_eq!(directories.stat(guest), Err(ReadError::OutsideRoot));
        }
    }
}

#[test]
fn chain_of_links_below_at_and_above_the_limit() {
    let dir = tree(&[("link-0", "end")]);
    for i in 1..=41 {
        symlink(
            format!("link-{}", i - 1),
            dir.path().join(format!("link-{i}")),
        )
        .unwrap();
    }
    for opener in openers() {
        let directories = open_with(dir.path(), &[("", "/app")], opener);
        for (n_links, wanted) in [
            (39, Ok(FileKind::File)),
            (40, Ok(FileKind::File)),
            (41, Err(ReadError::TooManyLinks)),
        ] {
            assert_eq!(directories.stat(&format!("/app/link-{n_links}")), wanted);
        }
    }
}

#[test]
fn roots_that_cannot_be_opened() {
    let dir = tree(&[("file", "")]);
    let guest = || "/app".to_owned();
    let open = |host: &str, guest: &str| {
        HostDirectories::open(&[(dir.path().join(host), guest)]).map(|_| ())
    };
    assert_eq!(
        open("none", "/app"),
        Err(OpenRootError::NotFound { guest: guest() })
    );
    assert_eq!(
        open("file", "/app"),
        Err(OpenRootError::NotADirectory { guest: guest() })
    );
    for bad in ["app", "", "/app/", "/a/../b"] {
        let guest = bad.to_owned();
        assert_eq!(open("", bad), Err(OpenRootError::BadGuestPath { guest }));
    }
    let twice = [(dir.path(), "/app"), (dir.path(), "/app")];
    let error = HostDirectories::open(&twice).map(|_| ());
    assert_eq!(error, Err(OpenRootError::Duplicate { guest: guest() }));
}

#[test]
fn swapping_a_file_for_a_link_never_shows_the_outside() {
    for (opener, inside) in openers().flat_map(|o| [(o, "file"), (o, "dir/file")]) {
        let dir = tree(&[
            ("out/file", "secret"),
            ("app/dir/file", "inside"),
            ("app/file", "inside"),
        ]);
        let directories = open_with(dir.path(), &[("app", "/app")], opener);
        let swapped = dir
            .path()
            .join("app")
            .join(inside.split('/').next().unwrap());
        let link_target = format!("../out/{}", if inside == "file" { "file" } else { "" });
        let aside = dir.path().join("app/aside");
        let done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !done.load(Relaxed) {
                    fs::rename(&swapped, &aside).unwrap();
                    symlink(&link_target, &swapped).unwrap();
                    fs::remove_file(&swapped).unwrap();
                    fs::rename(&aside, &swapped).unwrap();
                }
            });
            let path = format!("/app/{inside}");
            let seen: BTreeSet<_> = (0..2_000)
                .filter_map(|_| directories.read(&path).map(text).ok())
                .collect();
            done.store(true, Relaxed);
            assert!(seen.iter().all(|text| text == "inside"), "{seen:?}");
        });
    }
}
