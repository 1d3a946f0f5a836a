//! Axes: from values to pixels, and the few round numbers written along them.

use super::picture::{Axis, Scale};
use super::words::raised;

/// Values along one axis and the pixels they stand at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ruler {
    /// Linear or logarithmic.
    pub scale: Scale,
    /// Value at the beginning.
    pub low: f64,
    /// Value at the end.
    pub high: f64,
    /// Pixel at the beginning.
    pub from: f64,
    /// Pixel at the end.
    pub to: f64,
}

impl Ruler {
    /// The pixel at which a value stands.
    #[must_use]
    pub fn px(&self, value: f64) -> f64 {
        let (low, high, value) = (self.bent(self.low), self.bent(self.high), self.bent(value));
        self.from + (value - low) / (high - low) * (self.to - self.from)
    }

    /// The value that stands at a pixel.
    #[must_use]
    pub fn value(&self, px: f64) -> f64 {
        let (low, high) = (self.bent(self.low), self.bent(self.high));
        let place = low + (px - self.from) / (self.to - self.from) * (high - low);
        match self.scale {
            Scale::Linear => place,
            Scale::Logarithmic => 10_f64.powf(place),
        }
    }

    /// Whether a value can be drawn on this axis at all.
    #[must_use]
    pub fn takes(&self, value: f64) -> bool {
        drawable(self.scale, value)
    }

    fn bent(&self, value: f64) -> f64 {
        match self.scale {
            Scale::Linear => value,
            Scale::Logarithmic => value.log10(),
        }
    }
}

/// Whether a value has a place on such a scale.
#[must_use]
pub fn drawable(scale: Scale, value: f64) -> bool {
    value.is_finite() && (scale == Scale::Linear || value > 0.0)
}

/// The ends of an axis: those asked for, or those of the data with a little air (`air`, a part of the span).
/// `None` where no value can be drawn.
#[must_use]
pub fn ends(axis: &Axis, values: impl Iterator<Item = f64>, air: f64) -> Option<(f64, f64)> {
    let (mut low, mut high) = values
        .filter(|value| drawable(axis.scale, *value))
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
    if low > high {
        return None;
    }
    if let Some((first, last)) = axis.range
        && drawable(axis.scale, first)
        && drawable(axis.scale, last)
        && first < last
    {
        return Some((first, last));
    }
    match axis.scale {
        Scale::Linear => {
            if high - low <= 1e-12 * high.abs().max(low.abs()) {
                let half = if axis.whole { 0.5 } else { (low.abs() * 0.1).max(0.05) };
                return Some((low - half, high + half));
            }
            let span = high - low;
            let reaches_zero = low >= 0.0 && low < 0.25 * span && air > 0.0;
            low = if reaches_zero { 0.0 } else { low - air * span };
            high += air * span;
        }
        Scale::Logarithmic => {
            let span = (high / low).log10();
            let air = 10_f64.powf(if span < 1e-9 { 0.2 } else { air * span });
            low /= air;
            high *= air;
        }
    }
    Some((low, high))
}

/// A tick: its value and what is written beside it.
#[derive(Clone, Debug, PartialEq)]
pub struct Tick {
    /// Value.
    pub value: f64,
    /// Number as written.
    pub text: String,
}

/// At most about `most` round numbers within the axis.
#[must_use]
pub fn ticks(ruler: &Ruler, whole: bool, most: usize) -> Vec<Tick> {
    let most = most.max(2);
    if ruler.scale == Scale::Logarithmic {
        let (first, last) = (ruler.low.log10(), ruler.high.log10());
        if last - first >= 1.2 {
            return decades(first, last, most);
        }
    }
    let step = step(ruler.high - ruler.low, whole, most);
    let first = (ruler.low / step - 1e-6).ceil() as i64;
    let last = (ruler.high / step + 1e-6).floor() as i64;
    (first..=last.min(first + 100))
        .map(|k| k as f64 * step)
        .filter(|value| ruler.takes(*value))
        .map(|value| Tick { value, text: written(value, step) })
        .collect()
}

/// The least round step (1, 2, 5 times a power of ten) that needs at most `most` ticks.
fn step(span: f64, whole: bool, most: usize) -> f64 {
    let rough = span / most as f64;
    let power = 10_f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .map(|digit| digit * power)
        .find(|step| span / step <= most as f64 * 1.000_001)
        .unwrap_or(10.0 * power);
    if whole { step.round().max(1.0) } else { step }
}

/// Powers of ten, thinned out where there are many; with 2 and 5 between where there are few.
fn decades(first: f64, last: f64, most: usize) -> Vec<Tick> {
    let (from, to) = ((first - 1e-9).ceil() as i32, (last + 1e-9).floor() as i32);
    let most = i32::try_from(most).unwrap_or(i32::MAX);
    let every = (f64::from(to - from + 1) / f64::from(most)).ceil().max(1.0) as i32;
    let plain = from >= -3 && to <= 4;
    let digits: &[f64] = if (to - from + 1) * 3 <= most { &[1.0, 2.0, 5.0] } else { &[1.0] };
    (from - 1..=to)
        .filter(|power| power.rem_euclid(every) == 0)
        .flat_map(|power| digits.iter().map(move |digit| (power, *digit)))
        .filter_map(|(power, digit)| {
            let value = digit * 10_f64.powi(power);
            let place = value.log10();
            let text = match (plain, digit > 1.0) {
                (true, _) => format!("{value:.*}", usize::try_from(-power).unwrap_or(0)),
                (false, true) => format!("{digit}·10{}", raised(power)),
                (false, false) => format!("10{}", raised(power)),
            };
            (place >= first - 1e-9 && place <= last + 1e-9).then_some(Tick { value, text })
        })
        .collect()
}

/// A tick's number with as many decimals as its step needs.
fn written(value: f64, step: f64) -> String {
    let power = step.abs().log10().floor() as i32;
    if value != 0.0 && (power < -5 || value.abs() >= 1e6) {
        let exponent = value.abs().log10().floor() as i32;
        let digits = usize::try_from(exponent - power).unwrap_or(0).min(6);
        let mantissa = format!("{:.digits$}", value / 10_f64.powi(exponent)).replace('-', "−");
        return format!("{mantissa}·10{}", raised(exponent));
    }
    let decimals = usize::try_from(-power).unwrap_or(0);
    let text = format!("{value:.decimals$}");
    if text.trim_start_matches('-').chars().all(|c| matches!(c, '0' | '.')) {
        return "0".to_owned();
    }
    text.replace('-', "−")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(low: f64, high: f64, whole: bool, most: usize) -> Vec<String> {
        let ruler = Ruler { scale: Scale::Linear, low, high, from: 0.0, to: 100.0 };
        ticks(&ruler, whole, most).into_iter().map(|tick| tick.text).collect()
    }

    #[test]
    fn ticks_are_few_and_round() {
        assert_eq!(texts(0.0, 1.0, false, 5), ["0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(texts(-0.3, 0.32, false, 4), ["−0.2", "0", "0.2"]);
        assert_eq!(texts(0.0, 12.0, true, 13), (0..=12).map(|k| k.to_string()).collect::<Vec<_>>());
        assert_eq!(texts(0.0, 12.0, true, 7), ["0", "2", "4", "6", "8", "10", "12"]);
        assert_eq!(texts(0.0, 1.0, true, 10), ["0", "1"]);
        assert_eq!(texts(0.0, 500.0, true, 6), ["0", "100", "200", "300", "400", "500"]);
        assert_eq!(texts(0.0, 3e-8, false, 3), ["0", "1·10⁻⁸", "2·10⁻⁸", "3·10⁻⁸"]);
    }

    #[test]
    fn logarithmic_ticks_are_powers_of_ten() {
        let ruler = Ruler { scale: Scale::Logarithmic, low: 1e-8, high: 2.0, from: 0.0, to: 100.0 };
        let texts: Vec<String> = ticks(&ruler, false, 5).into_iter().map(|tick| tick.text).collect();
        assert_eq!(texts, ["10⁻⁸", "10⁻⁶", "10⁻⁴", "10⁻²", "10⁰"]);
        assert!((ruler.value(ruler.px(0.01)) - 0.01).abs() < 1e-12);
        let ruler = Ruler { low: 0.01, high: 1.0, ..ruler };
        let texts: Vec<String> = ticks(&ruler, false, 10).into_iter().map(|tick| tick.text).collect();
        assert_eq!(texts, ["0.01", "0.02", "0.05", "0.1", "0.2", "0.5", "1"]);
    }

    #[test]
    fn ends_fit_the_data_or_the_wish() {
        let axis = Axis::default();
        assert_eq!(ends(&axis, [f64::NAN].into_iter(), 0.05), None);
        assert_eq!(ends(&axis, [0.1, 1.0].into_iter(), 0.0), Some((0.1, 1.0)));
        let wished = Axis { range: Some((0.0, 1.0)), ..Axis::default() };
        assert_eq!(ends(&wished, [0.3].into_iter(), 0.05), Some((0.0, 1.0)));
        let log = Axis { scale: Scale::Logarithmic, ..Axis::default() };
        assert_eq!(ends(&log, [-1.0, 0.0].into_iter(), 0.05), None);
        let (low, high) = ends(&axis, [2.0].into_iter(), 0.05).unwrap_or_default();
        assert!(low < 2.0 && 2.0 < high);
    }
}
