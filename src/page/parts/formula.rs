//! The page's formulas in `MathML`, written by hand: there are few, and browsers set them without help.

use super::words;

/// A definition and where it comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Formula {
    /// `MathML`, one or more `math` elements with words between them.
    pub html: &'static str,
    /// The source in one sentence.
    pub source: &'static str,
}

/// Alignment of a token with the principal frame, and the step that is measured.
pub const ALIGNMENT: Formula = Formula {
    source: words::SOURCE_PAPER,
    html: concat!(
        r#"<p><math display="block"><msub><mi>a</mi><mi>i</mi></msub><mo>=</mo><mfrac>"#,
        r#"<mrow><mo>‖</mo><msup><mi>P</mi><mo>⊤</mo></msup><msub><mi>x</mi><mi>i</mi></msub><mo>‖</mo></mrow>"#,
        r#"<mrow><mo>‖</mo><msub><mi>x</mi><mi>i</mi></msub><mo>‖</mo></mrow></mfrac></math>"#,
        r#"where <math><mi>P</mi></math> is <math><msub><mi>v</mi><mn>1</mn></msub></math>, or an orthonormal basis of the span of "#,
        r#"<math><mi>Re</mi><mspace width="0.17em"/><msub><mi>v</mi><mn>1</mn></msub></math> and "#,
        r#"<math><mi>Im</mi><mspace width="0.17em"/><msub><mi>v</mi><mn>1</mn></msub></math> where "#,
        r#"<math><msub><mi>λ</mi><mn>1</mn></msub></math> is complex. A step is</p>"#,
        r#"<p><math display="block"><msub><mi>x</mi><mi>i</mi></msub><mo stretchy="false">(</mo><mi>t</mi><mo>+</mo><mn>1</mn><mo stretchy="false">)</mo>"#,
        r#"<mo>=</mo><mi>r</mi><mfrac><mrow><msub><mi>x</mi><mi>i</mi></msub><mo>+</mo><msub><mi>y</mi><mi>i</mi></msub></mrow>"#,
        r#"<mrow><mo>‖</mo><msub><mi>x</mi><mi>i</mi></msub><mo>+</mo><msub><mi>y</mi><mi>i</mi></msub><mo>‖</mo></mrow></mfrac>"#,
        r#"<mo>,</mo><mspace width="1em"/><msub><mi>y</mi><mi>i</mi></msub><mo>=</mo><munder><mo>∑</mo><mi>h</mi></munder>"#,
        r#"<msub><mi>O</mi><mi>h</mi></msub><msub><mi>V</mi><mi>h</mi></msub><munder><mo>∑</mo><mi>j</mi></munder>"#,
        r#"<msubsup><mi>a</mi><mrow><mi>i</mi><mi>j</mi></mrow><mi>h</mi></msubsup><msub><mi>x</mi><mi>j</mi></msub></math>"#,
        r#"the layer without its feed-forward network, with division by the length in place of LayerNorm.</p>"#,
    ),
};

/// Mean pairwise cosine and spread.
pub const CONSENSUS: Formula = Formula {
    source: words::SOURCE_HERE,
    html: concat!(
        r#"<p>mean cosine <math display="block"><mfrac><mn>2</mn><mrow><mi>n</mi><mo stretchy="false">(</mo><mi>n</mi><mo>−</mo><mn>1</mn><mo stretchy="false">)</mo></mrow></mfrac>"#,
        r#"<munder><mo>∑</mo><mrow><mi>i</mi><mo>&lt;</mo><mi>j</mi></mrow></munder><mfrac><mrow><msub><mi>x</mi><mi>i</mi></msub><mo>·</mo><msub><mi>x</mi><mi>j</mi></msub></mrow>"#,
        r#"<mrow><mo>‖</mo><msub><mi>x</mi><mi>i</mi></msub><mo>‖</mo><mo>‖</mo><msub><mi>x</mi><mi>j</mi></msub><mo>‖</mo></mrow></mfrac></math>"#,
        r#"spread <math display="block"><mfrac><msub><mrow><mo>‖</mo><mi>X</mi><mo>−</mo><mn mathvariant="bold">1</mn><msup><mover><mi>x</mi><mo>¯</mo></mover><mo>⊤</mo></msup><mo>‖</mo></mrow><mi>F</mi></msub>"#,
        r#"<msub><mrow><mo>‖</mo><mi>X</mi><mo>‖</mo></mrow><mi>F</mi></msub></mfrac></math></p>"#,
    ),
};

/// Both spectral gaps.
pub const GAPS: Formula = Formula {
    source: words::SOURCE_BOTH,
    html: concat!(
        r#"<p><math display="block"><mi>Re</mi><mspace width="0.17em"/><msub><mi>λ</mi><mn>1</mn></msub><mo>−</mo><mi>Re</mi><mspace width="0.17em"/><msub><mi>λ</mi><mn>2</mn></msub></math>"#,
        r#"<math display="block"><mrow><mo>|</mo><msub><mi>μ</mi><mn>1</mn></msub><mo>|</mo></mrow><mo>−</mo><mrow><mo>|</mo><msub><mi>μ</mi><mn>2</mn></msub><mo>|</mo></mrow><mo>,</mo>"#,
        r#"<mspace width="1em"/><msub><mi>μ</mi><mi>k</mi></msub><mo>=</mo><mn>1</mn><mo>+</mo><msub><mi>λ</mi><mi>k</mi></msub><mtext> †</mtext></math>"#,
        r#"where 2 is the next eigenvalue that is not the conjugate of the first.</p>"#,
    ),
};

/// gamma and rho.
pub const STEPS: Formula = Formula {
    source: words::SOURCE_PAPER,
    html: concat!(
        r#"<p><math display="block"><msub><mi>γ</mi><mi>t</mi></msub><mo>=</mo><mfrac><mn>1</mn><mi>n</mi></mfrac><munder><mo>∑</mo><mi>i</mi></munder>"#,
        r#"<mrow><mo>(</mo><msubsup><mi>a</mi><mi>i</mi><mo>+</mo></msubsup><mo>−</mo><msubsup><mi>a</mi><mi>i</mi><mo>−</mo></msubsup><mo>)</mo></mrow></math>"#,
        r#"<math display="block"><msub><mi>ρ</mi><mi>t</mi></msub><mo>=</mo><mfrac><mrow><mo>#</mo><mo>{</mo><mi>i</mi><mo>:</mo><msubsup><mi>a</mi><mi>i</mi><mo>+</mo></msubsup><mo>&gt;</mo><msubsup><mi>a</mi><mi>i</mi><mo>−</mo></msubsup><mo>}</mo></mrow>"#,
        r#"<mrow><mo>#</mo><mo>{</mo><mi>i</mi><mo>:</mo><msubsup><mi>a</mi><mi>i</mi><mo>+</mo></msubsup><mo>≠</mo><msubsup><mi>a</mi><mi>i</mi><mo>−</mo></msubsup><mo>}</mo></mrow></mfrac></math>"#,
        r#"with the alignments before (−) and after (+) step t, both with the frame of layer t.</p>"#,
    ),
};

/// Eigenvalues of the layer matrix.
pub const SPECTRUM: Formula = Formula {
    source: words::SOURCE_BOTH,
    html: concat!(
        r#"<p><math display="block"><mi>F</mi><mo>=</mo><munder><mo>∑</mo><mi>h</mi></munder><msub><mi>O</mi><mi>h</mi></msub><msub><mi>V</mi><mi>h</mi></msub><mo>,</mo>"#,
        r#"<mspace width="1em"/><mi>F</mi><msub><mi>v</mi><mi>k</mi></msub><mo>=</mo><msub><mi>λ</mi><mi>k</mi></msub><msub><mi>v</mi><mi>k</mi></msub></math>"#,
        r#"Where all tokens are alike, a step multiplies by <math><mi>I</mi><mo>+</mo><mi>F</mi></math>: it is the power method with "#,
        r#"<math><msub><mi>μ</mi><mi>k</mi></msub><mo>=</mo><mn>1</mn><mo>+</mo><msub><mi>λ</mi><mi>k</mi></msub></math>. "#,
        r#"Ranking by <math><mrow><mo>|</mo><msub><mi>μ</mi><mi>k</mi></msub><mo>|</mo></mrow></math> †.</p>"#,
    ),
};

#[cfg(test)]
mod tests {
    use super::*;

    /// A formula goes into the page as it is written here, so every element must be closed.
    #[test]
    fn elements_are_balanced() {
        for formula in [ALIGNMENT, CONSENSUS, GAPS, STEPS, SPECTRUM] {
            let mut open = Vec::new();
            for tag in formula.html.split('<').skip(1).filter_map(|rest| rest.split('>').next()) {
                if let Some(name) = tag.strip_prefix('/') {
                    assert_eq!(open.pop(), Some(name), "{}", formula.html);
                } else if !tag.ends_with('/') {
                    open.push(tag.split(' ').next().unwrap_or(tag));
                }
            }
            assert_eq!(open, Vec::<&str>::new());
        }
    }
}
