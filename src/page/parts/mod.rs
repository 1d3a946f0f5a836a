//! Pieces that every lab uses.

pub mod figure;
pub mod files;
pub mod formula;
pub mod header;
pub mod model_chooser;
pub mod settings_panel;
pub mod status;
pub mod text_field;
pub mod theme;
pub mod words;
