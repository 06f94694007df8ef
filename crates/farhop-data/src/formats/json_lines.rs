//! On which lines the elements of lists in a JSON text begin. Values that were parsed don't say where they stood; messages
//! want to.

use std::collections::HashMap;

/// The lines of one object: for each list in it by its name, the line of every element.
pub type ListLines = HashMap<String, Vec<u64>>;

/// An object or a list that is not closed yet.
struct Open {
    is_object: bool,
    /// The key it stands under.
    name: Option<String>,
    /// In an object, the key that was read last, and whether one comes next.
    key: Option<String>,
    key_comes: bool,
}

/// What is known of the objects so far.
struct Walk {
    open: Vec<Open>,
    /// How many lists are around the objects.
    outside: usize,
    objects: Vec<(u64, ListLines)>,
}

impl Walk {
    /// A value begins on `line`.
    fn value(&mut self, line: u64) {
        let inside = self.open.len() == self.outside + 2;
        if let (true, Some(Open { is_object: false, name: Some(name), .. }), Some((_, lists))) =
            (inside, self.open.last(), self.objects.last_mut())
        {
            lists.entry(name.clone()).or_default().push(line);
        }
    }

    fn begin(&mut self, is_object: bool, line: u64) {
        self.value(line);
        if self.open.len() == self.outside && is_object {
            self.objects.push((line, ListLines::new()));
        }
        let name = self.open.last_mut().and_then(|around| around.key.take());
        if let (Some(name), Some((_, lists)), true) =
            (&name, self.objects.last_mut(), self.open.len() == self.outside + 1 && !is_object)
        {
            // A key that comes twice has its last value.
            lists.insert(name.clone(), Vec::new());
        }
        self.open.push(Open { is_object, name, key: None, key_comes: is_object });
    }
}

/// The line of every object of a text that is one object or a list of objects, and the lines of the lists in it. The text is
/// known to be JSON.
pub fn list_lines(text: &[u8]) -> Vec<(u64, ListLines)> {
    let first = text.iter().find(|byte| !byte.is_ascii_whitespace());
    let mut walk = Walk { open: Vec::new(), outside: usize::from(first == Some(&b'[')), objects: Vec::new() };
    let (mut at, mut line) = (0, 1);
    while let Some(&byte) = text.get(at) {
        at += 1;
        match byte {
            b'\n' => line += 1,
            b'{' | b'[' => walk.begin(byte == b'{', line),
            b'}' | b']' => {
                walk.open.pop();
            }
            b',' => {
                if let Some(around) = walk.open.last_mut() {
                    around.key_comes = around.is_object;
                }
            }
            b'"' => {
                let start = at;
                while let Some(&inside) = text.get(at).filter(|inside| **inside != b'"') {
                    at += if inside == b'\\' { 2 } else { 1 };
                }
                match walk.open.last_mut().filter(|around| around.key_comes) {
                    Some(around) => {
                        let key = text.get(start..at).unwrap_or_default();
                        around.key = Some(String::from_utf8_lossy(key).into_owned());
                        around.key_comes = false;
                    }
                    None => walk.value(line),
                }
                at += 1;
            }
            b':' | b' ' | b'\t' | b'\r' => {}
            _ => {
                walk.value(line);
                while text.get(at).is_some_and(|byte| !b",]}\n".contains(byte)) {
                    at += 1;
                }
            }
        }
    }
    walk.objects
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_found_on_their_lines() {
        let text = b"{\"nodes\": [\n  {\"id\": 1, \"nodes\": [7,\n 8]},\n  \"two, \\\"2\\\"]\", 3,\n  null],\n \"links\":\n[{}\n]}";
        let [(1, lists)] = &list_lines(text)[..] else { panic!("one object on line 1") };
        assert_eq!(lists["nodes"], [2, 4, 4, 5]);
        assert_eq!(lists["links"], [7]);
        assert_eq!(lists.len(), 2);
    }

    #[test]
    fn a_list_of_objects_gives_each_its_own() {
        let graphs = list_lines(b"\n[{\"nodes\": [1]},\n\n{\"nodes\": [\n1], \"nodes\": [\n2,\n3]}]");
        assert_eq!(graphs.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [2, 4]);
        assert_eq!((&graphs[0].1["nodes"][..], &graphs[1].1["nodes"][..]), (&[2][..], &[6, 7][..]));
        assert!(list_lines(b"[1, \"a\"]").is_empty() && list_lines(b"").is_empty());
    }
}
