//! One shape for the attention of every family: q, k, v and output projections, a mask and a scale a layer.

use candle_core::{D, Device, Result, Tensor};
use candle_nn::ops::softmax_last_dim;

/// Which tokens a token sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mask {
    /// All of them (BERT, ALBERT).
    None,
    /// Itself and those before it.
    Causal,
    /// Itself and the `window - 1` tokens before it (GPT-Neo's local layers).
    Window(usize),
}

impl Mask {
    /// What is added to the n x n scores, or `None` where nothing is masked.
    fn bias(self, n: usize) -> Result<Option<Tensor>> {
        let sees = |i: usize, j: usize| match self {
            Self::None => true,
            Self::Causal => j <= i,
            Self::Window(window) => j <= i && i < j + window,
        };
        if self == Self::None {
            return Ok(None);
        }
        let values: Vec<f32> = (0..n)
            .flat_map(|i| (0..n).map(move |j| if sees(i, j) { 0.0 } else { f32::NEG_INFINITY }))
            .collect();
        Tensor::from_vec(values, (n, n), &Device::Cpu).map(Some)
    }
}

/// y = W x + b with W of shape [out, in].
#[derive(Clone, Debug)]
pub struct Projection {
    /// [out, in].
    pub weight: Tensor,
    /// [out]; `None` where the family has none.
    pub bias: Option<Tensor>,
}

impl Projection {
    /// Applies it to the rows of `x` ([n, in] to [n, out]), with the bias where asked for.
    ///
    /// # Errors
    /// Where shapes do not fit.
    pub fn apply(&self, x: &Tensor, with_bias: bool) -> Result<Tensor> {
        let y = x.matmul(&self.weight.t()?)?;
        match &self.bias {
            Some(bias) if with_bias => y.broadcast_add(bias),
            _ => Ok(y),
        }
    }
}

/// One layer's attention. The layer matrix is F = `output.weight` `value.weight` (SPEC 1).
#[derive(Clone, Debug)]
pub struct AttentionLayer {
    /// Q, heads stacked by rows.
    pub query: Projection,
    /// K, heads stacked by rows.
    pub key: Projection,
    /// V, heads stacked by rows.
    pub value: Projection,
    /// O, heads stacked by columns.
    pub output: Projection,
    /// Which tokens a token sees.
    pub mask: Mask,
    /// s in q . k s: 1/sqrt(d/H) but for GPT-Neo, where it is 1.
    pub scale: f64,
}

/// Rotary positions on the first `dimensions` entries of each head's q and k, halves rotated against each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rotary {
    /// How many entries of a head are rotated; even.
    pub dimensions: usize,
    /// Base of the geometric sequence of frequencies.
    pub base: f64,
}

impl Rotary {
    /// Rotates `x` of shape [heads, n, d/H].
    fn apply(self, x: &Tensor) -> Result<Tensor> {
        let (_, n, size) = x.dims3()?;
        let half = self.dimensions / 2;
        let angle = |position: usize, k: usize| {
            position as f64 * self.base.powf(-2.0 * k as f64 / self.dimensions as f64)
        };
        let table = |function: fn(f64) -> f64| {
            let values: Vec<f32> =
                (0..n).flat_map(|p| (0..half).map(move |k| function(angle(p, k)) as f32)).collect();
            Tensor::from_vec(values, (n, half), x.device())
        };
        let turned = x.narrow(D::Minus1, 0, self.dimensions)?.contiguous()?.unsqueeze(0)?;
        let turned =
            candle_nn::rotary_emb::rope(&turned, &table(f64::cos)?, &table(f64::sin)?)?.squeeze(0)?;
        if self.dimensions == size {
            return Ok(turned);
        }
        let rest = x.narrow(D::Minus1, self.dimensions, size - self.dimensions)?;
        Tensor::cat(&[&turned, &rest], D::Minus1)
    }
}

/// The attention of a whole model.
#[derive(Clone, Debug)]
pub struct AttentionStack {
    /// d.
    pub width: usize,
    /// H.
    pub heads: usize,
    /// L, the number of layers that the model applies.
    pub depth: usize,
    /// One entry a layer, or a single one that every step shares.
    pub layers: Vec<AttentionLayer>,
    /// True where one layer serves every step (ALBERT), however many the model itself takes.
    pub shared: bool,
    /// Rotary positions (GPT-NeoX).
    pub rotary: Option<Rotary>,
}

impl AttentionStack {
    /// Index into `layers` of the layer that step `step` applies.
    #[must_use]
    pub fn layer_of_step(&self, step: usize) -> usize {
        if self.shared { 0 } else { step.min(self.layers.len() - 1) }
    }

    /// The attention weights `a_ij` of every head for tokens `x` ([n, d]): [heads, n, n], rows sum to 1 (SPEC 1).
    ///
    /// # Errors
    /// Where shapes do not fit.
    pub fn weights(&self, layer: &AttentionLayer, x: &Tensor, biases: bool) -> Result<Tensor> {
        let mut query = self.split(&layer.query.apply(x, biases)?)?;
        let mut key = self.split(&layer.key.apply(x, biases)?)?;
        if let Some(rotary) = self.rotary {
            query = rotary.apply(&query)?;
            key = rotary.apply(&key)?;
        }
        let mut scores = (query.matmul(&key.transpose(1, 2)?.contiguous()?)? * layer.scale)?;
        if let Some(bias) = layer.mask.bias(x.dim(0)?)? {
            scores = scores.broadcast_add(&bias)?;
        }
        softmax_last_dim(&scores)
    }

    /// `y_i = sum_h O_h V_h sum_j a^h_ij x_j` for tokens `x` ([n, d]), with all biases where asked for (SPEC 1).
    ///
    /// # Errors
    /// Where shapes do not fit.
    pub fn attend(&self, layer: &AttentionLayer, x: &Tensor, biases: bool) -> Result<Tensor> {
        let weights = self.weights(layer, x, biases)?;
        let value = self.split(&layer.value.apply(x, biases)?)?;
        let heads = weights.matmul(&value)?;
        let joined = heads.transpose(0, 1)?.contiguous()?.reshape((x.dim(0)?, self.width))?;
        layer.output.apply(&joined, biases)
    }

    /// [n, d] to [heads, n, d/H].
    fn split(&self, x: &Tensor) -> Result<Tensor> {
        let n = x.dim(0)?;
        x.reshape((n, self.heads, self.width / self.heads))?.transpose(0, 1)?.contiguous()
    }
}
