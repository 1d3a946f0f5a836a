//! The web page: it chooses, asks the worker, and draws.

fn main() {
    eigentilt::page::app::start();
}
