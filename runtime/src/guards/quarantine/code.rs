//! Where code that V8 generated lies in this process.
//!
//! Three kinds: pages that it compiles into, which no file is behind; the built-ins within
//! this program; and their second mapping near the former, which has the program's file
//! behind it at an unusual distance. Executable memory of no other kind is taken for C++.

use std::fs;
use std::ops::Range;

/// Ranges of addresses at one time; neighbours with no C++ between them count as one.
pub(super) const MAX_RANGES: usize = 16;
/// A process with more mappings than this is not looked at.
const MAX_MAPS_BYTES: usize = 64 << 20;

/// Addresses of generated code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Code(Vec<Range<usize>>);

/// One executable mapping.
#[derive(Debug, PartialEq, Eq)]
struct Mapping<'a> {
    addresses: Range<usize>,
    offset: usize,
    file: &'a str,
}

impl Code {
    /// `None` where the kernel does not tell.
    pub(super) fn of_this_process() -> Option<Code> {
        let maps = fs::read("/proc/self/maps").ok()?;
        if maps.len() > MAX_MAPS_BYTES {
            return None;
        }
        let here = (Code::of_this_process as fn() -> Option<Code>) as usize;
        Code::read(
            &String::from_utf8_lossy(&maps),
            here,
            super::signal::built_ins(),
        )
    }

    pub(super) fn ranges(&self) -> &[Range<usize>] {
        &self.0
    }

    /// `here` is an address in the program's own C++ and Rust, `built_ins` what in it is not.
    fn read(maps: &str, here: usize, built_ins: Range<usize>) -> Option<Code> {
        let mappings: Vec<Mapping<'_>> = maps.lines().filter_map(Mapping::read).collect();
        let own = mappings.iter().find(|one| one.addresses.contains(&here))?;
        let mut ranges = vec![built_ins];
        // The last mapping was generated code: what follows belongs to the same range.
        let mut goes_on = false;
        for mapping in &mappings {
            let is_code = mapping.is_code(own);
            match ranges.last_mut() {
                Some(range) if is_code && goes_on => range.end = mapping.addresses.end,
                _ if is_code => ranges.push(mapping.addresses.clone()),
                _ => {}
            }
            goes_on = is_code;
        }
        (ranges.len() <= MAX_RANGES).then_some(Code(ranges))
    }
}

impl<'a> Mapping<'a> {
    /// proc(5): `start-end perms offset device inode   path`. `None` unless executable.
    fn read(line: &'a str) -> Option<Mapping<'a>> {
        let mut rest = line;
        let mut word = || {
            let (word, after) = rest
                .trim_start()
                .split_once(' ')
                .unwrap_or((rest.trim(), ""));
            rest = after;
            word
        };
        let (addresses, permissions, offset) = (word(), word(), word());
        let (_device, _inode) = (word(), word());
        let (start, end) = addresses.split_once('-')?;
        let number = |text| usize::from_str_radix(text, 16).ok();
        permissions.contains('x').then_some(Mapping {
            addresses: number(start)?..number(end)?,
            offset: number(offset)?,
            file: rest.trim(),
        })
    }

    fn is_code(&self, own: &Mapping<'_>) -> bool {
        self.file.is_empty() || (self.file == own.file && self.distance() != own.distance())
    }

    /// Between where it lies in memory and where it lies in the file.
    fn distance(&self) -> usize {
        self.addresses.start.wrapping_sub(self.offset)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAPS: &str = "\
00400000-00500000 r--p 00000000 fe:00 12 /bin/is car
00500000-00900000 r-xp 00100000 fe:00 12 /bin/is car
10000000-10001000 rwxp 00000000 00:00 0 
10002000-10003000 r--p 00000000 00:00 0 
10004000-10005000 r-xp 00300000 fe:00 12 /bin/is car
20000000-20001000 r-xp 00000000 fe:00 13 /lib/libc.so.6
30000000-30001000 r-xp 00000000 00:00 0 
40000000-40001000 r-xp 00000000 00:00 0                          [vdso]
";

    #[test]
    fn generated_code_is_told_from_the_rest() {
        let code = Code::read(MAPS, 0x0050_0010, 0x0070_0000..0x0080_0000).unwrap();
        assert_eq!(
            code.ranges(),
            [
                0x0070_0000..0x0080_0000,
                0x1000_0000..0x1000_5000,
                0x3000_0000..0x3000_1000
            ]
        );
    }

    #[test]
    fn nothing_is_told_where_the_program_itself_is_not_found() {
        assert_eq!(Code::read(MAPS, 0x10, 0..0), None);
        assert_eq!(Code::read("what\n\nis - this", 0x10, 0..0), None);
    }

    #[test]
    fn this_process_has_built_ins() {
        let code = Code::of_this_process().unwrap();
        let built_ins = code.ranges().first().unwrap();
        assert!(built_ins.len() > 1 << 20, "{built_ins:x?}");
    }
}
