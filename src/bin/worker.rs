//! The web worker: everything heavy runs here, away from the page's thread.

fn main() {
    #[cfg(target_arch = "wasm32")]
    eigentilt::worker::start();
}
