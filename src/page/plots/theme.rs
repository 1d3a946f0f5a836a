//! Colours by meaning, for light and dark grounds (LOOK).

use super::picture::Colour;

/// A colour, 8 bits a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rgb(pub u8, pub u8, pub u8);

impl Rgb {
    const fn hex(value: u32) -> Self {
        Self((value >> 16) as u8, (value >> 8) as u8, value as u8)
    }

    /// The colour `t` of the way (0 to 1) from `self` to `other`.
    #[must_use]
    pub fn mix(self, other: Self, t: f64) -> Self {
        let t = if t.is_finite() { t.clamp(0.0, 1.0) } else { 0.0 };
        let channel = |a: u8, b: u8| (f64::from(a) + (f64::from(b) - f64::from(a)) * t).round() as u8;
        Self(channel(self.0, other.0), channel(self.1, other.1), channel(self.2, other.2))
    }

    /// Relative luminance (WCAG 2), 0 for black to 1 for white.
    #[must_use]
    pub fn luminance(self) -> f64 {
        let linear = |channel: u8| {
            let c = f64::from(channel) / 255.0;
            if c <= 0.040_45 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * linear(self.0) + 0.7152 * linear(self.1) + 0.0722 * linear(self.2)
    }

    /// Contrast ratio (WCAG 2), 1 to 21.
    #[must_use]
    pub fn contrast(self, other: Self) -> f64 {
        let (a, b) = (self.luminance(), other.luminance());
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    /// `#rrggbb`, for style attributes.
    #[must_use]
    pub fn css(self) -> String {
        format!("#{:02x}{:02x}{:02x}", self.0, self.1, self.2)
    }
}

/// The colours of one ground.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Theme {
    /// Ground.
    pub paper: Rgb,
    /// Text.
    pub ink: Rgb,
    /// Secondary text: axes and their names.
    pub muted: Rgb,
    /// Hairlines.
    pub line: Rgb,
    /// The leading direction and what belongs to it.
    pub accent: Rgb,
    /// Okabe-Ito hues, at 3 : 1 or more on this ground.
    pub categories: &'static [Rgb],
    /// Ends of the signed ramp: negative, positive.
    pub signed: (Rgb, Rgb),
    /// The part of the perceptual ramp that shows on this ground.
    ramp: (f64, f64),
}

const ON_LIGHT: [Rgb; 6] = [
    Rgb::hex(0x00_72B2),
    Rgb::hex(0xBD_8200),
    Rgb::hex(0x00_875F),
    Rgb::hex(0xB8_608F),
    Rgb::hex(0x2F_8FC9),
    Rgb::hex(0xC5_5300),
];

const ON_DARK: [Rgb; 7] = [
    Rgb::hex(0x3D_9AD6),
    Rgb::hex(0xE6_9F00),
    Rgb::hex(0x00_9E73),
    Rgb::hex(0xCC_79A7),
    Rgb::hex(0x56_B4E9),
    Rgb::hex(0xD5_5E00),
    Rgb::hex(0xF0_E442),
];

/// Ten colours of cividis at equal distances; what lies between is interpolated.
const CIVIDIS: [Rgb; 10] = [
    Rgb::hex(0x00_224E),
    Rgb::hex(0x12_3570),
    Rgb::hex(0x3B_496C),
    Rgb::hex(0x57_5D6D),
    Rgb::hex(0x70_7173),
    Rgb::hex(0x8A_8678),
    Rgb::hex(0xA5_9C74),
    Rgb::hex(0xC3_B369),
    Rgb::hex(0xE1_CC55),
    Rgb::hex(0xFE_E838),
];

impl Theme {
    /// Ink on paper.
    pub const LIGHT: Self = Self {
        paper: Rgb::hex(0xFB_FAF7),
        ink: Rgb::hex(0x1D_2127),
        muted: Rgb::hex(0x5C_6470),
        line: Rgb::hex(0xDC_D9D2),
        accent: Rgb::hex(0x0B_5CAD),
        categories: &ON_LIGHT,
        signed: (Rgb::hex(0x00_72B2), Rgb::hex(0xC5_5300)),
        ramp: (0.0, 0.7),
    };

    /// The same on a dark ground.
    pub const DARK: Self = Self {
        paper: Rgb::hex(0x14_171B),
        ink: Rgb::hex(0xE8_E6E1),
        muted: Rgb::hex(0xA2_A9B4),
        line: Rgb::hex(0x2C_3138),
        accent: Rgb::hex(0x7D_B7F0),
        categories: &ON_DARK,
        signed: (Rgb::hex(0x56_B4E9), Rgb::hex(0xE6_9F00)),
        ramp: (0.3, 1.0),
    };

    /// The theme of a dark or a light ground.
    #[must_use]
    pub const fn of(dark: bool) -> Self {
        if dark { Self::DARK } else { Self::LIGHT }
    }

    /// The colour that a meaning has on this ground.
    #[must_use]
    pub fn colour(&self, colour: Colour) -> Rgb {
        match colour {
            Colour::Accent => self.accent,
            Colour::Ink => self.ink,
            Colour::Muted => self.muted,
            Colour::Faint => self.faint(),
            Colour::Category(k) => {
                self.categories.get(k % self.categories.len().max(1)).copied().unwrap_or(self.ink)
            }
            Colour::Magnitude(t) => self.magnitude(t),
            Colour::Signed(t) => self.signed(t),
        }
    }

    /// Lines that stand back behind the chosen ones: between hairline and secondary text.
    #[must_use]
    pub fn faint(&self) -> Rgb {
        self.muted.mix(self.paper, 0.55)
    }

    /// A magnitude in [0, 1] on cividis, cut to the part that shows on this ground.
    #[must_use]
    pub fn magnitude(&self, t: f64) -> Rgb {
        let t = if t.is_finite() { t.clamp(0.0, 1.0) } else { 0.0 };
        let place = (self.ramp.0 + (self.ramp.1 - self.ramp.0) * t) * (CIVIDIS.len() - 1) as f64;
        let below = (place.floor() as usize).min(CIVIDIS.len() - 2);
        CIVIDIS[below].mix(CIVIDIS[below + 1], place - below as f64)
    }

    /// A signed value in [-1, 1]: blue, the ground at 0, orange.
    #[must_use]
    pub fn signed(&self, t: f64) -> Rgb {
        let end = if t < 0.0 { self.signed.0 } else { self.signed.1 };
        self.paper.mix(end, t.abs())
    }

    /// The colour, moved towards ink until words written in it reach 4.5 : 1.
    #[must_use]
    pub fn for_words(&self, colour: Rgb) -> Rgb {
        (0_u8..=10)
            .map(|step| colour.mix(self.ink, f64::from(step) / 10.0))
            .find(|mixed| mixed.contrast(self.paper) >= 4.5)
            .unwrap_or(self.ink)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_categories_stand_out_from_the_ground() {
        for theme in [Theme::LIGHT, Theme::DARK] {
            for words in [theme.ink, theme.muted, theme.accent] {
                assert!(words.contrast(theme.paper) >= 4.5, "{words:?}");
            }
            for (k, &hue) in theme.categories.iter().enumerate() {
                assert!(hue.contrast(theme.paper) >= 3.0, "category {k}: {}", hue.contrast(theme.paper));
                assert!(theme.for_words(hue).contrast(theme.paper) >= 4.5, "words of category {k}");
            }
            for end in [theme.signed.0, theme.signed.1] {
                assert!(end.contrast(theme.paper) >= 3.0);
            }
            for step in 0..=20 {
                let ratio = theme.magnitude(f64::from(step) / 20.0).contrast(theme.paper);
                assert!(ratio >= 2.4, "magnitude {step}/20: {ratio}");
            }
        }
    }

    #[test]
    fn the_ramp_of_magnitudes_grows_lighter_throughout() {
        for theme in [Theme::LIGHT, Theme::DARK] {
            let light: Vec<f64> =
                (0..=30).map(|k| theme.magnitude(f64::from(k) / 30.0).luminance()).collect();
            assert!(light.windows(2).all(|pair| pair[0] < pair[1]));
        }
    }

    #[test]
    fn the_signed_ramp_passes_through_the_ground() {
        assert_eq!(Theme::LIGHT.signed(0.0), Theme::LIGHT.paper);
        assert_eq!(Theme::DARK.signed(-1.0), Theme::DARK.signed.0);
        assert_eq!(Theme::DARK.signed(f64::NAN), Theme::DARK.paper);
    }

    #[test]
    fn categories_are_counted_round() {
        let theme = Theme::LIGHT;
        assert_eq!(theme.colour(Colour::Category(0)), theme.colour(Colour::Category(6)));
        assert_eq!(theme.accent.css(), "#0b5cad");
    }
}
