//! The zip form of `torch.save`: `<name>/data.pkl` and `<name>/data/<key>`.

use std::collections::HashMap;
use std::io::Cursor;

use zip::{CompressionMethod, ZipArchive};

use crate::formats::pickle::SharedBytes;
use crate::formats::pickle::{Fault, Kind, converted, run};
use crate::text::quoted;

type Archive = ZipArchive<Cursor<SharedBytes>>;

/// Reads an archive. Members are stored, not compressed, so they are pieces of the file.
pub(super) fn read(name: &str, bytes: SharedBytes) -> Result<Kind, Fault> {
    let mut archive = ZipArchive::new(Cursor::new(bytes.clone()))
        .map_err(|error| Fault::refused(format!("damaged archive ({error}). Save it again with torch.save.")))?;
    let pickle = archive.file_names().find(|name| *name == "data.pkl" || name.ends_with("/data.pkl"));
    let Some(pickle) = pickle.map(str::to_string) else {
        return Err(Fault::refused("a zip archive without data.pkl, so not a file of torch.save."));
    };
    let folder = pickle.strip_suffix("data.pkl").unwrap_or_default().to_string();
    let order = format!("{folder}byteorder");
    if archive.index_for_name(&order).is_some() && &*member(&mut archive, &bytes, &order)? != b"little" {
        return Err(Fault::refused("the storages are big-endian. Save the file on a little-endian machine."));
    }
    let program = run(name, member(&mut archive, &bytes, &pickle)?, true)?;
    let storages = program.arena.storages.clone();
    let mut found: HashMap<String, SharedBytes> = HashMap::new();
    converted(program, &mut |key| {
        if let Some(storage) = found.get(key) {
            return Ok(storage.clone());
        }
        let storage = member(&mut archive, &bytes, &format!("{folder}data/{key}"))?;
        let needed = storages.get(key).and_then(|(kind, elements)| elements.checked_mul(kind.bytes()));
        let storage = needed.and_then(|needed| storage.piece(0, needed)).ok_or_else(|| {
            Fault::refused(format!(
                "damaged archive: storage {} has {} bytes, fewer than announced.",
                quoted(key),
                storage.len()
            ))
        })?;
        found.insert(key.to_string(), storage.clone());
        Ok(storage)
    })
}

/// The bytes of a member, compared with their checksum.
fn member(archive: &mut Archive, bytes: &SharedBytes, name: &str) -> Result<SharedBytes, Fault> {
    let damaged = |reason: &str| Fault::refused(format!("damaged archive: member {} {reason}.", quoted(name)));
    let index = archive.index_for_name(name).ok_or_else(|| damaged("is not there"))?;
    let entry = archive.by_index(index).map_err(|error| damaged(&format!("cannot be read ({error})")))?;
    if entry.compression() != CompressionMethod::Stored || entry.encrypted() {
        return Err(damaged("is compressed, which torch.save does not do"));
    }
    let (start, length) = (usize::try_from(entry.data_start()), usize::try_from(entry.size()));
    let piece = start.ok().zip(length.ok()).and_then(|(start, length)| bytes.piece(start, length));
    let piece = piece.ok_or_else(|| damaged("reaches beyond the end of the file"))?;
    let mut checksum = flate2::Crc::new();
    checksum.update(&piece);
    if checksum.sum() != entry.crc32() {
        return Err(damaged("has a wrong checksum"));
    }
    Ok(piece)
}
