//! The older form of `torch.save`: pickles one after the other, then the storages.

use std::collections::HashMap;

use crate::formats::pickle::SharedBytes;
use crate::formats::pickle::{Fault, Kind, Program, converted, run};
use crate::formats::torch::StorageType;
use crate::text::quoted;

/// The first pickle: the number that marks such files.
pub(super) const MAGIC: &[u8] = b"\x80\x02\x8a\x0al\xfc\x9cF\xf9 j\xa8P\x19.";

/// Reads a stream.
pub(super) fn read(name: &str, bytes: SharedBytes) -> Result<Kind, Fault> {
    let (program, found) = opened(name, bytes)?;
    converted(program, &mut |key| found.get(key).cloned().ok_or_else(|| not_there(key)))
}

/// Reads a stream of a single storage: its type, its elements and their bytes.
pub(crate) fn storage_alone(name: &str, bytes: SharedBytes) -> Result<(StorageType, usize, SharedBytes), Fault> {
    if !bytes.starts_with(MAGIC) {
        return Err(Fault::refused("a storage of tensors is not in torch.save's older form."));
    }
    let (program, found) = opened(name, bytes)?;
    let key = program.root_storage().ok_or_else(|| Fault::refused("a storage of tensors is something else."))?;
    let &(kind, elements) = program.arena.storages.get(key).ok_or_else(|| not_there(key))?;
    let bytes = found.get(&**key).ok_or_else(|| not_there(key))?;
    Ok((kind, elements, bytes.clone()))
}

/// The mark, the version, a description of the machine, the data, the keys of the storages, and each
/// storage with its number of elements before it.
fn opened(name: &str, bytes: SharedBytes) -> Result<(Program, HashMap<String, SharedBytes>), Fault> {
    let mut rest = Rest { bytes, at: MAGIC.len() };
    let version = rest.pickle(name, false)?;
    if !matches!(converted(version, &mut no_storage)?, Kind::Int(1001)) {
        return Err(Fault::refused("a version of torch.save's older form that is not known."));
    }
    let system = converted(rest.pickle(name, false)?, &mut no_storage)?;
    if !is_little_endian(&system) {
        return Err(Fault::refused("the storages are big-endian. Save the file on a little-endian machine."));
    }
    let program = rest.pickle(name, true)?;
    let Kind::List(keys) = converted(rest.pickle(name, false)?, &mut no_storage)? else {
        return Err(Fault::refused("the list of storages is missing."));
    };
    let mut found: HashMap<String, SharedBytes> = HashMap::new();
    for key in keys.iter() {
        let known = match key {
            Kind::Text(key) => program.arena.storages.get(key).map(|known| (key, known)),
            _ => None,
        };
        let Some((key, &(kind, elements))) = known else {
            return Err(Fault::refused("the list of storages names one that no tensor uses."));
        };
        let count = rest.take(8)?;
        let expected = (elements as u64).to_le_bytes();
        let length = elements.checked_mul(kind.bytes());
        let (Some(length), true) = (length, *count == expected) else {
            return Err(Fault::refused(format!("storage {} has another size than announced.", quoted(key))));
        };
        found.insert(key.to_string(), rest.take(length)?);
    }
    Ok((program, found))
}

fn not_there(key: &str) -> Fault {
    Fault::refused(format!("storage {} is not there.", quoted(key)))
}

fn no_storage(_: &str) -> Result<SharedBytes, Fault> {
    Err(Fault::refused("the pickle has no storages."))
}

fn is_little_endian(system: &Kind) -> bool {
    let Kind::Dict(entries) = system else { return false };
    let named = |kind: &Kind| match kind {
        Kind::Text(text) => &**text == "little_endian",
        Kind::Bytes(bytes) => &**bytes == b"little_endian",
        _ => false,
    };
    entries.iter().any(|(key, value)| named(key) && *value == Kind::Bool(true))
}

struct Rest {
    bytes: SharedBytes,
    at: usize,
}

impl Rest {
    /// Everything that is left.
    fn piece(&self) -> SharedBytes {
        self.bytes.piece(self.at, self.bytes.len() - self.at).unwrap_or_default()
    }

    fn pickle(&mut self, name: &str, storages: bool) -> Result<Program, Fault> {
        let program = run(name, self.piece(), storages)?;
        self.at += program.end;
        Ok(program)
    }

    fn take(&mut self, length: usize) -> Result<SharedBytes, Fault> {
        let piece = self.bytes.piece(self.at, length);
        let piece = piece.ok_or_else(|| Fault::refused("the file ends before its last storage."))?;
        self.at += length;
        Ok(piece)
    }
}
