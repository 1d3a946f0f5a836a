//! The link: `#v=1&model=gpt2-tales&text=The+king`. Only what differs from the defaults is written.
//!
//! A property that is renamed or changes its meaning raises [`VERSION`], and [`Choices::from_link`] then translates the
//! older form: links live in slides for years.

use std::{fmt::Display, ops::RangeInclusive, str::FromStr};

use super::{BUNDLED, Choices, Lab, MAX_PICKED, MAX_POSITION, bundled, percent};
use crate::{
    protocol::ModelSource,
    settings::{MAX_EIGENVALUES, MAX_STEPS, MAX_TEXT_CHARACTERS},
};

/// Version of the link's form.
const VERSION: u32 = 1;
/// More complaints than this would bury the page; a hostile link has thousands.
const MAX_COMPLAINTS: usize = 6;
/// Marks a model that came from the reader's disk.
const FILES_MARK: &str = "files:";

/// One thing that the reader chose.
struct Property {
    /// Its name in the link.
    name: &'static str,
    /// Its value as text.
    write: fn(&Choices) -> String,
    /// Takes the value, or says in one sentence why it cannot and what happens instead.
    read: fn(&mut Choices, &str) -> Result<(), String>,
}

/// Everything that goes into the link.
const PROPERTIES: [Property; 10] = [
    Property { name: "lab", write: |c| lab_name(c.lab).to_owned(), read: read_lab },
    Property { name: "model", write: |c| write_model(&c.model), read: read_model },
    Property { name: "text", write: |c| c.text.clone(), read: read_text },
    Property {
        name: "radius",
        write: |c| c.settings.radius.to_string(),
        read: |c, value| word(&mut c.settings.radius, value, "radius"),
    },
    Property {
        name: "biases",
        write: |c| (if c.settings.biases { "on" } else { "off" }).to_owned(),
        read: read_biases,
    },
    Property {
        name: "order",
        write: |c| c.settings.order.to_string(),
        read: |c, value| word(&mut c.settings.order, value, "order of eigenvalues"),
    },
    Property {
        name: "steps",
        write: |c| c.settings.steps.map(|steps| steps.to_string()).unwrap_or_default(),
        read: |c, value| {
            c.settings.steps = Some(whole(value, 1..=MAX_STEPS, "steps", "the model's own depth")?);
            Ok(())
        },
    },
    Property {
        name: "eigenvalues",
        write: |c| c.settings.eigenvalues.to_string(),
        read: |c, value| {
            let default = c.settings.eigenvalues.to_string();
            c.settings.eigenvalues = whole(value, 1..=MAX_EIGENVALUES, "eigenvalues", &default)?;
            Ok(())
        },
    },
    Property {
        name: "layer",
        write: |c| c.layer.to_string(),
        read: |c, value| {
            c.layer = whole(value, 0..=MAX_STEPS - 1, "layer", "layer 0")?;
            Ok(())
        },
    },
    Property {
        name: "picked",
        write: |c| c.picked.iter().map(ToString::to_string).collect::<Vec<_>>().join(","),
        read: read_picked,
    },
];

impl Choices {
    /// The link's fragment without its `#`; empty where everything is as on a first visit.
    #[must_use]
    pub fn to_link(&self) -> String {
        let defaults = Self::default();
        let mut parts = Vec::new();
        for property in &PROPERTIES {
            let value = (property.write)(self);
            if value != (property.write)(&defaults) {
                parts.push(format!("{}={}", property.name, percent::encode(&value)));
            }
        }
        if parts.is_empty() { String::new() } else { format!("v={VERSION}&{}", parts.join("&")) }
    }

    /// What a link's fragment asks for, and one sentence for each part of it that cannot be had.
    #[must_use]
    pub fn from_link(fragment: &str) -> (Self, Vec<String>) {
        let mut choices = Self::default();
        let mut complaints = Vec::new();
        let fragment = fragment.strip_prefix('#').unwrap_or(fragment);
        for part in fragment.split('&').filter(|part| !part.is_empty()) {
            if let Err(complaint) = choices.read_part(part)
                && complaints.len() < MAX_COMPLAINTS
            {
                complaints.push(complaint);
            }
        }
        if let Some(model) = choices.too_many_steps() {
            choices.settings.steps = None;
            complaints.push(format!(
                "The link asks for more steps than {} has layers ({}), so the model's own depth is used.",
                model.name, model.depth
            ));
        }
        (choices, complaints)
    }

    fn read_part(&mut self, part: &str) -> Result<(), String> {
        let (name, value) = part.split_once('=').unwrap_or((part, ""));
        if name == "v" {
            return match value.parse::<u32>() {
                Ok(version) if version <= VERSION => Ok(()),
                _ => Err(
                    "The link comes from another version of this page: what it shares with this one is used."
                        .to_owned(),
                ),
            };
        }
        let Some(property) = PROPERTIES.iter().find(|property| property.name == name) else {
            return Err(format!(
                "The link speaks of {}, which this page does not know, so it is left out.",
                quoted(name)
            ));
        };
        let value = percent::decode(value).ok_or_else(|| {
            format!("The link's {name} is damaged, so it is left as on a first visit: copy the link again.")
        })?;
        (property.read)(self, &value)
    }
}

fn lab_name(lab: Lab) -> &'static str {
    match lab {
        Lab::Models => "models",
    }
}

fn read_lab(choices: &mut Choices, value: &str) -> Result<(), String> {
    if value == lab_name(Lab::Models) {
        choices.lab = Lab::Models;
        return Ok(());
    }
    Err(format!(
        "The link asks for the lab {}, which this page does not have, so Models is shown.",
        quoted(value)
    ))
}

fn write_model(model: &ModelSource) -> String {
    match model {
        ModelSource::Bundled(name) => name.clone(),
        ModelSource::Local(name) => format!("{FILES_MARK}{name}"),
    }
}

fn read_model(choices: &mut Choices, value: &str) -> Result<(), String> {
    if let Some(name) = value.strip_prefix(FILES_MARK) {
        choices.model = ModelSource::Local(shortened(name));
        return Ok(());
    }
    if bundled(value).is_some() {
        choices.model = ModelSource::Bundled(value.to_owned());
        return Ok(());
    }
    Err(format!(
        "The link asks for the model {}, which this page does not have, so {} is used.",
        quoted(value),
        BUNDLED[0].name
    ))
}

fn read_text(choices: &mut Choices, value: &str) -> Result<(), String> {
    let characters = value.chars().count();
    if characters > MAX_TEXT_CHARACTERS {
        return Err(format!(
            "The link's text has {} characters; {} are possible, so the example is used.",
            grouped(characters),
            grouped(MAX_TEXT_CHARACTERS)
        ));
    }
    value.clone_into(&mut choices.text);
    Ok(())
}

fn read_biases(choices: &mut Choices, value: &str) -> Result<(), String> {
    choices.settings.biases = match value {
        "on" => true,
        "off" => false,
        _ => {
            return Err(format!(
                "The link says {} for the biases; on or off are possible, so they are off.",
                quoted(value)
            ));
        }
    };
    Ok(())
}

fn read_picked(choices: &mut Choices, value: &str) -> Result<(), String> {
    let mut picked = Vec::new();
    for position in value.split(',').filter(|position| !position.is_empty()) {
        match position.parse::<usize>() {
            Ok(position) if position < MAX_POSITION && picked.len() < MAX_PICKED => {
                if !picked.contains(&position) {
                    picked.push(position);
                }
            }
            _ => {
                return Err(format!(
                    "The link picks out tokens that cannot be picked (up to {MAX_PICKED} positions are possible), so none is picked."
                ));
            }
        }
    }
    choices.picked = picked;
    Ok(())
}

/// Reads a setting that is spelled as one of a few words.
fn word<T: FromStr + Display>(target: &mut T, value: &str, what: &str) -> Result<(), String> {
    match value.parse() {
        Ok(read) => {
            *target = read;
            Ok(())
        }
        Err(_) => Err(format!(
            "The link asks for {} as the {what}, which is not possible, so {target} is used.",
            quoted(value)
        )),
    }
}

/// Reads a whole number within its limits.
fn whole(value: &str, limits: RangeInclusive<usize>, what: &str, instead: &str) -> Result<usize, String> {
    let asked = match value.parse::<usize>() {
        Ok(number) if limits.contains(&number) => return Ok(number),
        Ok(number) => grouped(number),
        Err(_) => quoted(value),
    };
    let (low, high) = (limits.start(), limits.end());
    Err(if what == "layer" {
        format!("The link asks for layer {asked}; {low} to {high} are possible, so {instead} is shown.")
    } else {
        format!(
            "The link asks for {asked} {what}; between {low} and {high} are possible, so {instead} {} used.",
            if instead.parse::<usize>().is_ok() { "are" } else { "is" }
        )
    })
}

/// 9999 as 9,999.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A foreign word in quotation marks, cut to a length that a sentence can bear.
fn quoted(word: &str) -> String {
    format!("\u{201c}{}\u{201d}", shortened(word))
}

fn shortened(word: &str) -> String {
    const LONGEST: usize = 60;
    let clean: String = word.chars().filter(|c| !c.is_control()).take(LONGEST + 1).collect();
    if clean.chars().count() > LONGEST {
        clean.chars().take(LONGEST - 1).chain(['\u{2026}']).collect()
    } else {
        clean
    }
}
