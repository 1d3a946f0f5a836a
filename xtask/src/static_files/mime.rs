//! Media types by file name.

/// The media type of a file, and whether it pays to compress it.
#[must_use]
pub fn media_type(name: &str) -> (&'static str, bool) {
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension).to_ascii_lowercase();
    match extension.as_str() {
        "html" => ("text/html; charset=utf-8", true),
        "css" => ("text/css; charset=utf-8", true),
        "js" | "mjs" => ("text/javascript; charset=utf-8", true),
        "json" | "map" => ("application/json", true),
        // Anything else here and the browser refuses to compile while it downloads.
        "wasm" => ("application/wasm", true),
        "svg" => ("image/svg+xml", true),
        "txt" | "md" => ("text/plain; charset=utf-8", true),
        "png" => ("image/png", false),
        "jpg" | "jpeg" => ("image/jpeg", false),
        "webp" => ("image/webp", false),
        "ico" => ("image/x-icon", false),
        "woff2" => ("font/woff2", false),
        _ => ("application/octet-stream", false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_what_the_page_ships() {
        assert_eq!(media_type("worker_bg.wasm"), ("application/wasm", true));
        assert_eq!(media_type("page-1f2e.js").0, "text/javascript; charset=utf-8");
        assert_eq!(media_type("INDEX.HTML").0, "text/html; charset=utf-8");
        assert_eq!(media_type("model.safetensors"), ("application/octet-stream", false));
        assert_eq!(media_type("LICENSE"), ("application/octet-stream", false));
    }
}
