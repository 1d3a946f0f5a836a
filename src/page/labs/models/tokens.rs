//! Tokens as the reader sees them.

use crate::report::Report;

/// One token of the analysed text.
#[derive(Clone, Debug, PartialEq)]
pub struct Token {
    /// Its place in the text, from 0.
    pub position: usize,
    /// Its number in the vocabulary.
    pub id: u32,
    /// Its text, with signs for what would be invisible.
    pub text: String,
    /// Its text, with the position where another token of this text looks the same.
    pub name: String,
    /// Alignment before the first step.
    pub first: f64,
    /// Alignment after the last step.
    pub last: f64,
}

/// The tokens of a report, in order.
#[must_use]
pub fn tokens(report: &Report) -> Vec<Token> {
    let texts: Vec<String> = report
        .tokens
        .iter()
        .enumerate()
        .map(|(at, spelled)| visible(report.token_texts.get(at).unwrap_or(spelled), spelled))
        .collect();
    let mut seen = std::collections::HashMap::new();
    for text in &texts {
        *seen.entry(text.as_str()).or_insert(0_usize) += 1;
    }
    let value = |values: Option<&Vec<f64>>, at: usize| {
        values.and_then(|values| values.get(at)).copied().unwrap_or(f64::NAN)
    };
    texts
        .iter()
        .enumerate()
        .map(|(position, text)| Token {
            position,
            id: report.ids.get(position).copied().unwrap_or_default(),
            text: text.clone(),
            name: if seen.get(text.as_str()) > Some(&1) {
                format!("{text} ({position})")
            } else {
                text.clone()
            },
            first: value(report.layers.first().map(|layer| &layer.align_before), position),
            last: value(report.layers.last().map(|layer| &layer.align_after), position),
        })
        .collect()
}

/// A token's text with signs for spaces and line ends; its spelling in the vocabulary where it has no text.
fn visible(text: &str, spelled: &str) -> String {
    let shown: String = text
        .chars()
        .map(|c| match c {
            ' ' => '\u{2423}',
            '\n' => '\u{21b5}',
            '\t' => '\u{21e5}',
            c if c.is_control() => '\u{fffd}',
            c => c,
        })
        .collect();
    if shown.is_empty() { spelled.to_owned() } else { shown }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::labs::models::samples::{layer, report};

    #[test]
    fn tokens_carry_what_the_panel_shows() {
        let mut sample = report(false, vec![layer(&[[1.0, 0.0]], &[0.1, 0.2, 0.3], &[0.4, 0.5, 0.6])]);
        sample.token_texts = vec![" a".to_owned(), String::new(), " a".to_owned()];
        sample.tokens[1] = "[CLS]".to_owned();
        let found = tokens(&sample);
        let names: Vec<_> = found.iter().map(|token| token.name.as_str()).collect();
        assert_eq!(names, ["\u{2423}a (0)", "[CLS]", "\u{2423}a (2)"]);
        assert_eq!((found[2].id, found[2].first, found[2].last), (7, 0.3, 0.6));
        assert_eq!(visible("\n\tx\u{7}", ""), "\u{21b5}\u{21e5}x\u{fffd}");
    }

    #[test]
    fn a_short_list_of_values_is_no_panic() {
        let mut sample = report(true, vec![layer(&[[1.0, 0.0]], &[0.1, 0.2], &[0.4, 0.5])]);
        sample.layers[0].align_after.pop();
        sample.token_texts.clear();
        sample.ids.clear();
        let found = tokens(&sample);
        assert_eq!(found.len(), 2);
        assert!(found[1].last.is_nan());
    }
}
