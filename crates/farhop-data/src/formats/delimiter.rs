//! What separates the columns of a table: commas, semicolons or tabs, told by its first lines.

use std::io::Read;

use csv::StringRecord;

/// How many rows are looked at where the header alone does not tell.
const ROWS_LOOKED_AT: usize = 20;

/// The delimiter of the table that `text` reads from its beginning. One that splits the header and then every row in as many cells goes
/// before one that does not; then the one that gives more columns; then commas (for a name that says so, tabs).
pub(crate) fn delimiter_of<R: Read>(name: &str, text: impl Fn() -> R) -> u8 {
    let lower = name.to_lowercase();
    let tabs_first = lower.strip_suffix(".gz").unwrap_or(&lower).ends_with(".tsv");
    let order = if tabs_first { *b"\t,;" } else { *b",\t;" };
    let mut best = (false, 1, order[0]);
    for delimiter in order {
        let (even, columns) = columns_of(text(), delimiter);
        if columns > 1 && (even, columns) > (best.0, best.1) {
            best = (even, columns, delimiter);
        }
    }
    best.2
}

/// Whether the first rows have as many cells as the header, and how many that is.
fn columns_of(text: impl Read, delimiter: u8) -> (bool, usize) {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).delimiter(delimiter).from_reader(text);
    let mut record = StringRecord::new();
    let mut next = || matches!(reader.read_record(&mut record), Ok(true)).then(|| record.len());
    let Some(columns) = next() else {
        return (false, 0);
    };
    let even = (0..ROWS_LOOKED_AT).map_while(|_| next()).all(|cells| cells == columns);
    (even, columns)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_lines_tell() {
        for (name, text, expected) in [
            ("a.csv", "id,x\n1,2\n", b','),
            ("a.csv", "id;x\n1;2\n", b';'),
            ("a.csv", "id\tx\n1\t2\n", b'\t'),
            ("a.tsv", "id,x\n1,2\n", b','),
            ("a.tsv.gz", "id\tx\n1\t2\n", b'\t'),
            // Commas inside cells of a table of semicolons, and the other way round.
            ("a.csv", "id;name, first;x\n1;b, c;2,5\n2;d;3\n", b';'),
            ("a.csv", "id,note; long,x\n1,a;b,2\n2,c,3\n", b','),
            ("a.csv", "id;x\n1;2,5\n2;3,5\n", b';'),
            // A quoted cell is one cell.
            ("a.csv", "id,\"a;b;c;d\"\n1,2\n", b','),
            // One column has no delimiter.
            ("a.csv", "smiles\nCC\n", b','),
            ("a.csv", "", b','),
        ] {
            assert_eq!(delimiter_of(name, || text.as_bytes()) as char, expected as char, "{text:?}");
        }
    }
}
