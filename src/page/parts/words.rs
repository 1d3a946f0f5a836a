//! The words of the page's frame, in one place.

pub const NAME: &str = "Eigentilt";
pub const SKIP: &str = "Skip to the result";
pub const LABS: &str = "Labs";
pub const MODELS: &str = "Models";
pub const COPY: &str = "Copy link";
pub const COPIED: &str = "Copied";
pub const COPY_BY_HAND: &str = "Copy this address:";
pub const ASKED: &str = "What is analysed";
pub const MODEL: &str = "Model";
pub const TEXT: &str = "Text";
pub const SETTINGS: &str = "Settings";
pub const DONE: &str = "Done";
pub const FROM_DISK: &str = "From your disk\u{2026}";
pub const ON_DISK: &str = "from your disk";
pub const DISK_TITLE: &str = "A model from your disk";
pub const DISK_HOW: &str = "Choose config.json, model.safetensors and tokenizer.json of an ALBERT, BERT, GPT-2, GPT-Neo or GPT-NeoX model, or the folder that holds them, or drop them anywhere on this page. Nothing leaves your machine.";
pub const CHOOSE_FILES: &str = "Choose files";
pub const CHOOSE_FOLDER: &str = "Choose a folder";
pub const CLOSE: &str = "Close";
pub const DROP_HERE: &str = "Drop config.json, model.safetensors and tokenizer.json, or their folder";
pub const NOT_A_MODEL: &str =
    "None of these files belongs to a model: config.json, model.safetensors and tokenizer.json are needed.";
pub const YOUR_FILES: &str = "your files";
pub const RADIUS: &str = "Length of a token after each step";
pub const RADIUS_ONE: &str = "1";
pub const RADIUS_ROOT: &str = "\u{221a}d, as LayerNorm gives";
pub const BIASES: &str = "Biases";
pub const BIASES_ON: &str = "apply the biases of q, k, v and the output";
pub const ORDER: &str = "Order of eigenvalues";
pub const ORDER_SHIFTED: &str = "|\u{3bc}| = |1 + \u{3bb}|, what a step amplifies";
pub const ORDER_REAL: &str = "Re \u{3bb}";
pub const ORDER_MODULUS: &str = "|\u{3bb}|";
pub const STEPS: &str = "Steps";
pub const OWN_DEPTH: &str = "Back to the model\u{2019}s depth";
pub const EIGENVALUES: &str = "Leading eigenvalues";
pub const CANCEL: &str = "Cancel";
pub const TRY_AGAIN: &str = "Try again";
pub const DISMISS: &str = "Dismiss";
pub const STOPPED: &str = "stopped; the pictures show the last run that ended";
pub const STARTING: &str = "starting";
pub const OLD_PICTURE: &str = "The pictures below show the last run that worked.";
pub const FORMULA: &str = "Formula";
pub const NUMBERS: &str = "Numbers";
pub const SOURCE_PAPER: &str =
    "Source: Li and Altafini, Analogies between Transformer Layers and Power Method, arXiv 2605.25619.";
pub const SOURCE_HERE: &str = "Source: defined here.";
pub const SOURCE_BOTH: &str =
    "Source: Li and Altafini, arXiv 2605.25619; what is marked \u{2020} is defined here.";
pub const NOTHING_TO_DRAW: &str = "There is no finite number to draw here: ";

/// What the theme button says.
pub const fn theme(theme: super::theme::Theme) -> (&'static str, &'static str) {
    use super::theme::Theme;
    match theme {
        Theme::System => ("\u{25d0}", "Colours: as the system"),
        Theme::Light => ("\u{25cb}", "Colours: light"),
        Theme::Dark => ("\u{25cf}", "Colours: dark"),
    }
}
