//! Directories of the host that the guest sees, and where a file of the host lies for the
//! guest.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use isolate_sidecar_client::Root;

/// Where the guest sees the first directory.
const FIRST: &str = "/app";
/// Where the guest sees the directory of a file that lies in none of those given.
const BESIDE: &str = "/main";
/// What makes a directory a project.
const PROJECT_MARKS: [&str; 2] = ["package.json", "node_modules"];

/// A directory or file that cannot be used.
#[derive(Debug, thiserror::Error)]
pub(in crate::cli) enum DirectoryError {
    #[error("--root {path}: {source}")]
    Root { path: String, source: io::Error },
    #[error("--root {0}: not a directory")]
    NotADirectory(String),
    #[error("a second --root needs to say where the guest sees it: --root {0}=/GUESTDIR")]
    NoGuestPath(String),
    #[error("--root {0}: the guest's directory must be absolute and hold no `.` or `..`")]
    GuestPath(String),
    #[error("--root: two directories for the guest's {0}")]
    Repeated(String),
    #[error("cannot run {path}: {source}")]
    File { path: String, source: io::Error },
    #[error("cannot run {0}: not a file")]
    NotAFile(String),
    #[error("{0:?} is not UTF-8")]
    NotUtf8(PathBuf),
}

/// Directories in the order in which they were given; host paths are real paths.
#[derive(Debug, Default)]
pub(in crate::cli) struct Directories(Vec<(PathBuf, String)>);

impl Directories {
    /// Reads `HOSTDIR[=GUESTDIR]`.
    pub(in crate::cli) fn parse(given: &[String]) -> Result<Directories, DirectoryError> {
        let mut directories = Directories::default();
        for text in given {
            let (host, guest) = match text.rsplit_once('=') {
                Some((host, guest)) if !Path::new(text).is_dir() => {
                    (host, guest_path(guest, text)?)
                }
                _ if directories.0.is_empty() => (text.as_str(), FIRST.to_owned()),
                _ => return Err(DirectoryError::NoGuestPath(text.clone())),
            };
            let real = fs::canonicalize(host).map_err(|source| DirectoryError::Root {
                path: host.to_owned(),
                source,
            })?;
            if !real.is_dir() {
                return Err(DirectoryError::NotADirectory(host.to_owned()));
            }
            directories.add(real, guest)?;
        }
        Ok(directories)
    }

    /// The guest's path of a file; gives the guest its directory when it lies in none yet.
    pub(super) fn admit(&mut self, file: &Path) -> Result<String, DirectoryError> {
        let shown = || file.display().to_string();
        let failed = |source| DirectoryError::File {
            path: shown(),
            source,
        };
        if !fs::metadata(file).map_err(failed)?.is_file() {
            return Err(DirectoryError::NotAFile(shown()));
        }
        let absolute = std::path::absolute(file).map_err(failed)?;
        let (Some(parent), Some(name)) = (absolute.parent(), absolute.file_name()) else {
            return Err(DirectoryError::NotAFile(shown()));
        };
        let parent = fs::canonicalize(parent).map_err(failed)?;
        let file = parent.join(name);
        if let Some(path) = self.guest_path_of(&file) {
            return path;
        }
        match self.0.is_empty() {
            true => self.add(project_of(&parent).to_owned(), FIRST.to_owned())?,
            false => self.add(parent, BESIDE.to_owned())?,
        }
        self.guest_path_of(&file)
            .unwrap_or_else(|| Err(DirectoryError::NotAFile(shown())))
    }

    /// The guest's working directory: that of a Node started from the project's folder.
    pub(in crate::cli) fn cwd(&self) -> String {
        let first = self.0.first();
        first.map_or_else(|| FIRST.to_owned(), |(_, guest)| guest.clone())
    }

    pub(in crate::cli) fn roots(&self) -> Vec<Root> {
        let roots = self.0.iter().map(|(host, guest)| Root {
            host: host.to_string_lossy().into_owned(),
            guest: guest.clone(),
        });
        roots.collect()
    }

    fn add(&mut self, host: PathBuf, guest: String) -> Result<(), DirectoryError> {
        if host.to_str().is_none() {
            return Err(DirectoryError::NotUtf8(host));
        }
        if self.0.iter().any(|(_, taken)| *taken == guest) {
            return Err(DirectoryError::Repeated(guest));
        }
        self.0.push((host, guest));
        Ok(())
    }

    /// The innermost directory counts.
    fn guest_path_of(&self, file: &Path) -> Option<Result<String, DirectoryError>> {
        let inside = |(host, guest): &(PathBuf, String)| {
            let rest = file.strip_prefix(host).ok()?;
            Some((host.components().count(), rest.to_owned(), guest.clone()))
        };
        let all = self.0.iter().filter_map(inside);
        let (_, rest, guest) = all.max_by_key(|(depth, _, _)| *depth)?;
        let Some(rest) = rest.to_str() else {
            return Some(Err(DirectoryError::NotUtf8(file.to_owned())));
        };
        Some(Ok(format!("{}/{rest}", guest.trim_end_matches('/'))))
    }
}

/// The nearest directory from `folder` upwards that is a project, or `folder` itself.
fn project_of(folder: &Path) -> &Path {
    let is_project = |path: &&Path| PROJECT_MARKS.iter().any(|mark| path.join(mark).exists());
    folder.ancestors().find(is_project).unwrap_or(folder)
}

fn guest_path(text: &str, given: &str) -> Result<String, DirectoryError> {
    let Some(rest) = text.strip_prefix('/') else {
        return Err(DirectoryError::GuestPath(given.to_owned()));
    };
    let parts: Vec<&str> = rest.split('/').filter(|part| !part.is_empty()).collect();
    if parts.iter().any(|part| matches!(*part, "." | "..")) || text.contains('\0') {
        return Err(DirectoryError::GuestPath(given.to_owned()));
    }
    Ok(format!("/{}", parts.join("/")))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A directory with files, removed at the end.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str, files: &[&str]) -> Folder {
            let path = std::env::temp_dir().join(format!("{name}-{}", std::process::id()));
            for file in files {
                let file = path.join(file);
                fs::create_dir_all(file.parent().unwrap()).unwrap();
                fs::write(file, "").unwrap();
            }
            Folder(fs::canonicalize(path).unwrap())
        }

        fn given(&self, inside: &str, guest: &str) -> String {
            format!("{}{guest}", self.0.join(inside).display())
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn a_file_brings_its_project_along() {
        let folder = Folder::new("run-project", &["p/package.json", "p/src/a.js", "q/b.js"]);
        let mut none = Directories::default();
        assert_eq!(
            none.admit(&folder.0.join("p/src/a.js")).unwrap(),
            "/app/src/a.js"
        );
        assert_eq!(none.roots()[0].host, folder.given("p", ""));
        let mut none = Directories::default();
        assert_eq!(none.admit(&folder.0.join("q/b.js")).unwrap(), "/app/b.js");
        assert_eq!(none.roots()[0].host, folder.given("q", ""));
    }

    #[test]
    fn a_file_outside_of_the_given_directories_lies_in_main() {
        let folder = Folder::new("run-outside", &["p/a.js", "q/b.js"]);
        let mut given = Directories::parse(&[folder.given("p", "")]).unwrap();
        assert_eq!(given.admit(&folder.0.join("p/a.js")).unwrap(), "/app/a.js");
        assert_eq!(given.admit(&folder.0.join("q/b.js")).unwrap(), "/main/b.js");
        assert_eq!(given.cwd(), "/app");
    }

    #[test]
    fn the_innermost_directory_counts() {
        let folder = Folder::new("run-inner", &["p/lib/a.js"]);
        let given = [folder.given("p", "=/p/"), folder.given("p/lib", "=/lib")];
        let mut given = Directories::parse(&given).unwrap();
        assert_eq!(
            given.admit(&folder.0.join("p/lib/a.js")).unwrap(),
            "/lib/a.js"
        );
        assert_eq!(given.cwd(), "/p");
    }

    #[track_caller]
    fn check_refused(given: &[String], text: &str) {
        let err = Directories::parse(given).unwrap_err().to_string();
        assert!(err.contains(text), "{err}");
    }

    #[test]
    fn what_is_wrong_is_said() {
        let folder = Folder::new("run-wrong", &["p/a.js"]);
        let p = folder.given("p", "");
        check_refused(&[p.clone(), p.clone()], "a second --root needs to say");
        check_refused(&[format!("{p}=app")], "must be absolute");
        check_refused(&[format!("{p}=/a/../b")], "must be absolute");
        check_refused(&[format!("{p}=/a"), format!("{p}=/a/")], "two directories");
        check_refused(&[format!("{p}/none")], "No such file");
        check_refused(&[format!("{p}/a.js")], "not a directory");
        let err = Directories::default().admit(Path::new(&p)).unwrap_err();
        assert!(err.to_string().contains("not a file"), "{err}");
    }
}
