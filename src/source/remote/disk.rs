//! Fetched ranges in a folder of the disk: `MODEL/FILE/record.json` says which file was seen last, and
//! `MODEL/FILE/ETAG-LENGTH/START-END` holds bytes of it.

use std::{
    fs, io,
    ops::Range,
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
};

use super::transport::{Record, Store};

/// Name of the file that holds the [`Record`].
const RECORD: &str = "record.json";

/// A folder of fetched ranges.
#[derive(Clone, Debug)]
pub(crate) struct Disk(pub(crate) PathBuf);

impl Disk {
    fn file(&self, model: &str, file: &str) -> PathBuf {
        self.0.join(plain(model)).join(plain(file))
    }

    fn pieces(&self, model: &str, file: &str, record: &Record) -> PathBuf {
        self.file(model, file).join(plain(&format!("{}-{}", record.etag, record.length)))
    }
}

impl Store for Disk {
    async fn record(&self, model: &str, file: &str) -> Option<Record> {
        serde_json::from_slice(&fs::read(self.file(model, file).join(RECORD)).ok()?).ok()
    }

    async fn ranges(&self, model: &str, file: &str, record: &Record) -> Vec<Range<u64>> {
        let Ok(entries) = fs::read_dir(self.pieces(model, file, record)) else { return Vec::new() };
        let mut ranges: Vec<Range<u64>> = entries
            .filter_map(|entry| {
                let entry = entry.ok()?;
                let name = entry.file_name().into_string().ok()?;
                let (start, end) = name.split_once('-')?;
                let range = start.parse().ok()?..end.parse().ok()?;
                // A piece that is shorter than its name says was not written to its end.
                let whole = range.start < range.end
                    && range.end <= record.length
                    && entry.metadata().ok()?.len() == range.end - range.start;
                whole.then_some(range)
            })
            .collect();
        ranges.sort_by_key(|range| (range.start, range.end));
        ranges
    }

    async fn get(&self, model: &str, file: &str, record: &Record, range: &Range<u64>) -> Option<Vec<u8>> {
        let bytes = fs::read(self.pieces(model, file, record).join(name(range))).ok()?;
        (bytes.len() as u64 == range.end - range.start).then_some(bytes)
    }

    async fn put(
        &self,
        model: &str,
        file: &str,
        record: &Record,
        range: &Range<u64>,
        bytes: &[u8],
    ) -> Result<(), String> {
        let words = |error: io::Error| error.to_string();
        let pieces = self.pieces(model, file, record);
        fs::create_dir_all(&pieces).map_err(words)?;
        write_whole(&pieces.join(name(range)), bytes).map_err(words)?;
        let json = serde_json::to_vec(record).map_err(|error| error.to_string())?;
        write_whole(&self.file(model, file).join(RECORD), &json).map_err(words)
    }

    async fn forget(&self, model: &str, file: &str) {
        // What cannot be removed is replaced when it is fetched anew.
        let _ = fs::remove_dir_all(self.file(model, file));
    }
}

fn name(range: &Range<u64>) -> String {
    format!("{}-{}", range.start, range.end)
}

/// Writes beside the place and moves, so that nobody ever reads half a file.
fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let unique = format!("tmp{}.{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
    let beside = path.with_extension(unique);
    let written = fs::write(&beside, bytes).and_then(|()| fs::rename(&beside, path));
    if written.is_err() {
        let _ = fs::remove_file(&beside);
    }
    written
}

/// `text` as one plain name of a file: different texts have different names.
fn plain(text: &str) -> String {
    let mut name = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' => name.push(char::from(byte)),
            b'.' if !name.is_empty() => name.push('.'),
            _ => name.extend(format!("%{byte:02X}").chars()),
        }
    }
    // Longest name that common file systems take, less the ending of a file under way.
    if name.len() > 200 {
        let (head, tail) = name.split_at(180);
        let sum = tail.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        return format!("{head}~{sum:016x}");
    }
    name
}

#[cfg(test)]
mod tests {
    use pollster::block_on;

    use super::*;

    #[test]
    fn what_was_kept_is_found_again() {
        let folder = tempfile::tempdir().unwrap();
        let disk = Disk(folder.path().to_owned());
        let (model, file) = ("https://a/b/../c/", "model.safetensors");
        let record = Record { length: 10, etag: "x/y".to_owned() };
        assert_eq!(block_on(disk.record(model, file)), None);
        block_on(disk.put(model, file, &record, &(2..5), &[7, 8, 9])).unwrap();
        assert_eq!(block_on(disk.record(model, file)), Some(record.clone()));
        let kept = block_on(disk.ranges(model, file, &record));
        assert_eq!((kept.len(), kept.first()), (1, Some(&(2..5))));
        assert_eq!(block_on(disk.get(model, file, &record, &(2..5))), Some(vec![7, 8, 9]));
        let other = Record { length: 11, etag: "x/y".to_owned() };
        assert_eq!(block_on(disk.ranges(model, file, &other)), []);
        // A piece that was cut is not believed.
        fs::write(disk.pieces(model, file, &record).join("2-5"), [7]).unwrap();
        assert_eq!(block_on(disk.ranges(model, file, &record)), []);
        block_on(disk.forget(model, file));
        assert_eq!(block_on(disk.record(model, file)), None);
    }

    #[test]
    fn names_stay_in_their_folder_and_apart() {
        assert_eq!(plain("../a"), "%2E.%2Fa");
        assert_eq!(plain("a.json"), "a.json");
        let long = "x".repeat(300);
        assert!(plain(&long).len() < 200);
        assert_ne!(plain(&long), plain(&format!("{long}y")));
    }
}
