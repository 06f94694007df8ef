//! An npz archive as named arrays.

use std::io::{Read, Seek};

use super::bag::{ArraySource, Stored};
use crate::dataset::Columns;
use crate::dataset::dataset_file::LEFT_ON_DISK;
use crate::error::DataError;
use crate::formats::npz::Npz;
use crate::formats::pickle::Kind;

impl<R: Read + Seek> ArraySource for Npz<R> {
    fn file(&self) -> &str {
        Npz::file(self)
    }

    fn names(&self) -> Vec<String> {
        Npz::names(self)
    }

    fn read(&mut self, name: &str) -> Result<Stored, DataError> {
        let Some(value) = self.objects(name)? else {
            return self.array(name).map(Stored::Array);
        };
        Ok(match value.kind() {
            Kind::Csr(csr) => Stored::Sparse(csr.clone()),
            _ => Stored::Value(value),
        })
    }

    fn numbers(&mut self, name: &str) -> Result<(Columns, Vec<usize>), DataError> {
        if self.bytes_of(name) >= LEFT_ON_DISK
            && let Some(numbers) = self.on_disk(name, "nodes")?
        {
            let shape = vec![numbers.rows(), numbers.width()];
            return Ok((Columns::on_disk(numbers), shape));
        }
        if let Some(value) = self.objects(name)? {
            let csr = value.csr()?;
            return Ok((Columns::sparse((*csr).clone()), vec![csr.rows, csr.columns]));
        }
        let (numbers, shape) = self.f32(name)?;
        let width = shape.get(1).copied().unwrap_or(1);
        Ok((Columns::dense(width, numbers), shape))
    }
}
