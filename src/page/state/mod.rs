//! What the reader chose, all of it: one plain struct that goes into the link and comes back from it.

mod link;
mod percent;
#[cfg(test)]
mod tests;

use crate::{protocol::ModelSource, settings::Settings};

/// The sentence that a first visit analyses.
pub const EXAMPLE_TEXT: &str =
    "Once upon a time there was a little girl who lived in a village near the forest.";
/// At most this many tokens can be picked out at once: more could not be told apart.
pub const MAX_PICKED: usize = 8;
/// Positions of tokens lie below this; no model of the families read here takes more.
pub const MAX_POSITION: usize = 8192;

/// A model that the page ships.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bundled {
    /// Its folder below `models/`.
    pub name: &'static str,
    /// What it is, in a few words.
    pub about: &'static str,
    /// Number of layers it applies.
    pub depth: usize,
    /// Whether one layer is applied at every step.
    pub shared: bool,
}

/// The models that the page ships.
pub const BUNDLED: [Bundled; 2] = [
    Bundled { name: "albert-tales", about: "ALBERT, one layer applied 12 times", depth: 12, shared: true },
    Bundled { name: "gpt2-tales", about: "GPT-2, 8 layers of their own", depth: 8, shared: false },
];

/// The bundled model of a name.
#[must_use]
pub fn bundled(name: &str) -> Option<&'static Bundled> {
    BUNDLED.iter().find(|model| model.name == name)
}

/// One of the page's labs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Lab {
    /// Real transformers: alignment, consensus, spectra.
    #[default]
    Models,
}

/// Everything that the reader chose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choices {
    /// The lab on show.
    pub lab: Lab,
    /// The model that is analysed.
    pub model: ModelSource,
    /// The text that is analysed.
    pub text: String,
    /// How it is analysed.
    pub settings: Settings,
    /// The layer whose spectrum is on show. It may lie beyond the layers of a report: the last one is shown then.
    pub layer: usize,
    /// Positions of the tokens that are picked out, in the order of picking.
    pub picked: Vec<usize>,
}

impl Default for Choices {
    fn default() -> Self {
        Self {
            lab: Lab::default(),
            model: ModelSource::default(),
            text: EXAMPLE_TEXT.to_owned(),
            settings: Settings::default(),
            layer: 0,
            picked: Vec::new(),
        }
    }
}

impl Choices {
    /// Whether both need the same analysis: they may differ in what is on show.
    #[must_use]
    pub fn same_analysis(&self, other: &Self) -> bool {
        self.model == other.model && self.text == other.text && self.settings == other.settings
    }

    /// Picks a token out, or lets it go. The oldest pick gives way where there would be too many.
    pub fn toggle_pick(&mut self, position: usize) {
        if let Some(found) = self.picked.iter().position(|&picked| picked == position) {
            self.picked.remove(found);
        } else if position < MAX_POSITION {
            self.picked.push(position);
            if self.picked.len() > MAX_PICKED {
                self.picked.remove(0);
            }
        }
    }

    /// Takes another text. Picks go, because they meant positions of the old one.
    pub fn set_text(&mut self, text: String) {
        if self.text != text {
            self.text = text;
            self.picked.clear();
        }
    }

    /// Takes another model. Picks go with the old tokens; steps that the model cannot take go back to its depth.
    pub fn set_model(&mut self, model: ModelSource) {
        if self.model != model {
            self.model = model;
            self.picked.clear();
            self.layer = 0;
            if self.too_many_steps().is_some() {
                self.settings.steps = None;
            }
        }
    }

    /// The bundled model that is too shallow for the chosen steps, if that is so.
    fn too_many_steps(&self) -> Option<&'static Bundled> {
        let ModelSource::Bundled(name) = &self.model else { return None };
        bundled(name).filter(|model| !model.shared && self.settings.steps > Some(model.depth))
    }
}
