//! The names that a pickle may ask for. Nothing else is known, and nothing here is ever run.

use super::fault::Fault;
use crate::formats::npy::Dtype;
use crate::formats::torch::{StorageType, TensorType};

/// What a name stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// `_reconstruct(ndarray, ...)`: an array whose elements follow.
    ArrayStart,
    /// `ndarray`, as an argument.
    ArrayClass,
    /// `dtype(name, ...)`.
    ElementType,
    /// `scalar(dtype, bytes)`.
    Scalar,
    /// `_frombuffer(bytes, dtype, shape, order)`.
    ArrayFromBuffer,
    /// A sparse matrix.
    Csr,
    /// `dict`, `OrderedDict`.
    Dict,
    /// `defaultdict(factory)`.
    DefaultDict,
    List,
    Tuple,
    Set,
    /// `int`, `float`, `str`, `bool`: give back what they are given.
    Plain,
    /// `bytes`, `bytearray`.
    Bytes,
    /// `_codecs.encode(text, "latin1")`: bytes in protocol 2.
    Encode,
    /// `copyreg._reconstructor(class, object, None)`: objects in protocols 0 and 1.
    ObjectStart,
    /// `object`, as an argument.
    ObjectClass,
    /// `_load_from_bytes(bytes)`: a storage inside a plain pickle.
    StorageInside,
    /// `_rebuild_tensor`, `_rebuild_tensor_v2`.
    Tensor,
    /// `_rebuild_tensor_v3`, which names the type.
    TypedTensor,
    /// `_rebuild_parameter(tensor, ...)`.
    Parameter,
    /// The type of a storage.
    Storage(StorageType),
    /// The type of a tensor.
    TensorType(TensorType),
    /// A class whose objects are read as named fields.
    Object,
    /// Makes a class out of `Batch` and the class of its graphs.
    BatchMaker,
    /// A graph of networkx, whose views of itself are not read.
    NetworkX,
    /// Such a class that points back at the object that owns it.
    GraphStorage,
}

/// A name that is known.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Global {
    pub(crate) role: Role,
    /// The name, with its module in one spelling.
    pub(crate) name: &'static str,
}

/// Looks a name up.
pub(super) fn global(module: &str, name: &str) -> Result<Global, Fault> {
    let base = one_spelling(module);
    let found = match base {
        "builtins" => builtin(name),
        "torch" => torch(name),
        _ => elsewhere(base, name),
    };
    let (role, name) = found.ok_or_else(|| Fault::unknown_name(module, name))?;
    Ok(Global { role, name })
}

/// Modules have moved over the years.
fn one_spelling(module: &str) -> &str {
    match module {
        "__builtin__" => "builtins",
        "copy_reg" => "copyreg",
        "numpy._core.multiarray" => "numpy.core.multiarray",
        "numpy._core.numeric" => "numpy.core.numeric",
        "scipy.sparse.csr" | "scipy.sparse._csr" => "scipy.sparse",
        "torch.storage" => "torch",
        other => other,
    }
}

fn builtin(name: &str) -> Option<(Role, &'static str)> {
    Some(match name {
        "dict" => (Role::Dict, "dict"),
        "list" => (Role::List, "list"),
        "tuple" => (Role::Tuple, "tuple"),
        "set" => (Role::Set, "set"),
        "frozenset" => (Role::Set, "frozenset"),
        "int" | "long" => (Role::Plain, "int"),
        "float" => (Role::Plain, "float"),
        "bool" => (Role::Plain, "bool"),
        "str" | "unicode" => (Role::Plain, "str"),
        "bytes" => (Role::Bytes, "bytes"),
        "bytearray" => (Role::Bytes, "bytearray"),
        "object" => (Role::ObjectClass, "object"),
        _ => return None,
    })
}

fn elsewhere(module: &str, name: &str) -> Option<(Role, &'static str)> {
    Some(match (module, name) {
        ("numpy.core.multiarray", "_reconstruct") => (Role::ArrayStart, "numpy.core.multiarray._reconstruct"),
        ("numpy.core.multiarray", "scalar") => (Role::Scalar, "numpy.core.multiarray.scalar"),
        ("numpy.core.numeric", "_frombuffer") => (Role::ArrayFromBuffer, "numpy.core.numeric._frombuffer"),
        ("numpy", "ndarray") => (Role::ArrayClass, "numpy.ndarray"),
        ("numpy", "dtype") => (Role::ElementType, "numpy.dtype"),
        ("scipy.sparse", "csr_matrix") => (Role::Csr, "scipy.sparse.csr_matrix"),
        ("scipy.sparse", "csr_array") => (Role::Csr, "scipy.sparse.csr_array"),
        ("collections", "defaultdict") => (Role::DefaultDict, "collections.defaultdict"),
        ("collections", "OrderedDict") => (Role::Dict, "collections.OrderedDict"),
        ("_codecs", "encode") => (Role::Encode, "_codecs.encode"),
        ("copyreg", "_reconstructor") => (Role::ObjectStart, "copyreg._reconstructor"),
        ("torch._utils", "_rebuild_tensor") => (Role::Tensor, "torch._utils._rebuild_tensor"),
        ("torch._utils", "_rebuild_tensor_v2") => (Role::Tensor, "torch._utils._rebuild_tensor_v2"),
        ("torch._utils", "_rebuild_tensor_v3") => (Role::TypedTensor, "torch._utils._rebuild_tensor_v3"),
        ("torch._utils", "_rebuild_parameter") => (Role::Parameter, "torch._utils._rebuild_parameter"),
        ("torch_geometric.data.data", "Data") => (Role::Object, "torch_geometric.data.data.Data"),
        ("torch_geometric.data.batch", "DynamicInheritanceGetter") => {
            (Role::BatchMaker, "torch_geometric.data.batch.DynamicInheritanceGetter")
        }
        ("torch_geometric.data.batch", "Batch" | "DataBatch") => (Role::Object, "torch_geometric.data.batch.Batch"),
        ("torch_geometric.data.data", "DataEdgeAttr") => (Role::Object, "torch_geometric.data.data.DataEdgeAttr"),
        ("torch_geometric.data.data", "DataTensorAttr") => (Role::Object, "torch_geometric.data.data.DataTensorAttr"),
        ("torch_geometric.data.storage", "BaseStorage") => {
            (Role::GraphStorage, "torch_geometric.data.storage.BaseStorage")
        }
        ("torch_geometric.data.storage", "GlobalStorage") => {
            (Role::GraphStorage, "torch_geometric.data.storage.GlobalStorage")
        }
        ("torch_geometric.data.storage", "NodeStorage") => {
            (Role::GraphStorage, "torch_geometric.data.storage.NodeStorage")
        }
        ("torch_geometric.data.storage", "EdgeStorage") => {
            (Role::GraphStorage, "torch_geometric.data.storage.EdgeStorage")
        }
        ("networkx.classes.graph", "Graph") => (Role::NetworkX, "networkx.Graph"),
        ("networkx.classes.digraph", "DiGraph") => (Role::NetworkX, "networkx.DiGraph"),
        ("networkx.classes.multigraph", "MultiGraph") => (Role::NetworkX, "networkx.MultiGraph"),
        ("networkx.classes.multidigraph", "MultiDiGraph") => (Role::NetworkX, "networkx.MultiDiGraph"),
        _ if module.starts_with("networkx.classes.") => (Role::Object, "networkx.classes"),
        _ if module.starts_with("torch_geometric.datasets.") => (Role::Object, "torch_geometric.datasets"),
        _ if module.starts_with("torch_geometric.transforms.") => (Role::Object, "torch_geometric.transforms"),
        ("__main__", "Dictionary") => (Role::Object, "__main__.Dictionary"),
        _ => return None,
    })
}

fn torch(name: &str) -> Option<(Role, &'static str)> {
    if name == "Size" {
        return Some((Role::Tuple, "torch.Size"));
    }
    if name == "_load_from_bytes" {
        return Some((Role::StorageInside, "torch.storage._load_from_bytes"));
    }
    if name == "UntypedStorage" {
        return Some((Role::Storage(StorageType::Untyped), "torch.UntypedStorage"));
    }
    let (element, storage, dtype) = TENSOR_TYPES.iter().find(|(_, storage, dtype)| {
        let tail = |full: &str| full.strip_prefix("torch.") == Some(name);
        tail(storage) || tail(dtype)
    })?;
    if name.ends_with("Storage") {
        return Some((Role::Storage(StorageType::Typed(*element)), storage));
    }
    Some((Role::TensorType(*element), dtype))
}

/// Every type of tensor: its storage and its name. Unsigned ones above 8 bits have no storage of
/// their own.
const TENSOR_TYPES: [(TensorType, &str, &str); 13] = [
    (TensorType::Plain(Dtype::Bool), "torch.BoolStorage", "torch.bool"),
    (TensorType::Plain(Dtype::Signed(1)), "torch.CharStorage", "torch.int8"),
    (TensorType::Plain(Dtype::Signed(2)), "torch.ShortStorage", "torch.int16"),
    (TensorType::Plain(Dtype::Signed(4)), "torch.IntStorage", "torch.int32"),
    (TensorType::Plain(Dtype::Signed(8)), "torch.LongStorage", "torch.int64"),
    (TensorType::Plain(Dtype::Unsigned(1)), "torch.ByteStorage", "torch.uint8"),
    (TensorType::Plain(Dtype::Unsigned(2)), "", "torch.uint16"),
    (TensorType::Plain(Dtype::Unsigned(4)), "", "torch.uint32"),
    (TensorType::Plain(Dtype::Unsigned(8)), "", "torch.uint64"),
    (TensorType::Plain(Dtype::Float(2)), "torch.HalfStorage", "torch.float16"),
    (TensorType::Plain(Dtype::Float(4)), "torch.FloatStorage", "torch.float32"),
    (TensorType::Plain(Dtype::Float(8)), "torch.DoubleStorage", "torch.float64"),
    (TensorType::BrainFloat, "torch.BFloat16Storage", "torch.bfloat16"),
];
