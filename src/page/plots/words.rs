//! Words and numbers in pictures and captions: mathematics in Unicode, numbers, and how wide a text is.

/// Names of letters that are written as letters.
const LETTERS: [(&str, &str); 19] = [
    ("alpha", "α"),
    ("beta", "β"),
    ("gamma", "γ"),
    ("delta", "δ"),
    ("eta", "η"),
    ("theta", "θ"),
    ("lambda", "λ"),
    ("mu", "μ"),
    ("rho", "ρ"),
    ("sigma", "σ"),
    ("phi", "φ"),
    ("Phi", "Φ"),
    ("Sigma", "Σ"),
    ("xbar", "x̄"),
    ("tau", "τ"),
    ("kappa", "κ"),
    ("pi", "π"),
    ("omega", "ω"),
    ("epsilon", "ε"),
];

/// Writes plain notation as mathematics: `|v_1 . x_i|` becomes `|v₁·xᵢ|`, `lambda_1 >= 0` becomes `λ₁ ≥ 0`.
/// What has no sign of its own stays as it is; applying it twice changes nothing more.
///
/// Do not apply it to tokens: they are quoted, not set.
#[must_use]
pub fn mathematics(plain: &str) -> String {
    let signs: Vec<char> = plain.chars().collect();
    let mut set = String::with_capacity(plain.len() + 8);
    let mut at = 0;
    while let Some(&sign) = signs.get(at) {
        let before = at.checked_sub(1).and_then(|k| signs.get(k)).copied();
        let rest = &signs[at..];
        if sign.is_ascii_alphabetic() && !before.is_some_and(|c| c.is_alphabetic() || c == '_') {
            let word: String = rest.iter().take_while(|c| c.is_ascii_alphabetic()).collect();
            let letter = LETTERS.iter().find(|(name, _)| *name == word).map(|(_, letter)| *letter);
            set.push_str(letter.unwrap_or(&word));
            at += word.len();
        } else if let Some((text, taken)) = raised_or_lowered(rest, before).or_else(|| sign_of(rest, before))
        {
            set.push_str(text.as_str());
            at += taken;
        } else {
            set.push(sign);
            at += 1;
        }
    }
    set
}

/// `_1`, `_{k+1}`, `^2`, `^T` as Unicode indices and exponents, and how many signs they took.
fn raised_or_lowered(rest: &[char], before: Option<char>) -> Option<(String, usize)> {
    let table = match rest.first()? {
        '_' => SUBSCRIPTS,
        '^' => SUPERSCRIPTS,
        _ => return None,
    };
    if !before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '|' | ')' | '\u{304}')) {
        return None;
    }
    let (index, taken): (Vec<char>, usize) = if rest.get(1) == Some(&'{') {
        let inner: Vec<char> = rest.iter().skip(2).copied().take_while(|c| *c != '}').collect();
        let taken = inner.len() + 3;
        (inner, taken)
    } else if rest.get(1)?.is_ascii_digit() {
        let digits: Vec<char> = rest.iter().skip(1).copied().take_while(char::is_ascii_digit).collect();
        let taken = digits.len() + 1;
        (digits, taken)
    } else {
        if rest.get(2).is_some_and(|c| c.is_alphanumeric()) {
            return None;
        }
        (vec![*rest.get(1)?], 2)
    };
    if index.is_empty() || taken > rest.len() {
        return None;
    }
    let set: Option<String> = index
        .iter()
        .map(|sign| table.chars().zip(table.chars().skip(1)).step_by(2).find(|(k, _)| k == sign))
        .map(|pair| pair.map(|(_, small)| small))
        .collect();
    set.map(|text| (text, taken))
}

/// Plain signs and their small forms, in turn.
const SUBSCRIPTS: &str = "0₀1₁2₂3₃4₄5₅6₆7₇8₈9₉+₊-₋aₐeₑhₕiᵢjⱼkₖlₗmₘnₙoₒpₚrᵣsₛtₜuᵤvᵥxₓ";
const SUPERSCRIPTS: &str = "0⁰1¹2²3³4⁴5⁵6⁶7⁷8⁸9⁹+⁺-⁻TᵀLᴸnⁿkᵏtᵗiⁱ";

/// Operators that have a sign of their own.
fn sign_of(rest: &[char], before: Option<char>) -> Option<(String, usize)> {
    let starts = |text: &str| text.chars().zip(rest).filter(|(a, b)| a == *b).count() == text.chars().count();
    let known = [(" . ", "·"), ("<=", "≤"), (">=", "≥"), ("+-", "±"), ("->", "→"), ("~=", "≈")];
    if let Some((plain, sign)) = known.iter().find(|(plain, _)| starts(plain)) {
        return Some(((*sign).to_owned(), plain.chars().count()));
    }
    let negative = rest.first() == Some(&'-')
        && rest.get(1).is_some_and(|c| c.is_ascii_digit() || *c == ' ')
        && before.is_none_or(|c| c == ' ' || c == '(');
    negative.then(|| ("−".to_owned(), 1))
}

/// A number with `digits` significant digits, or exactly (the shortest text that reads back as the same number).
/// ASCII only, so that tables and exports can be read by machines; empty for what is not finite.
#[must_use]
pub fn number(value: f64, digits: Option<usize>) -> String {
    if !value.is_finite() {
        return String::new();
    }
    let Some(digits) = digits else { return format!("{value}") };
    if value == 0.0 {
        return "0".to_owned();
    }
    let scientific = format!("{value:.*e}", digits.max(1) - 1);
    let exponent: i32 =
        scientific.split_once('e').and_then(|(_, power)| power.parse().ok()).unwrap_or_default();
    if (-4..6).contains(&exponent) {
        let decimals = (digits as f64 - 1.0 - f64::from(exponent)).max(0.0) as usize;
        format!("{value:.decimals$}")
    } else {
        scientific
    }
}

/// A number as the reader sees it: four significant digits, a true minus sign, powers of ten raised.
#[must_use]
pub fn shown(value: f64) -> String {
    let plain = number(value, Some(4));
    match plain.split_once('e') {
        Some((digits, power)) => {
            format!("{}·10{}", digits.replace('-', "−"), raised(power.parse().unwrap_or_default()))
        }
        None => plain.replace('-', "−"),
    }
}

/// A whole number as an exponent.
#[must_use]
pub fn raised(power: i32) -> String {
    power
        .to_string()
        .chars()
        .filter_map(|sign| {
            SUPERSCRIPTS
                .chars()
                .zip(SUPERSCRIPTS.chars().skip(1))
                .step_by(2)
                .find(|(k, _)| *k == sign)
                .map(|(_, s)| s)
        })
        .collect()
}

/// About how wide a text is in the widest of the usual system fonts; never less than it will be.
#[must_use]
pub fn width(text: &str, size: f64) -> f64 {
    size * text.chars().map(advance).sum::<f64>()
}

/// Width of a sign in parts of the font's size.
fn advance(sign: char) -> f64 {
    match sign {
        'i' | 'j' | 'l' | 'I' | '\'' | '|' | '.' | ',' | ':' | ';' | '!' | ' ' | '·' => 0.33,
        'f' | 't' | 'r' | '(' | ')' | '[' | ']' | '-' | '/' | '"' => 0.41,
        'm' | 'w' | 'M' | 'W' | '@' | '%' | '…' | '→' => 0.98,
        'A'..='Z' | '&' => 0.73,
        '−' | '+' | '=' | '×' | '±' | '<' | '>' | '≤' | '≥' | '≈' => 0.84,
        '⁰'..='₎' | 'ₐ'..='ₜ' | 'ᵀ'..='ᵪ' | '²' | '³' | '¹' | 'ⱼ' => 0.45,
        '\u{300}'..='\u{36f}' | '\u{200b}'..='\u{200f}' => 0.0,
        '\u{2581}' => 0.8,
        '\u{1100}'..='\u{11ff}'
        | '\u{2e80}'..='\u{d7ff}'
        | '\u{f900}'..='\u{faff}'
        | '\u{ff00}'..='\u{ff60}' => 1.02,
        '\u{1f000}'.. => 1.4,
        _ => 0.65,
    }
}

/// The text in lines no wider than `room`, at most `most` of them; what does not fit ends in an ellipsis.
#[must_use]
pub fn wrap(text: &str, size: f64, room: f64, most: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if width(line, size) + width(" ", size) + width(word, size) <= room => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    let cut = lines.len() > most;
    lines.truncate(most.max(1));
    let last = lines.len().saturating_sub(1);
    lines.iter().enumerate().map(|(k, line)| shorten(line, size, room, cut && k == last)).collect()
}

/// The text, cut to fit the room; an ellipsis says that something is missing.
fn shorten(text: &str, size: f64, room: f64, cut: bool) -> String {
    if !cut && width(text, size) <= room {
        return text.to_owned();
    }
    let mut kept: Vec<char> = text.chars().collect();
    loop {
        let short: String = kept.iter().collect::<String>().trim_end_matches([' ', ',']).to_owned() + "…";
        if width(&short, size) <= room || kept.pop().is_none() {
            return short;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_notation_becomes_mathematics_and_stays_so() {
        for (plain, set) in [
            ("alignment with v_1, |v_1 . x_i|", "alignment with v₁, |v₁·xᵢ|"),
            ("lambda_1", "λ₁"),
            ("|mu_2/mu_1|", "|μ₂/μ₁|"),
            ("|mu_{k+1}/mu_1|^L", "|μₖ₊₁/μ₁|ᴸ"),
            ("v_10", "v₁₀"),
            ("gamma_t, rho_t", "γₜ, ρₜ"),
            ("Re lambda_1 - Re lambda_2", "Re λ₁ − Re λ₂"),
            ("P^T x_i", "Pᵀ xᵢ"),
            ("x(-0.5) >= 0", "x(−0.5) ≥ 0"),
            ("v_1 . u, 95 % interval", "v₁·u, 95 % interval"),
            ("mutable snake_case", "mutable snake_case"),
            ("step t -> t", "step t → t"),
            ("_1 and ^", "_1 and ^"),
            ("", ""),
        ] {
            assert_eq!(mathematics(plain), set);
            assert_eq!(mathematics(set), set);
        }
    }

    #[test]
    fn numbers_keep_their_significant_digits() {
        assert_eq!(number(0.123_456, Some(4)), "0.1235");
        assert_eq!(number(-12.3456, Some(4)), "-12.35");
        assert_eq!(number(123_456.0, Some(4)), "123456");
        assert_eq!(number(0.999_96, Some(4)), "1.000");
        assert_eq!(number(0.000_012_345, Some(4)), "1.234e-5");
        assert_eq!(number(0.0, Some(4)), "0");
        assert_eq!(number(f64::NAN, Some(4)), "");
        assert_eq!(number(0.1, None), "0.1");
        assert_eq!(shown(-2.5e-7), "−2.500·10⁻⁷");
    }

    #[test]
    fn lines_fit_their_room_and_say_when_they_are_cut() {
        let text = "mean of 64 random unit vectors, fixed seed";
        let lines = wrap(text, 12.0, 120.0, 2);
        assert_eq!(lines.len(), 2);
        assert!(lines.iter().all(|line| width(line, 12.0) <= 120.0));
        assert!(lines[1].ends_with('…'));
        assert_eq!(wrap("short", 12.0, 120.0, 2), ["short"]);
        assert_eq!(wrap("", 12.0, 120.0, 2), Vec::<String>::new());
    }
}
