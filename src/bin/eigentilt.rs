//! The native command.

fn main() {
    std::process::exit(eigentilt::command::run());
}
