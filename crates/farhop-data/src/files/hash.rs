//! SHA-256 of the data that a run was made from.

use std::io::{self, Read};

use farhop_graph::GraphSet;
use sha2::{Digest, Sha256};

/// SHA-256 of the bytes as 64 lower-case hexadecimal digits.
pub fn sha256_hex(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// SHA-256 of everything a reader gives, as 64 lower-case hexadecimal digits.
pub fn sha256_of_reader(reader: &mut impl Read) -> io::Result<String> {
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        match reader.read(&mut buffer) {
            Ok(0) => return Ok(hex(&hash.finalize())),
            Ok(count) => hash.update(&buffer[..count]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// SHA-256 of what graphs are: their nodes, entries, direction and bounds, however they were made or named.
pub fn sha256_of_graphs(graphs: &GraphSet) -> String {
    let union = graphs.union();
    let positions = |all: &[usize]| all.iter().map(|position| *position as u64).collect::<Vec<_>>();
    let mut hash = GraphHash::new(union.is_directed(), [&positions(graphs.offsets()), &positions(union.offsets())]);
    hash.add(union.sources());
    hash.finish()
}

/// As [`sha256_of_graphs`], of entries that come piece by piece.
pub(crate) struct GraphHash(Sha256);

impl GraphHash {
    /// Where graphs and where rows start.
    pub fn new(directed: bool, starts: [&[u64]; 2]) -> Self {
        let mut hash = Sha256::new();
        hash.update([u8::from(directed)]);
        for positions in starts {
            hash.update((positions.len() as u64).to_le_bytes());
            positions.iter().for_each(|position| hash.update(position.to_le_bytes()));
        }
        GraphHash(hash)
    }

    /// Further sources.
    pub fn add(&mut self, sources: &[u32]) {
        sources.iter().for_each(|source| self.0.update(source.to_le_bytes()));
    }

    /// The hash of all.
    pub fn finish(self) -> String {
        hex(&self.0.finalize())
    }
}

/// Bytes as lower-case hexadecimal digits, two for each.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_the_published_test_vectors() {
        // FIPS 180-2, appendix B.1, and the hash of the empty message.
        assert_eq!(sha256_hex(b"abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        let long = b"abc".repeat(100_000);
        assert_eq!(sha256_of_reader(&mut long.as_slice()).unwrap(), sha256_hex(&long));
        assert_eq!(sha256_hex(b""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    }
}
