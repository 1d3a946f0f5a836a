//! A local server in the hub's form: `/{owner}/{name}/resolve/{revision}/{file}` answers 302 to a second port with
//! a signature that expires, which answers ranges. Switches make it misbehave in every way a host can.

// Each test program uses a part of this file.
#![allow(dead_code)]

pub mod made;

use std::{
    collections::BTreeMap,
    io::{BufRead, BufReader, Write},
    net::{Shutdown, TcpListener, TcpStream},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

/// Bytes of a file, of which any range can be had.
pub trait Contents: Send + Sync {
    fn length(&self) -> u64;
    /// Fills `bytes` with those from `start` on.
    fn read(&self, start: u64, bytes: &mut [u8]);
}

impl Contents for Vec<u8> {
    fn length(&self) -> u64 {
        self.len() as u64
    }

    fn read(&self, start: u64, bytes: &mut [u8]) {
        bytes.copy_from_slice(&self[start as usize..start as usize + bytes.len()]);
    }
}

// Each switch is one way a host can behave, and they can be combined.
#[allow(clippy::struct_excessive_bools)]
/// How the server misbehaves. `times` counts down; where it is 0 the server behaves.
#[derive(Clone, Debug, Default)]
pub struct Faults {
    /// Files are sent at once, without a redirect.
    pub direct: bool,
    /// A signature is good for so many requests.
    pub signature_uses: Option<usize>,
    /// The second host refuses every signature.
    pub refuse_signatures: bool,
    /// Ranges are ignored: 200 and the whole file.
    pub ignore_ranges: bool,
    /// With `ignore_ranges`: the length is not said.
    pub hide_length: bool,
    /// The next so many answers of weights end after this many bytes.
    pub cut: Option<(u64, usize)>,
    /// As `cut`, but the connection stays open and falls silent.
    pub silence: Option<(u64, usize)>,
    /// The next so many requests for weights are answered with this status and Retry-After.
    pub status: Option<(u16, usize, Option<u64>)>,
    /// Weights have another `ETag` after so many requests for them.
    pub change_after: Option<usize>,
    /// Content-Range of weights begins one byte late.
    pub shift: bool,
    /// Content-Range of weights names a file so many bytes longer.
    pub longer: u64,
    /// Repositories are gated: this token is asked for.
    pub token: Option<String>,
}

/// One request as the server saw it.
#[derive(Clone, Debug)]
pub struct Seen {
    /// True for the host that redirects lead to.
    pub second_host: bool,
    pub path: String,
    pub range: Option<(u64, u64)>,
    pub authorization: Option<String>,
    /// Bytes of the body that were sent.
    pub sent: u64,
}

#[derive(Default)]
struct Shared {
    files: BTreeMap<String, Box<dyn Contents>>,
    faults: Mutex<Faults>,
    seen: Mutex<Vec<Seen>>,
    signatures: Mutex<BTreeMap<usize, usize>>,
    stopped: AtomicBool,
    second: Mutex<String>,
}

/// The running server; it stops when dropped.
pub struct Hub {
    /// `http://127.0.0.1:PORT`.
    pub address: String,
    shared: Arc<Shared>,
    ports: [String; 2],
}

impl Hub {
    /// Serves `files` of the repository `owner/name`.
    pub fn start(files: impl IntoIterator<Item = (String, Box<dyn Contents>)>) -> Self {
        let listeners = [0, 1].map(|_| TcpListener::bind("127.0.0.1:0").unwrap());
        let ports = [0, 1].map(|k: usize| listeners[k].local_addr().unwrap().to_string());
        let shared = Arc::new(Shared { files: files.into_iter().collect(), ..Shared::default() });
        // Another name of this machine is another host to a client.
        let port = ports[1].rsplit(':').next().unwrap();
        *shared.second.lock().unwrap() = format!("http://localhost:{port}");
        for (listener, second) in listeners.into_iter().zip([false, true]) {
            let shared = Arc::clone(&shared);
            std::thread::spawn(move || {
                for stream in listener.incoming() {
                    if shared.stopped.load(Ordering::SeqCst) {
                        break;
                    }
                    let shared = Arc::clone(&shared);
                    // A client that goes away in the middle is part of the tests.
                    std::thread::spawn(move || drop(serve(&shared, &stream.unwrap(), second)));
                }
            });
        }
        Self { address: format!("http://{}", ports[0]), shared, ports }
    }

    /// Files that are in memory.
    pub fn of_files(files: BTreeMap<String, Vec<u8>>) -> Self {
        Self::start(files.into_iter().map(|(name, bytes)| (name, Box::new(bytes) as Box<dyn Contents>)))
    }

    pub fn with(self, change: impl FnOnce(&mut Faults)) -> Self {
        self.change(change);
        self
    }

    pub fn change(&self, change: impl FnOnce(&mut Faults)) {
        change(&mut self.shared.faults.lock().unwrap());
    }

    /// All requests so far.
    pub fn seen(&self) -> Vec<Seen> {
        self.shared.seen.lock().unwrap().clone()
    }

    pub fn forget_seen(&self) {
        self.shared.seen.lock().unwrap().clear();
    }

    /// Answers no more.
    pub fn stop(&self) {
        self.shared.stopped.store(true, Ordering::SeqCst);
        for port in &self.ports {
            // Wakes the thread that waits for a connection.
            drop(TcpStream::connect(port));
        }
    }
}

impl Drop for Hub {
    fn drop(&mut self) {
        self.stop();
    }
}

fn serve(shared: &Shared, stream: &TcpStream, second_host: bool) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let target = line.split(' ').nth(1).unwrap_or("/").to_owned();
    let (mut range, mut authorization) = (None, None);
    loop {
        line.clear();
        if reader.read_line(&mut line)? == 0 || line.trim().is_empty() {
            break;
        }
        let (name, value) = line.split_once(':').unwrap_or_default();
        match name.to_ascii_lowercase().as_str() {
            "range" => {
                let text = value.trim().strip_prefix("bytes=").unwrap_or_default();
                range = text.split_once('-').and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
            }
            "authorization" => authorization = Some(value.trim().to_owned()),
            _ => {}
        }
    }
    let (path, query) = target.split_once('?').unwrap_or((&target, ""));
    let number = {
        let mut seen = shared.seen.lock().unwrap();
        let path = path.to_owned();
        seen.push(Seen { second_host, path, range, authorization: authorization.clone(), sent: 0 });
        seen.len() - 1
    };
    let asked = Asked { number, second_host, path, query, range, authorization };
    answer(shared, stream, &asked)?;
    stream.shutdown(Shutdown::Both)
}

struct Asked<'a> {
    number: usize,
    second_host: bool,
    path: &'a str,
    query: &'a str,
    range: Option<(u64, u64)>,
    authorization: Option<String>,
}

fn answer(shared: &Shared, mut stream: &TcpStream, asked: &Asked) -> std::io::Result<()> {
    const CORS: &str = "Access-Control-Allow-Origin: *\r\nAccess-Control-Expose-Headers: ETag, Content-Range, \
                        Content-Length, Accept-Ranges, Retry-After\r\nConnection: close\r\n";
    let mut empty = |status: &str, more: &str| {
        write!(stream, "HTTP/1.1 {status}\r\n{CORS}Content-Length: 0\r\n{more}\r\n")
    };
    let name = asked.path.rsplit('/').next().unwrap_or_default();
    let Some(file) = shared.files.get(name) else { return empty("404 Not Found", "") };
    let weights = name.ends_with(".safetensors");
    let mut faults = shared.faults.lock().unwrap().clone();
    if !asked.second_host
        && faults
            .token
            .as_ref()
            .is_some_and(|token| asked.authorization.as_deref() != Some(&format!("Bearer {token}")))
    {
        return empty("401 Unauthorized", "");
    }
    if !asked.second_host && !faults.direct {
        let second = shared.second.lock().unwrap().clone();
        let mut signatures = shared.signatures.lock().unwrap();
        let signature = signatures.len();
        signatures.insert(signature, faults.signature_uses.unwrap_or(usize::MAX));
        return empty("302 Found", &format!("Location: {second}/{name}?signature={signature}\r\n"));
    }
    if !faults.direct {
        let signature = asked.query.strip_prefix("signature=").and_then(|text| text.parse().ok());
        let mut signatures = shared.signatures.lock().unwrap();
        let uses = signature.and_then(|signature: usize| signatures.get_mut(&signature));
        match uses {
            Some(uses) if *uses > 0 && !faults.refuse_signatures => *uses -= 1,
            _ => return empty("403 Forbidden", ""),
        }
    }
    let mut etag = format!("\"{name}-1\"");
    let (mut cut, mut silence) = (None, None);
    if weights {
        let mut live = shared.faults.lock().unwrap();
        if let Some((status, times, after)) = &mut live.status
            && *times > 0
        {
            *times -= 1;
            let after = after.map_or_else(String::new, |after| format!("Retry-After: {after}\r\n"));
            let status = format!("{status} Fault");
            return empty(&status, &after);
        }
        if let Some(left) = &mut live.change_after {
            if *left == 0 {
                etag = format!("\"{name}-2\"");
            }
            *left = left.saturating_sub(1);
        }
        let mut take = |fault: fn(&mut Faults) -> &mut Option<(u64, usize)>| {
            let (bytes, times) = fault(&mut live).as_mut()?;
            (*times > 0).then(|| {
                *times -= 1;
                *bytes
            })
        };
        (cut, silence) = (take(|faults| &mut faults.cut), take(|faults| &mut faults.silence));
    } else {
        faults.longer = 0;
        faults.shift = false;
    }
    let length = file.length();
    let (start, end) = match asked.range {
        Some((start, _)) if start >= length && !faults.ignore_ranges => {
            return empty("416 Range Not Satisfiable", &format!("Content-Range: bytes */{length}\r\n"));
        }
        Some((start, last)) if !faults.ignore_ranges => (start, length.min(last + 1)),
        _ => (0, length),
    };
    let head = if faults.ignore_ranges || asked.range.is_none() {
        if faults.hide_length { String::new() } else { format!("Content-Length: {length}\r\n") }
    } else {
        let (first, total) = (start + u64::from(faults.shift), length + faults.longer);
        format!("Content-Length: {}\r\nContent-Range: bytes {first}-{}/{total}\r\n", end - start, end - 1)
    };
    let status = if head.contains("Content-Range") { "206 Partial Content" } else { "200 OK" };
    write!(stream, "HTTP/1.1 {status}\r\n{CORS}ETag: {etag}\r\n{head}\r\n")?;
    let end = cut.or(silence).map_or(end, |after| end.min(start + after));
    let mut chunk = vec![0; 64 * 1024];
    let mut at = start;
    while at < end {
        let size = (end - at).min(chunk.len() as u64) as usize;
        file.read(at, &mut chunk[..size]);
        stream.write_all(&chunk[..size])?;
        at += size as u64;
        shared.seen.lock().unwrap()[asked.number].sent += size as u64;
    }
    if silence.is_some() {
        std::thread::sleep(Duration::from_secs(4));
    }
    Ok(())
}
