//! A picture as plain data: what is drawn, not how. Tests, tables and exports read the same data as the canvas.

/// How values become positions along an axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scale {
    /// Equal differences, equal distances.
    #[default]
    Linear,
    /// Equal ratios, equal distances; the axis says so. Values must be positive.
    Logarithmic,
}

/// One axis.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Axis {
    /// Written out with its symbol: `alignment with v_1, |v_1 . x_i|`.
    pub label: String,
    /// Linear or logarithmic.
    pub scale: Scale,
    /// Ends of the axis; `None` fits them to the data.
    pub range: Option<(f64, f64)>,
    /// Ticks at whole numbers only (layers, steps).
    pub whole: bool,
}

/// A colour by its meaning. The same thing has the same colour in every picture (LOOK).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Colour {
    /// The leading direction `v_1` and what belongs to it.
    Accent,
    /// Text colour.
    Ink,
    /// Secondary text.
    Muted,
    /// Hairlines, and lines that are not picked.
    Faint,
    /// The k-th of the Okabe-Ito hues, counted round.
    Category(usize),
    /// A magnitude in [0, 1] on the perceptual ramp (cividis).
    Magnitude(f64),
    /// A signed value in [-1, 1]: blue through the ground to orange.
    Signed(f64),
}

/// Full lines are measured, dashed ones predicted (LOOK).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stroke {
    /// A measurement.
    #[default]
    Full,
    /// A prediction or a reference.
    Dashed,
    /// Tells categories apart where colour alone would.
    Dotted,
}

/// Thickness of a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Weight {
    /// One of many.
    Thin,
    /// One of a few.
    #[default]
    Normal,
    /// The one to look at.
    Bold,
}

/// One line of a [`Lines`] picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// What the reader can hover and pick, such as the token's position; `None` for means and references.
    pub key: Option<usize>,
    /// Name, for the table's column, the hover and, where `labelled`, the line's end.
    pub label: String,
    /// Whether the name is written at the line's end.
    pub labelled: bool,
    /// (x, y); a y that is not finite interrupts the line.
    pub points: Vec<(f64, f64)>,
    /// Colour.
    pub colour: Colour,
    /// Full, dashed or dotted.
    pub stroke: Stroke,
    /// Thickness.
    pub weight: Weight,
    /// Whether each point has a dot.
    pub markers: bool,
}

/// An area between two curves, such as an interval or the null.
#[derive(Clone, Debug, PartialEq)]
pub struct Band {
    /// Name.
    pub label: String,
    /// (x, low, high).
    pub points: Vec<(f64, f64, f64)>,
    /// Colour, drawn translucent.
    pub colour: Colour,
}

/// A horizontal reference line with its name.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// Where.
    pub y: f64,
    /// What it means.
    pub label: String,
}

/// Curves over a common x axis.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lines {
    /// Horizontal axis.
    pub x: Axis,
    /// Vertical axis.
    pub y: Axis,
    /// Curves, drawn in order: the last one is on top.
    pub series: Vec<Series>,
    /// Areas, drawn beneath the curves.
    pub bands: Vec<Band>,
    /// Reference lines.
    pub rules: Vec<Rule>,
    /// An x to point out with a vertical hairline, such as the chosen layer.
    pub cursor: Option<f64>,
}

/// A point of the complex plane.
#[derive(Clone, Debug, PartialEq)]
pub struct PlanePoint {
    /// What the reader can hover and pick.
    pub key: Option<usize>,
    /// Name for the hover and the table.
    pub label: String,
    /// Whether the name is written beside it.
    pub labelled: bool,
    /// Real part.
    pub re: f64,
    /// Imaginary part.
    pub im: f64,
    /// Colour.
    pub colour: Colour,
    /// Filled (leading, measured) or hollow.
    pub filled: bool,
}

/// A circle of the complex plane.
#[derive(Clone, Debug, PartialEq)]
pub struct Circle {
    /// Centre, (re, im).
    pub centre: (f64, f64),
    /// Radius.
    pub radius: f64,
    /// What it means, written beside it.
    pub label: String,
    /// Colour.
    pub colour: Colour,
    /// Full, dashed or dotted.
    pub stroke: Stroke,
}

/// Points of the complex plane with equal scales on both axes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plane {
    /// Real axis; its range follows from the points unless set.
    pub x: Axis,
    /// Imaginary axis.
    pub y: Axis,
    /// Points.
    pub points: Vec<PlanePoint>,
    /// Circles; they may reach beyond the picture and are clipped.
    pub circles: Vec<Circle>,
}

/// Anything that can be drawn.
#[derive(Clone, Debug, PartialEq)]
pub enum Picture {
    /// Curves.
    Lines(Lines),
    /// The complex plane.
    Plane(Plane),
}

/// A picture's numbers, for those who cannot see it and for export.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// Names of the columns.
    pub header: Vec<String>,
    /// Rows; a value that is not finite is an empty cell.
    pub rows: Vec<Vec<String>>,
}
