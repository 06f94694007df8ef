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
    let mut hash = Sha256::new();
    hash.update([u8::from(union.is_directed())]);
    for positions in [graphs.offsets(), union.offsets()] {
        hash.update((positions.len() as u64).to_le_bytes());
        positions.iter().for_each(|position| hash.update((*position as u64).to_le_bytes()));
    }
    union.sources().iter().for_each(|source| hash.update(source.to_le_bytes()));
    hex(&hash.finalize())
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
