//! A small static file server for the built page, for `cargo xtask serve` and the tests.
//!
//! It behaves as a plain static host does: media types, `ETag` with 304, gzip, single byte ranges, and nothing
//! outside the served folder.

mod answer;
mod cache;
mod mime;
mod path;
mod range;
#[cfg(test)]
mod tests;

use std::{
    io::Cursor,
    net::{Ipv4Addr, SocketAddr, TcpListener},
    path::Path,
    sync::Arc,
    thread::{self, JoinHandle},
};

use anyhow::{Context, Result, anyhow};
use tiny_http::{Header, Method, Request, Response, Server};

use answer::{Answer, Asked, answer};
use cache::Cache;
pub use cache::{gzip, hash};

/// Enough for the connections that a browser opens to one host.
const THREADS: usize = 6;

/// A running server; it stops when dropped.
pub struct StaticFiles {
    server: Arc<Server>,
    address: SocketAddr,
    prefix: String,
    threads: Vec<JoinHandle<()>>,
}

impl StaticFiles {
    /// Serves the folder `root` at `http://127.0.0.1:port/`; port 0 takes any that is free.
    pub fn start(root: &Path, port: u16) -> Result<Self> {
        Self::start_under(root, port, "/")
    }

    /// Serves the folder `root` at `http://127.0.0.1:port` under a sub-path such as `/some/path/`.
    pub fn start_under(root: &Path, port: u16, prefix: &str) -> Result<Self> {
        let root: Arc<Path> = root
            .canonicalize()
            .with_context(|| format!("There is no folder {} to serve; build it first.", root.display()))?
            .into();
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).with_context(|| {
            format!("Port {port} is taken; stop what uses it or choose another with --port.")
        })?;
        let address = listener.local_addr()?;
        let server = Server::from_listener(listener, None)
            .map_err(|error| anyhow!("The server could not be started: {error}."))?;
        let server = Arc::new(server);
        let cache = Arc::new(Cache::default());
        let prefix = path::normal_prefix(prefix);
        let threads = (0..THREADS)
            .map(|_| {
                let (server, root, cache) = (Arc::clone(&server), Arc::clone(&root), Arc::clone(&cache));
                let prefix = prefix.clone();
                thread::spawn(move || {
                    while let Ok(request) = server.recv() {
                        respond(request, &root, &prefix, &cache);
                    }
                })
            })
            .collect();
        Ok(Self { server, address, prefix, threads })
    }

    /// The address it listens on.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The address of the page, with a slash at its end.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}{}", self.address, self.prefix)
    }

    /// Serves until the process ends.
    pub fn wait(mut self) {
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

impl Drop for StaticFiles {
    fn drop(&mut self) {
        for _ in &self.threads {
            self.server.unblock();
        }
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

fn respond(request: Request, root: &Path, prefix: &str, cache: &Cache) {
    let answer = if matches!(request.method(), Method::Get | Method::Head) {
        let asked = Asked {
            url: request.url(),
            range: header(&request, "Range"),
            if_range: header(&request, "If-Range"),
            if_none_match: header(&request, "If-None-Match"),
            accept_encoding: header(&request, "Accept-Encoding"),
        };
        answer(root, prefix, cache, &asked)
    } else {
        let mut refusal = Answer::text(405, "Only GET and HEAD are served here.\n");
        refusal.headers.push(("Allow", "GET, HEAD".to_owned()));
        refusal
    };
    let bytes = answer.body.bytes();
    let headers = answer
        .headers
        .iter()
        .filter_map(|(name, value)| Header::from_bytes(name.as_bytes(), value.as_bytes()).ok())
        .collect();
    let response = Response::new(answer.status.into(), headers, Cursor::new(bytes), Some(bytes.len()), None)
        // Otherwise long files travel in chunks and without their length.
        .with_chunked_threshold(usize::MAX);
    // The browser may have gone meanwhile; that is its own affair.
    let _ = request.respond(response);
}

fn header<'a>(request: &'a Request, name: &'static str) -> Option<&'a str> {
    let header = request.headers().iter().find(|header| header.field.equiv(name))?;
    Some(header.value.as_str())
}
