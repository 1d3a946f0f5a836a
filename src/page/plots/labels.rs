//! Names at the ends of lines: wrapped to the margin and moved apart so that none covers another.

/// Moves blocks of the given heights as little as possible from where they want to be centred, so that none overlaps
/// and all lie within `top..bottom`. Input and output are centres; the order of the wishes is kept.
/// Blocks that cannot fit together are squeezed evenly; choose fewer before.
#[must_use]
pub fn spread(wishes: &[(f64, f64)], top: f64, bottom: f64) -> Vec<f64> {
    let mut order: Vec<usize> = (0..wishes.len()).collect();
    order.sort_by(|&a, &b| wishes[a].0.total_cmp(&wishes[b].0));
    // Clusters of touching blocks, each standing where its members' wishes have their mean.
    let mut clusters: Vec<(Vec<usize>, f64, f64)> = Vec::new();
    for index in order {
        let (wish, height) = wishes[index];
        let mut cluster = (vec![index], wish - height / 2.0, height);
        settle(&mut cluster, wishes, top, bottom);
        while let Some(above) = clusters.last() {
            if above.1 + above.2 <= cluster.1 {
                break;
            }
            let (mut members, start, high) = above.clone();
            clusters.pop();
            members.append(&mut cluster.0);
            cluster = (members, start, high + cluster.2);
            settle(&mut cluster, wishes, top, bottom);
        }
        clusters.push(cluster);
    }
    let mut centres = vec![0.0; wishes.len()];
    for (members, start, _) in clusters {
        let mut at = start;
        for index in members {
            centres[index] = at + wishes[index].1 / 2.0;
            at += wishes[index].1;
        }
    }
    centres
}

/// Where a cluster starts so that its members are nearest to their wishes, within bounds.
fn settle(cluster: &mut (Vec<usize>, f64, f64), wishes: &[(f64, f64)], top: f64, bottom: f64) {
    let (mut offset, mut sum) = (0.0, 0.0);
    for &index in &cluster.0 {
        let (wish, height) = wishes[index];
        sum += wish - (offset + height / 2.0);
        offset += height;
    }
    let start = sum / cluster.0.len().max(1) as f64;
    cluster.1 = start.min(bottom - cluster.2).max(top);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_move_apart_and_stay_inside() {
        let wishes = [(50.0, 14.0), (50.0, 14.0), (52.0, 28.0), (3.0, 14.0), (300.0, 14.0)];
        let centres = spread(&wishes, 0.0, 200.0);
        let mut boxes: Vec<(f64, f64)> =
            centres.iter().zip(&wishes).map(|(c, (_, h))| (c - h / 2.0, c + h / 2.0)).collect();
        boxes.sort_by(|a, b| a.0.total_cmp(&b.0));
        assert!(boxes.windows(2).all(|pair| pair[0].1 <= pair[1].0 + 1e-9), "{boxes:?}");
        assert!(boxes.iter().all(|b| b.0 >= 0.0 && b.1 <= 200.0));
    }

    #[test]
    fn labels_that_do_not_touch_stay_where_they_are() {
        assert_eq!(spread(&[(20.0, 10.0), (60.0, 10.0)], 0.0, 100.0), [20.0, 60.0]);
        assert!(spread(&[], 0.0, 10.0).is_empty());
    }
}
