//! Strongly connected components of a graph.
//!
//! Owns the computation. A route from one component into another cannot be taken more often than
//! the first one is entered. Iterative, so that a long chain of sockets cannot overflow the stack.

/// The component of each node of a graph given by its neighbours. Nodes on a common cycle share
/// one.
pub(super) fn components(next: &[Vec<usize>]) -> Vec<usize> {
    let mut back = vec![Vec::new(); next.len()];
    for (from, targets) in next.iter().enumerate() {
        targets.iter().for_each(|to| back[*to].push(from));
    }
    let mut component = vec![usize::MAX; next.len()];
    for (number, root) in finished(next).into_iter().rev().enumerate() {
        let mut left = vec![root];
        while let Some(node) = left.pop() {
            if component[node] == usize::MAX {
                component[node] = number;
                left.extend(&back[node]);
            }
        }
    }
    component
}

/// The nodes in the order in which a depth-first search finishes them.
fn finished(next: &[Vec<usize>]) -> Vec<usize> {
    let (mut order, mut seen) = (Vec::with_capacity(next.len()), vec![false; next.len()]);
    for root in 0..next.len() {
        let mut path = if seen[root] {
            Vec::new()
        } else {
            vec![(root, 0)]
        };
        seen[root] = true;
        while let Some((node, at)) = path.pop() {
            match next[node].get(at) {
                Some(&to) => {
                    path.push((node, at + 1));
                    if !seen[to] {
                        seen[to] = true;
                        path.push((to, 0));
                    }
                }
                None => order.push(node),
            }
        }
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_leads_back_to_each_other_is_one() {
        // 0 → 1 ⇄ 2 → 3, 4 ⟲
        let found = components(&[vec![1], vec![2], vec![1, 3], vec![], vec![4]]);
        assert_eq!(found[1], found[2]);
        let mut all = [found[0], found[1], found[3], found[4]];
        all.sort_unstable();
        assert!(all.windows(2).all(|pair| pair[0] != pair[1]), "{found:?}");
    }
}
