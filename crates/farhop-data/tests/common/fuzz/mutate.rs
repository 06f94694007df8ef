//! Inputs made of others: bytes changed, words of the format put in, pieces moved, two inputs joined, lengths made wrong,
//! members of archives changed and stored again with true checksums.

use std::io::{Cursor, Read, Write};

use farhop_graph::random::Stream;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

use super::targets::Target;

/// Numbers at the edges of what fits somewhere.
const NUMBERS: &[&str] = &[
    "0",
    "-1",
    "1",
    "2147483647",
    "2147483648",
    "4294967294",
    "4294967295",
    "9223372036854775807",
    "18446744073709551615",
    "1e308",
    "-1e39",
    "nan",
    "inf",
    "65535",
    "65536",
    "0.1",
    "1000000",
];
const LENGTHS: &[u64] =
    &[0, 1, 255, 65_535, 65_536, (1 << 31) - 1, 1 << 31, u32::MAX as u64, 1 << 40, i64::MAX as u64, u64::MAX];

/// An input made of one or two others.
pub fn mutated(first: &[u8], second: &[u8], target: &Target, random: &mut Stream) -> Vec<u8> {
    let archive = first.starts_with(b"PK") && random.below(4) != 0;
    if let Some(changed) = archive.then(|| stored_again(first, target, random)).flatten() {
        return changed;
    }
    let mut bytes = first.to_vec();
    if random.below(8) == 0 && !second.is_empty() {
        bytes = joined(first, second, random);
    }
    change(&mut bytes, target, random);
    bytes
}

fn joined(first: &[u8], second: &[u8], random: &mut Stream) -> Vec<u8> {
    let cut = |bytes: &[u8], random: &mut Stream| random.below(bytes.len() as u64 + 1) as usize;
    let mut bytes = first[..cut(first, random)].to_vec();
    bytes.extend_from_slice(&second[cut(second, random)..]);
    bytes
}

/// Changes one to eight places.
fn change(bytes: &mut Vec<u8>, target: &Target, random: &mut Stream) {
    for _ in 0..=random.below(4) * random.below(3) {
        let at = random.below(bytes.len() as u64 + 1) as usize;
        let length = (1 + random.below(24) as usize).min(bytes.len() - at);
        match random.below(11) {
            0 if length > 0 => bytes[at] ^= 1 << random.below(8),
            1 if length > 0 => bytes[at] = random.next_u64() as u8,
            2 => drop(bytes.drain(at..at + length)),
            3 => {
                let piece = bytes[at..at + length].to_vec();
                let to = random.below(bytes.len() as u64 + 1) as usize;
                bytes.splice(to..to, piece);
            }
            4 => {
                let piece = bytes[at..at + length].repeat(1 + random.below(40) as usize);
                bytes.splice(at..at, piece);
            }
            5 if random.below(6) == 0 => bytes.truncate(at),
            5 | 6 => replace_number(bytes, at, random),
            7 => {
                let value = LENGTHS[random.below(LENGTHS.len() as u64) as usize];
                let size = [1, 2, 4, 8][random.below(4) as usize];
                let number = &value.to_le_bytes()[..size];
                let end = (at + size).min(bytes.len());
                bytes.splice(at..end, number.iter().copied());
            }
            8 => {
                let number = NUMBERS[random.below(NUMBERS.len() as u64) as usize];
                bytes.splice(at..at, number.bytes());
            }
            _ if !target.words.is_empty() => {
                let word = target.words[random.below(target.words.len() as u64) as usize];
                let end = if random.below(2) == 0 { at } else { at + length };
                bytes.splice(at..end, word.iter().copied());
            }
            _ => bytes.insert(at, random.next_u64() as u8),
        }
    }
}

/// The first number behind a place becomes another one.
fn replace_number(bytes: &mut Vec<u8>, at: usize, random: &mut Stream) {
    let Some(start) = bytes[at..].iter().position(u8::is_ascii_digit) else { return };
    let start = at + start;
    let length = bytes[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let number = NUMBERS[random.below(NUMBERS.len() as u64) as usize];
    bytes.splice(start..start + length, number.bytes());
}

/// An archive with one of its members changed, or left out, stored or compressed.
fn stored_again(archive: &[u8], target: &Target, random: &mut Stream) -> Option<Vec<u8>> {
    let mut archive = ZipArchive::new(Cursor::new(archive)).ok()?;
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let changed = random.below(archive.len().max(1) as u64) as usize;
    let method = if random.below(5) == 0 { CompressionMethod::Deflated } else { CompressionMethod::Stored };
    for index in 0..archive.len() {
        let mut entry = archive.by_index(index).ok()?;
        let name = entry.name().to_string();
        let mut bytes = Vec::new();
        entry.by_ref().take(1 << 20).read_to_end(&mut bytes).ok()?;
        if index == changed {
            if random.below(30) == 0 {
                continue;
            }
            change(&mut bytes, target, random);
        }
        writer.start_file(name, SimpleFileOptions::default().compression_method(method)).ok()?;
        writer.write_all(&bytes).ok()?;
    }
    Some(writer.finish().ok()?.into_inner())
}
