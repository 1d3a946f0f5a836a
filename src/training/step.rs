//! One step's loss and gradients, on several threads.

use candle_core::Result;

use super::model::{Model, Pass};
use super::optimizer::Gradients;
use super::parameters::Parameters;

/// Applies `work` to the passes on up to `threads` threads; results come in the order of the passes.
fn shared<T: Send>(
    passes: &[Pass],
    threads: usize,
    work: impl Fn(&Pass) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    if threads < 2 || passes.len() < 2 {
        return passes.iter().map(work).collect();
    }
    let lot = passes.len().div_ceil(threads);
    let work = &work;
    std::thread::scope(|scope| {
        let threads: Vec<_> = passes
            .chunks(lot)
            .map(|passes| scope.spawn(move || passes.iter().map(work).collect::<Result<Vec<T>>>()))
            .collect();
        let mut results = Vec::with_capacity(passes.len());
        for thread in threads {
            match thread.join() {
                Ok(found) => results.extend(found?),
                Err(_) => candle_core::bail!("a training thread stopped"),
            }
        }
        Ok(results)
    })
}

/// The batch's mean loss (nats a token) and its gradients; the shards are added in their order, so that the
/// result is the same on any number of threads.
pub fn gradients(
    model: &dyn Model,
    parameters: &Parameters,
    shards: &[Pass],
    threads: usize,
) -> Result<(f64, Gradients)> {
    let predictions: usize = shards.iter().map(|pass| pass.targets.len()).sum();
    let share = 1.0 / predictions as f64;
    let found = shared(shards, threads, |pass| {
        let loss = model.loss(parameters, pass, share)?;
        let store = loss.backward()?;
        let mut gradients = Gradients::new();
        for (name, tensor) in parameters.iter() {
            let values = match store.get(tensor) {
                Some(gradient) => gradient.flatten_all()?.to_vec1()?,
                None => vec![0.0; tensor.elem_count()],
            };
            gradients.insert(name.clone(), values);
        }
        Ok((f64::from(loss.to_scalar::<f32>()?), gradients))
    })?;
    let mut shards = found.into_iter();
    let Some((mut loss, mut total)) = shards.next() else {
        candle_core::bail!("a batch needs at least one sequence");
    };
    for (more, gradients) in shards {
        loss += more;
        for (sum, values) in total.values_mut().zip(gradients.values()) {
            sum.iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
        }
    }
    Ok((loss, total))
}

/// Mean loss over passes, nats a prediction, without training.
pub fn mean_loss(model: &dyn Model, parameters: &Parameters, passes: &[Pass], threads: usize) -> Result<f64> {
    // Detached weights keep candle from recording a graph.
    let parameters = parameters.detached();
    let losses = shared(passes, threads, |pass| {
        Ok(f64::from(model.loss(&parameters, pass, 1.0)?.to_scalar::<f32>()?))
    })?;
    let predictions: usize = passes.iter().map(|pass| pass.targets.len()).sum();
    Ok(losses.iter().sum::<f64>() / predictions as f64)
}
