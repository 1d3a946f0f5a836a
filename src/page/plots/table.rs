//! A picture's numbers as a table: for those who cannot see it, and for export.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::picture::{Lines, Picture, Plane, Table};
use super::words::{mathematics, number};

/// The table a reader sees: four significant digits.
#[must_use]
pub fn table(picture: &Picture) -> Table {
    table_with(picture, Some(4))
}

/// The table with a chosen number of significant digits; `None` writes every number exactly.
///
/// Lines: one row for each x, one column for each series (two for a band). Plane: one row for each point.
#[must_use]
pub fn table_with(picture: &Picture, digits: Option<usize>) -> Table {
    match picture {
        Picture::Lines(lines) => of_lines(lines, digits),
        Picture::Plane(plane) => of_plane(plane, digits),
    }
}

/// The table as comma-separated values (RFC 4180), with a line for the header.
#[must_use]
pub fn to_csv(table: &Table) -> String {
    let mut csv = String::new();
    for row in std::iter::once(&table.header).chain(&table.rows) {
        for (k, cell) in row.iter().enumerate() {
            if k > 0 {
                csv.push(',');
            }
            if cell.contains([',', '"', '\n', '\r']) {
                let _ = write!(csv, "\"{}\"", cell.replace('"', "\"\""));
            } else {
                csv.push_str(cell);
            }
        }
        csv.push_str("\r\n");
    }
    csv
}

fn of_lines(lines: &Lines, digits: Option<usize>) -> Table {
    let mut header = vec![mathematics(&lines.x.label)];
    let mut columns: Vec<Vec<(f64, f64)>> = Vec::new();
    for series in &lines.series {
        header.push(super::lines::name_of(series));
        columns.push(series.points.clone());
    }
    for band in &lines.bands {
        let name = mathematics(&band.label);
        header.extend([format!("{name}: low"), format!("{name}: high")]);
        columns.push(band.points.iter().map(|point| (point.0, point.1)).collect());
        columns.push(band.points.iter().map(|point| (point.0, point.2)).collect());
    }
    let mut rows: BTreeMap<Sorted, Vec<String>> = BTreeMap::new();
    for (k, column) in columns.iter().enumerate() {
        for &(x, y) in column.iter().filter(|point| point.0.is_finite()) {
            let row = rows.entry(Sorted(x)).or_insert_with(|| vec![String::new(); columns.len()]);
            row[k] = number(y, digits);
        }
    }
    let rows = rows
        .into_iter()
        .map(|(x, cells)| {
            let exact = lines.x.whole || digits.is_none();
            let first = number(x.0 + 0.0, if exact { None } else { digits });
            std::iter::once(first).chain(cells).collect()
        })
        .collect();
    Table { header, rows }
}

fn of_plane(plane: &Plane, digits: Option<usize>) -> Table {
    let header = vec!["point".to_owned(), mathematics(&plane.x.label), mathematics(&plane.y.label)];
    let rows = plane
        .points
        .iter()
        .map(|point| vec![mathematics(&point.label), number(point.re, digits), number(point.im, digits)])
        .collect();
    Table { header, rows }
}

/// Finite numbers in their order.
#[derive(Clone, Copy, PartialEq)]
struct Sorted(f64);

impl Eq for Sorted {}

impl Ord for Sorted {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        // Adding 0 makes one zero of the two.
        (self.0 + 0.0).total_cmp(&(other.0 + 0.0))
    }
}

impl PartialOrd for Sorted {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
