//! A record holds while nothing changes that was read, found or missed.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use crate::reader::{HostDirectories, Observations, ReaderOptions, Still, Trace};

fn write(path: &Path, text: &str) {
    fs::write(path, text).unwrap();
}

fn open(root: &Path, trace: Option<Arc<Trace>>) -> HostDirectories {
    let options = ReaderOptions {
        trace,
        ..ReaderOptions::default()
    };
    HostDirectories::open_with(&[(root, "/app")], options).unwrap()
}

/// `/app/a.js` was read, also by the link `/app/l.js`; `/app/dir` is a directory and
/// `/app/none.js` is not there.
fn recorded(root: &Path) -> Observations {
    write(&root.join("a.js"), "a");
    fs::create_dir(root.join("dir")).unwrap();
    symlink("a.js", root.join("l.js")).unwrap();
    let trace = Arc::new(Trace::default());
    let directories = open(root, Some(Arc::clone(&trace)));
    directories.lookup("/app/dir").unwrap();
    directories.lookup("/app/dir/../none.js").unwrap_err();
    directories.read("/app/l.js").unwrap();
    assert_eq!(trace.file_digests().len(), 1);
    let seen = trace.observations().unwrap();
    let text = serde_json::to_string(&seen).unwrap();
    assert_eq!(serde_json::from_str::<Observations>(&text).unwrap(), seen);
    seen
}

#[test]
fn what_changes_an_answer_is_found() {
    type Change = fn(&Path);
    let changes: [(&str, Change); 7] = [
        ("/app/a.js", |root| write(&root.join("a.js"), "b")),
        ("/app/l.js", |root| {
            fs::remove_file(root.join("a.js")).unwrap()
        }),
        ("/app/none.js", |root| write(&root.join("none.js"), "")),
        ("/app/none.js", |root| {
            symlink("a.js", root.join("none.js")).unwrap()
        }),
        ("/app/dir", |root| fs::remove_dir(root.join("dir")).unwrap()),
        ("/app/dir", |root| {
            fs::remove_dir(root.join("dir")).unwrap();
            write(&root.join("dir"), "");
        }),
        ("/app/l.js", |root| {
            write(&root.join("b.js"), "a");
            fs::remove_file(root.join("l.js")).unwrap();
            symlink("b.js", root.join("l.js")).unwrap();
        }),
    ];
    for (path, change) in changes {
        let folder = tempfile::tempdir().unwrap();
        let seen = recorded(folder.path());
        change(folder.path());
        let still = open(folder.path(), None).compare(&seen);
        assert_eq!(still, Still::Changed(path.to_owned()));
    }
}

#[test]
fn what_changes_no_answer_holds() {
    let folder = tempfile::tempdir().unwrap();
    let seen = recorded(folder.path());
    // The file was new when it was read, so its state did not count.
    std::thread::park_timeout(Duration::from_millis(60));
    let Still::Renewed(seen) = open(folder.path(), None).compare(&seen) else {
        panic!("not renewed");
    };
    assert_eq!(open(folder.path(), None).compare(&seen), Still::Same);
    write(&folder.path().join("other.js"), "other");
    assert_eq!(open(folder.path(), None).compare(&seen), Still::Same);
    let file = fs::File::open(folder.path().join("a.js")).unwrap();
    file.set_modified(SystemTime::UNIX_EPOCH).unwrap();
    let still = open(folder.path(), None).compare(&seen);
    assert!(matches!(still, Still::Renewed(_)), "{still:?}");
    write(&folder.path().join("a.js"), "a");
    let still = open(folder.path(), None).compare(&seen);
    assert!(matches!(still, Still::Renewed(_)), "{still:?}");
}

#[test]
fn a_file_with_two_contents_makes_no_record() {
    let folder = tempfile::tempdir().unwrap();
    let trace = Arc::new(Trace::default());
    let directories = open(folder.path(), Some(Arc::clone(&trace)));
    write(&folder.path().join("a.js"), "a");
    directories.read("/app/a.js").unwrap();
    directories.read("/app/a.js").unwrap();
    assert_eq!(trace.observations().unwrap().n_files(), 1);
    write(&folder.path().join("a.js"), "b");
    directories.read("/app/a.js").unwrap();
    assert_eq!(trace.observations(), None);
}
