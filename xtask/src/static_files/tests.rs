//! The server over a real connection.

use std::{
    fs,
    io::{Read, Write},
    net::TcpStream,
    path::PathBuf,
    thread,
    time::Duration,
};

use flate2::read::GzDecoder;

use super::StaticFiles;

struct Reply {
    status: u16,
    head: String,
    body: Vec<u8>,
}

impl Reply {
    fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (key, value) = line.split_once(':')?;
            key.eq_ignore_ascii_case(name).then_some(value.trim())
        })
    }
}

/// A folder with a page, a script, a module and a weight file, removed on drop.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let root = std::env::temp_dir().join(format!("eigentilt-static-{name}-{}", std::process::id()));
        let dist = root.join("dist");
        fs::create_dir_all(dist.join("models/a")).unwrap();
        fs::write(root.join("secret.txt"), "not for the web").unwrap();
        fs::write(dist.join("index.html"), "<!doctype html><title>page</title>").unwrap();
        fs::write(dist.join("page.js"), "const x = 1;\n".repeat(500)).unwrap();
        fs::write(dist.join("page.wasm"), b"\0asm\x01\0\0\0").unwrap();
        fs::write(dist.join("models/a/model.safetensors"), (0..=255).collect::<Vec<u8>>()).unwrap();
        Self(root)
    }

    fn dist(&self) -> PathBuf {
        self.0.join("dist")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn ask(server: &StaticFiles, method: &str, url: &str, headers: &[(&str, &str)]) -> Reply {
    let mut stream = TcpStream::connect(server.address()).unwrap();
    write!(stream, "{method} {url} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n").unwrap();
    for (name, value) in headers {
        write!(stream, "{name}: {value}\r\n").unwrap();
    }
    stream.write_all(b"\r\n").unwrap();
    let mut reply = Vec::new();
    stream.read_to_end(&mut reply).unwrap();
    let end = reply.windows(4).position(|window| window == b"\r\n\r\n").unwrap();
    let head = String::from_utf8(reply[..end].to_vec()).unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    Reply { status, head, body: reply[end + 4..].to_vec() }
}

#[test]
fn serves_the_page_with_types_and_lengths() {
    let folder = Folder::new("types");
    let server = StaticFiles::start(&folder.dist(), 0).unwrap();
    let page = ask(&server, "GET", "/", &[]);
    assert_eq!(page.status, 200);
    assert_eq!(page.header("Content-Type"), Some("text/html; charset=utf-8"));
    assert_eq!(page.header("Cache-Control"), Some("no-cache"));
    assert!(page.body.starts_with(b"<!doctype html>"));
    let module = ask(&server, "GET", "/page.wasm?v=1", &[]);
    assert_eq!(module.header("Content-Type"), Some("application/wasm"));
    assert_eq!(module.header("Content-Length"), Some("8"));
    let head = ask(&server, "HEAD", "/page.js", &[]);
    assert_eq!((head.status, head.body.len()), (200, 0));
    assert_eq!(head.header("Content-Length"), Some("6500"));
    assert_eq!(ask(&server, "POST", "/", &[]).status, 405);
    assert_eq!(ask(&server, "GET", "/nothing.js", &[]).status, 404);
}

#[test]
fn never_leaves_its_folder() {
    let folder = Folder::new("escape");
    let server = StaticFiles::start(&folder.dist(), 0).unwrap();
    for url in ["/../secret.txt", "/%2e%2e/secret.txt", "/models/../../secret.txt", "/..%2fsecret.txt"] {
        assert_eq!(ask(&server, "GET", url, &[]).status, 404, "{url}");
    }
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(folder.0.join("secret.txt"), folder.dist().join("link.txt")).unwrap();
        assert_eq!(ask(&server, "GET", "/link.txt", &[]).status, 404);
    }
}

#[test]
fn compresses_and_remembers() {
    let folder = Folder::new("gzip");
    let server = StaticFiles::start(&folder.dist(), 0).unwrap();
    let packed = ask(&server, "GET", "/page.js", &[("Accept-Encoding", "gzip, br")]);
    assert_eq!(packed.header("Content-Encoding"), Some("gzip"));
    assert_eq!(packed.header("Vary"), Some("Accept-Encoding"));
    let mut text = String::new();
    GzDecoder::new(packed.body.as_slice()).read_to_string(&mut text).unwrap();
    assert_eq!(text, "const x = 1;\n".repeat(500));

    let plain = ask(&server, "GET", "/page.js", &[]);
    assert_eq!(plain.header("Content-Encoding"), None);
    let tag = plain.header("ETag").unwrap();
    assert_ne!(Some(tag), packed.header("ETag"));
    let again = ask(&server, "GET", "/page.js", &[("If-None-Match", tag)]);
    assert_eq!((again.status, again.body.len()), (304, 0));

    fs::write(folder.dist().join("page.js"), "const x = 2;\n").unwrap();
    let changed = ask(&server, "GET", "/page.js", &[("If-None-Match", tag)]);
    assert_eq!((changed.status, changed.body.as_slice()), (200, b"const x = 2;\n".as_slice()));
}

#[test]
fn serves_single_ranges() {
    let folder = Folder::new("range");
    let server = StaticFiles::start(&folder.dist(), 0).unwrap();
    let url = "/models/a/model.safetensors";
    let part = ask(&server, "GET", url, &[("Range", "bytes=8-11")]);
    assert_eq!((part.status, part.body.as_slice()), (206, [8, 9, 10, 11].as_slice()));
    assert_eq!(part.header("Content-Range"), Some("bytes 8-11/256"));
    assert_eq!(part.header("Content-Length"), Some("4"));
    let beyond = ask(&server, "GET", url, &[("Range", "bytes=256-")]);
    assert_eq!(beyond.status, 416);
    assert_eq!(beyond.header("Content-Range"), Some("bytes */256"));
    let several = ask(&server, "GET", url, &[("Range", "bytes=0-1,4-5")]);
    assert_eq!((several.status, several.body.len()), (200, 256));
    let changed = ask(&server, "GET", url, &[("Range", "bytes=0-1"), ("If-Range", "\"old\"")]);
    assert_eq!((changed.status, changed.body.len()), (200, 256));
    // A range counts bytes of the file itself, so it is never compressed.
    let script = ask(&server, "GET", "/page.js", &[("Range", "bytes=0-4"), ("Accept-Encoding", "gzip")]);
    assert_eq!((script.status, script.body.as_slice()), (206, b"const".as_slice()));
}

#[test]
fn stands_under_a_sub_path_and_stops_on_drop() {
    let folder = Folder::new("prefix");
    let server = StaticFiles::start_under(&folder.dist(), 0, "/some/path/").unwrap();
    assert!(server.url().ends_with("/some/path/"));
    assert_eq!(ask(&server, "GET", "/some/path/", &[]).status, 200);
    assert_eq!(ask(&server, "GET", "/some/path/page.wasm", &[]).status, 200);
    let moved = ask(&server, "GET", "/some/path", &[]);
    assert_eq!((moved.status, moved.header("Location")), (301, Some("/some/path/")));
    let moved = ask(&server, "GET", "/some/path/models", &[]);
    assert_eq!((moved.status, moved.header("Location")), (301, Some("/some/path/models/")));
    assert_eq!(ask(&server, "GET", "/page.wasm", &[]).status, 404);
    let address = server.address();
    drop(server);
    // The thread that accepts connections ends on its own a moment later.
    let closed = (0..100).any(|_| {
        thread::sleep(Duration::from_millis(20));
        TcpStream::connect(address).is_err()
    });
    assert!(closed);
}
