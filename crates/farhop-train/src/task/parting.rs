//! Which node belongs to which part.

/// The parts of a graph's nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parting {
    of_node: Vec<u32>,
    /// `[parts + 1]`.
    starts: Vec<usize>,
    /// Part after part, ascending in each.
    members: Vec<u32>,
}

impl Parting {
    /// From the part of every node; none if one is not below `parts`.
    pub fn new(of_node: Vec<u32>, parts: usize) -> Option<Self> {
        let mut starts = vec![0usize; parts + 1];
        for &part in &of_node {
            *starts.get_mut(part as usize + 1)? += 1;
        }
        for part in 0..parts {
            starts[part + 1] += starts[part];
        }
        let mut next = starts.clone();
        let mut members = vec![0; of_node.len()];
        for (node, &part) in of_node.iter().enumerate() {
            members[next[part as usize]] = node as u32;
            next[part as usize] += 1;
        }
        Some(Parting { of_node, starts, members })
    }

    /// Number of parts.
    pub fn parts(&self) -> usize {
        self.starts.len() - 1
    }

    /// The part of every node.
    pub fn of_node(&self) -> &[u32] {
        &self.of_node
    }

    /// The nodes of a part, ascending.
    pub fn members(&self, part: u32) -> &[u32] {
        &self.members[self.starts[part as usize]..self.starts[part as usize + 1]]
    }

    /// Bytes on the heap.
    pub fn bytes(&self) -> u64 {
        4 * (self.of_node.len() + self.members.len()) as u64 + 8 * self.starts.len() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_node_is_in_its_part() {
        let parting = Parting::new(vec![2, 0, 2, 1, 0], 4).unwrap();
        let members: Vec<&[u32]> = (0..4).map(|part| parting.members(part)).collect();
        assert_eq!(members, [&[1, 4][..], &[3], &[0, 2], &[]]);
        assert_eq!(parting.parts(), 4);
        assert_eq!(Parting::new(vec![0, 4], 4), None);
    }
}
