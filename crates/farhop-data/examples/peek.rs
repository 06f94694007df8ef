use farhop_data::pickle::{Kind, Value};
fn show(v: &Kind, d: usize) -> String {
    match v {
        Kind::List(x) | Kind::Tuple(x) | Kind::Set(x) => {
            format!("{}[{}]({})", x.len(), d, x.iter().take(4).map(|k| show(k, d + 1)).collect::<Vec<_>>().join(", "))
        }
        Kind::Dict(x) => format!(
            "dict{}({})",
            x.len(),
            x.iter()
                .take(10)
                .map(|(k, v)| format!("{}: {}", show(k, d + 1), show(v, d + 1)))
                .collect::<Vec<_>>()
                .join(", ")
        ),
        Kind::Array(a) => format!("array {:?} {}", a.shape, a.dtype.name()),
        Kind::Tensor(a) => format!("tensor {:?} {:?}", a.shape(), a.element()),
        Kind::Csr(c) => format!("csr {}x{} nnz {}", c.rows, c.columns, c.indices.len()),
        Kind::Object(o) => format!(
            "{}{{{}}}",
            o.class,
            o.fields.iter().map(|(k, v)| format!("{k}: {}", show(v, d + 1))).collect::<Vec<_>>().join(", ")
        ),
        o => format!("{o:?}"),
    }
}
fn main() {
    for f in std::env::args().skip(1) {
        let t = std::time::Instant::now();
        let p = std::path::Path::new(&f);
        let v: Result<Value, _> =
            if f.ends_with(".pt") { farhop_data::torch::load(p) } else { farhop_data::pickle::load(p) };
        match v {
            Ok(v) => println!("{f} {:?}: {}", t.elapsed(), show(v.kind(), 0)),
            Err(e) => println!("{e}"),
        }
    }
}
