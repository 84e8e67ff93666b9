//! What is kept, what is a miss, and what goes first.

use std::fs;
use std::io::{self, Read as _};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::sync::mpsc;

use bytes::Bytes;

use super::{BlobCache, BlobCacheError, BlobCacheOptions, KEY_BYTES, PutError, name_of};

const HEAD: u64 = 40;

fn key(n: u8) -> [u8; KEY_BYTES] {
    [n; KEY_BYTES]
}

fn path_of(directory: &Path, n: u8) -> PathBuf {
    directory.join(name_of(&key(n)))
}

fn options(capacity: u64) -> BlobCacheOptions {
    BlobCacheOptions::new(capacity)
}

/// Stands for a mapping, which takes `unsafe`.
fn map(file: &fs::File, len: usize) -> io::Result<Bytes> {
    let mut bytes = Vec::new();
    file.take(u64::try_from(len).unwrap())
        .read_to_end(&mut bytes)?;
    Ok(bytes.into())
}

fn open(capacity: u64) -> (tempfile::TempDir, BlobCache) {
    let parent = tempfile::tempdir().unwrap();
    let cache = BlobCache::open(&parent.path().join("blobs"), options(capacity)).unwrap();
    (parent, cache)
}

#[test]
fn a_blob_is_there_for_the_next_process_and_a_new_one_replaces_it() {
    let (parent, cache) = open(1 << 20);
    assert_eq!(cache.get(&key(1)), None);
    cache.put(&key(1), b"first").unwrap();
    cache.put(&key(1), b"").unwrap();
    cache.put(&key(2), b"other").unwrap();
    let again = BlobCache::open(&parent.path().join("blobs"), options(1 << 20)).unwrap();
    assert_eq!(again.get(&key(1)).as_deref(), Some(&b""[..]));
    assert_eq!(again.get(&key(2)).as_deref(), Some(&b"other"[..]));
    assert_eq!(again.get(&key(3)), None);
}

#[test]
fn each_damaged_byte_each_truncation_and_each_foreign_file_is_a_miss() {
    let (parent, cache) = open(1 << 20);
    let directory = parent.path().join("blobs");
    cache.put(&key(1), b"contents").unwrap();
    let path = path_of(&directory, 1);
    let whole = fs::read(&path).unwrap();
    for at in 0..whole.len() {
        let mut damaged = whole.clone();
        damaged[at] ^= 1;
        fs::write(&path, &damaged).unwrap();
        assert_eq!(cache.get(&key(1)), None, "byte {at}");
        assert_eq!(cache.get_mapped(&key(1), map), None, "byte {at}");
        fs::write(&path, &whole[..at]).unwrap();
        assert_eq!(cache.get(&key(1)), None, "{at} bytes of it");
        assert_eq!(cache.get_mapped(&key(1), map), None, "{at} bytes of it");
    }
    fs::write(&path, [&whole[..], b"x"].concat()).unwrap();
    assert_eq!(cache.get(&key(1)), None, "a byte more");
    fs::write(&path, &whole).unwrap();
    assert_eq!(cache.get(&key(1)).as_deref(), Some(&b"contents"[..]));
    let mapped = cache.get_mapped(&key(1), map);
    assert_eq!(mapped.as_deref(), Some(&b"contents"[..]));

    fs::rename(&path, path_of(&directory, 2)).unwrap();
    assert_eq!(cache.get(&key(2)), None, "under another name");
    symlink(path_of(&directory, 2), &path).unwrap();
    assert_eq!(cache.get(&key(1)), None, "a link");
    fs::create_dir(path_of(&directory, 3)).unwrap();
    assert_eq!(cache.get(&key(3)), None, "a directory");
}

#[test]
fn what_was_used_least_recently_goes_when_the_capacity_is_passed() {
    let size = 1000 + HEAD;
    let (parent, cache) = open(4 * size);
    let directory = parent.path().join("blobs");
    let day = std::time::Duration::from_secs(24 * 60 * 60);
    for n in 0..4_u8 {
        cache.put(&key(n), &[n; 1000]).unwrap();
        let age = day * (10 - u32::from(n));
        let file = fs::File::open(path_of(&directory, n)).unwrap();
        file.set_modified(std::time::SystemTime::now() - age)
            .unwrap();
    }
    assert!(
        cache.get(&key(0)).is_some(),
        "at the capacity all are there"
    );
    // Nine tenths of the capacity are left: two must go, and the first was just used.
    cache.put(&key(4), &[4; 1000]).unwrap();
    let left: Vec<bool> = (0..5).map(|n| cache.get(&key(n)).is_some()).collect();
    assert_eq!(left, [true, false, false, true, true]);
}

#[test]
fn the_largest_blob_fits_and_one_byte_more_is_refused() {
    let (_parent, cache) = open(u64::MAX);
    let limit = options(0).max_blob_bytes;
    let mut blob = vec![7; limit - 1];
    for _ in 0..2 {
        cache.put(&key(1), &blob).unwrap();
        assert_eq!(cache.get(&key(1)).unwrap().len(), blob.len());
        blob.push(7);
    }
    let size = limit + 1;
    let refused = cache.put(&key(2), &blob);
    assert_eq!(refused, Err(PutError::TooLarge { limit, size }));
    assert_eq!(cache.get(&key(2)), None);
}

#[test]
fn a_directory_that_others_may_write_to_is_refused() {
    let parent = tempfile::tempdir().unwrap();
    let path = parent.path().join("blobs");
    BlobCache::open(&path, options(1)).unwrap();
    for (mode, allowed) in [(0o755, true), (0o770, false), (0o702, false), (0o700, true)] {
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        let opened = BlobCache::open(&path, options(1)).map(drop);
        let expected = if allowed {
            Ok(())
        } else {
            Err(BlobCacheError::NotPrivate)
        };
        assert_eq!(opened, expected, "{mode:o}");
    }
    fs::set_permissions(parent.path(), fs::Permissions::from_mode(0o777)).unwrap();
    let opened = BlobCache::open(&path, options(1)).map(drop);
    assert_eq!(
        opened,
        Err(BlobCacheError::NotPrivate),
        "the parent is everybody's"
    );
    fs::set_permissions(parent.path(), fs::Permissions::from_mode(0o700)).unwrap();
    symlink(&path, parent.path().join("link")).unwrap();
    assert!(
        BlobCache::open(&parent.path().join("link"), options(1)).is_err(),
        "a link"
    );
    let missing = parent.path().join("no/parent");
    assert!(matches!(
        BlobCache::open(&missing, options(1)).map(drop),
        Err(BlobCacheError::Io(nix::errno::Errno::ENOENT))
    ));
    fs::write(parent.path().join("file"), "").unwrap();
    assert!(matches!(
        BlobCache::open(&parent.path().join("file"), options(1)).map(drop),
        Err(BlobCacheError::Io(nix::errno::Errno::ENOTDIR))
    ));
}

#[test]
fn many_writers_of_one_key_leave_one_whole_blob() {
    let (parent, cache) = open(1 << 20);
    std::thread::scope(|scope| {
        for n in 0..8_u8 {
            let cache = &cache;
            scope.spawn(move || {
                for _ in 0..50 {
                    cache.put(&key(1), &[n; 5000]).unwrap();
                    let blob = cache.get(&key(1)).unwrap();
                    assert!(blob.iter().all(|byte| Some(byte) == blob.first()));
                }
            });
        }
    });
    assert_eq!(
        fs::read_dir(parent.path().join("blobs")).unwrap().count(),
        1
    );
}

#[test]
fn a_name_that_is_taken_is_passed_over() {
    let (parent, cache) = open(1 << 20);
    let directory = parent.path().join("blobs");
    for n in 0..3 {
        let name = format!("writing-{}-{n}", std::process::id());
        fs::write(directory.join(name), "of another").unwrap();
    }
    cache.put(&key(1), b"ours").unwrap();
    assert_eq!(cache.get(&key(1)).as_deref(), Some(&b"ours"[..]));
    let others = format!("writing-{}-0", std::process::id());
    assert_eq!(fs::read(directory.join(others)).unwrap(), b"of another");
}

#[test]
fn a_key_has_one_holder_until_its_lock_is_dropped() {
    let (parent, cache) = open(1);
    let other = BlobCache::open(&parent.path().join("blobs"), options(1)).unwrap();
    let held = cache.lock(&key(1)).unwrap();
    assert!(cache.try_lock(&key(1)).unwrap().is_none());
    assert!(other.try_lock(&key(1)).unwrap().is_none());
    assert!(other.try_lock(&key(2)).unwrap().is_some());
    let (sender, receiver) = mpsc::sync_channel(1);
    std::thread::scope(|scope| {
        scope.spawn(|| sender.send(other.lock(&key(1)).is_ok()));
        drop(held);
        assert!(receiver.recv().unwrap());
    });
    assert!(cache.try_lock(&key(1)).unwrap().is_some());
    // The file of the locks is no blob: it stays when room is made.
    cache.put(&key(1), b"more than fits").unwrap();
    assert!(parent.path().join("blobs/lock").exists());
}
