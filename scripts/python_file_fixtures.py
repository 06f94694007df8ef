"""Writes the pickles, torch files and arrays that the tests of farhop-data read.

Run from the root of the repository, with numpy, scipy, torch and torch_geometric installed:

    python scripts/python_file_fixtures.py

`tests/good_data/python` gets files that must be read, `tests/bad_data` gets files that must be
refused. The good ones hold counting numbers, so the tests know every element by a formula. None of
the bad ones does harm when it is read by this project; do not load them with Python. The older form
of torch.save numbers its storages by address, so those files differ from run to run.
"""

import collections
import io
import os
import pickle
import struct
import sys
import zipfile

import numpy as np
import scipy.sparse
import torch
from torch_geometric.data import Data

TESTS = os.path.join("crates", "farhop-data", "tests")
GOOD = os.path.join(TESTS, "good_data", "python")
BAD = os.path.join(TESTS, "bad_data")


class Dictionary:
    """Stands for the class of the same name that some molecule files hold."""


Dictionary.__module__ = "__main__"
sys.modules["__main__"].Dictionary = Dictionary


def good(name, data):
    with open(os.path.join(GOOD, name), "wb") as file:
        file.write(data)


def bad(name, data):
    with open(os.path.join(BAD, name), "wb") as file:
        file.write(data)


def count(shape, dtype):
    return np.arange(int(np.prod(shape))).reshape(shape).astype(dtype)


def matrix(kind):
    # [[0, 1, 0], [2, 0, 3]]
    return kind(np.array([[0, 1, 0], [2, 0, 3]], dtype="f4"))


def everything():
    shared = [1, 2]
    words = Dictionary()
    words.idx2word = ["C", "O"]
    return {
        "none": None,
        "truth": [True, False],
        "whole": [0, 255, 65535, -1, -70000, 2**31, -(2**40), 2**63 - 1, -(2**63)],
        "real": [0.1, -2.5, 1e300],
        "text": ["", "Δ-node", "line\nbreak \\u0041", "x" * 300],
        "bytes": [b"", b"\x00\xff\n'", b"b" * 300],
        "bytearray": bytearray(b"\x01\x80"),
        "tuples": [(), (1,), (1, 2), (1, 2, 3), (1, 2, 3, 4)],
        "set": {5},
        "frozen": frozenset([6]),
        "ordered": collections.OrderedDict([("b", 1), ("a", 2)]),
        "default": collections.defaultdict(list, {3: [4, 5]}),
        "shared": [shared, shared],
        "numbers": {7: "seven"},
        "c_order": count((2, 3), "<f4"),
        "fortran": np.asfortranarray(count((2, 3), "<i8")),
        "big": count((2, 3), ">i4"),
        "big_fortran": np.asfortranarray(count((2, 3), ">f8")),
        "booleans": np.array([True, False, True]),
        "half": np.array([0.5, -2.0], dtype="f2"),
        "words": np.array(["a", "Δx", ""]),
        "byte_words": np.array([b"ab", b"c"]),
        "single": np.array(3.5),
        "empty": np.zeros((0, 3), dtype="f4"),
        "scalars": [np.float64(2.5), np.int64(9), np.float32(0.5), np.bool_(True), np.str_("s")],
        "csr": matrix(scipy.sparse.csr_matrix),
        "csr_array": matrix(scipy.sparse.csr_array),
        "object": words,
    }


def python_2():
    """What Python 2 leaves behind: texts and elements of arrays as byte strings."""
    elements = np.arange(100, dtype="<i4").tobytes()
    string = lambda text: b"U" + bytes([len(text)]) + text
    return (
        b"\x80\x02}q\x01(" + string(b"array")
        + b"cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\x00\x85" + string(b"b") + b"\x87R"
        + b"(K\x01Kd\x85cnumpy\ndtype\n" + string(b"i4") + b"K\x00K\x01\x87R"
        + b"(K\x03" + string(b"<") + b"NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tb"
        + b"\x89T" + struct.pack("<I", len(elements)) + elements + b"tb"
        + string(b"\xe9") + b"I12\nu."
    )


def tensors():
    whole = torch.arange(6)
    kinds = {
        "bool": torch.bool, "i8": torch.int8, "i16": torch.int16, "i32": torch.int32, "i64": torch.int64,
        "u8": torch.uint8, "f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32, "f64": torch.float64,
    }
    result = {name: whole.reshape(2, 3).to(kind) for name, kind in kinds.items()}
    table = torch.arange(12).reshape(3, 4)
    result["turned"] = table.t()
    result["inner"] = table[1:, 1:3]
    result["stepped"] = torch.arange(12)[1::3]
    result["repeated"] = torch.tensor([7]).expand(2, 5)
    result["single"] = torch.tensor(2.5)
    result["empty"] = torch.zeros(0, 4)
    result["parameter"] = torch.nn.Parameter(torch.arange(3.0))
    result["size"] = table.size()
    result["type"] = torch.float32
    return result


def saved(value, **options):
    buffer = io.BytesIO()
    torch.save(value, buffer, **options)
    return buffer.getvalue()


def graphs():
    """Graph g has g + 2 nodes in a ring; features count from 10 g."""
    result = []
    for g in range(3):
        n = g + 2
        x = (torch.arange(2 * n) + 10 * g).reshape(n, 2)
        edge_index = torch.stack([torch.arange(n), (torch.arange(n) + 1) % n])
        result.append((x, torch.full((n, 1), g), edge_index, torch.tensor([float(g)])))
    return result


def collated():
    x, edge_index, slices = [], [], [0]
    for g in graphs():
        x.append(g[0])
        edge_index.append(g[2])
        slices.append(slices[-1] + len(g[0]))
    data = Data(x=torch.cat(x), edge_index=torch.cat(edge_index, 1))
    return data, {"x": torch.tensor(slices), "edge_index": torch.tensor(slices)}


def write_good():
    for protocol in range(6):
        good(f"protocol_{protocol}.pkl", pickle.dumps(everything(), protocol))
    good("python_2.pkl", python_2())
    types_ = ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "U3", "S3"]
    arrays = {}
    for kind in types_:
        for order, name in [("<", "little"), (">", "big")]:
            array = count((2, 3), "i8").astype(np.dtype(kind).newbyteorder(order))
            arrays[f"{name}_{kind.replace('?', 'b1')}"] = array
            arrays[f"{name}_{kind.replace('?', 'b1')}_fortran"] = np.asfortranarray(array)
    arrays["single"] = np.array(5, dtype="i4")
    arrays["objects"] = np.array([None, "text"], dtype=object)
    for prefix in ["adj", "attr"]:
        csr = matrix(scipy.sparse.csr_matrix)
        arrays |= {f"{prefix}_data": csr.data, f"{prefix}_indices": csr.indices, f"{prefix}_indptr": csr.indptr,
                   f"{prefix}_shape": np.array(csr.shape)}
    np.savez_compressed(os.path.join(GOOD, "types_deflated.npz"), **arrays)
    with zipfile.ZipFile(os.path.join(GOOD, "types_stored.npz"), "w") as archive:
        for index, (name, array) in enumerate(arrays.items()):
            buffer = io.BytesIO()
            np.lib.format.write_array(buffer, array, version=(index % 3 + 1, 0), allow_pickle=True)
            archive.writestr(zipfile.ZipInfo(f"{name}.npy"), buffer.getvalue())
    unsigned = {name: torch.arange(6).to(kind) for name, kind in
                [("u16", torch.uint16), ("u32", torch.uint32), ("u64", torch.uint64)]}
    good("tensors.pt", saved(tensors() | unsigned))
    good("tensors_stream.pt", saved(tensors(), _use_new_zipfile_serialization=False))
    good("tensors_inside.pkl", pickle.dumps(tensors(), 4))
    good("graphs.pt", saved(graphs()))
    data, slices = collated()
    good("collated.pt", saved((data, slices)))
    good("collated_dict.pt", saved((data.to_dict(), slices, Data)))


def call(module, name, protocol=2):
    if protocol < 4:
        return b"\x80\x02c" + f"{module}\n{name}\n".encode() + b"X\x02\x00\x00\x00id\x85R."
    short = lambda text: b"\x8c" + bytes([len(text)]) + text.encode()
    return b"\x80\x04" + short(module) + short(name) + b"\x93" + short("id") + b"\x85R."


def archive(pickled, members, byte_order=b"little"):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as result:
        for name, data in [("data.pkl", pickled), ("byteorder", byte_order)] + members:
            result.writestr(zipfile.ZipInfo(f"archive/{name}"), data)
    return buffer.getvalue()


def tensor(size, stride, offset=0, key=b"0", elements=4, kind=b"storage"):
    text = lambda value: b"X" + struct.pack("<I", len(value)) + value
    number = lambda value: b"\x8a\x08" + struct.pack("<q", value)
    numbers = lambda values: b"(" + b"".join(map(number, values)) + b"t"
    storage = (b"(" + text(kind) + b"ctorch\nFloatStorage\n" + text(key) + text(b"cpu") + number(elements) + b"tQ")
    return (b"\x80\x02ctorch._utils\n_rebuild_tensor_v2\n(" + storage + number(offset) + numbers(size)
            + numbers(stride) + b"\x89ccollections\nOrderedDict\n)RtR.")


def csr_state(offsets, indices, values, shape):
    result = matrix(scipy.sparse.csr_matrix)
    result.indptr = np.array(offsets, dtype="i4")
    result.indices = np.array(indices, dtype="i4")
    result.data = np.array(values, dtype="f4")
    result._shape = shape
    return pickle.dumps(result, 4)


def write_bad():
    bad("pickle_system_call.pkl", call("posix", "system"))
    bad("pickle_system_call_by_os.pkl", call("os", "system", 4))
    bad("pickle_eval.pkl", call("builtins", "eval", 4))
    bad("pickle_eval_python_2.pkl", call("__builtin__", "eval"))
    bad("pickle_eval_text_form.pkl", b"c__builtin__\neval\n(S'1'\ntR.")
    bad("pickle_old_style_object.pkl", b"(iposix\nsystem\n.")
    bad("pickle_getattr.pkl", call("builtins", "getattr", 4))
    bad("pickle_complex_number.pkl", pickle.dumps(1j, 2))
    bad("pickle_name_with_line_break.pkl", b"\x80\x04\x8c\x03a\nb\x8c\x01c\x93.")
    bad("pickle_unknown_class.pkl", b"c__main__\nMolecule\n)\x81.")
    bad("pickle_billion_laughs.pkl", b"\x80\x02]"
        + b"".join(b"q\x00](" + b"h\x00" * 10 + b"e" for _ in range(40)) + b".")
    bad("pickle_deep.pkl", b"]" * 5000 + b"a" * 4999 + b".")
    bad("pickle_deep_tuples.pkl", b")" + b"\x85" * 10_000 + b".")
    bad("pickle_contains_itself.pkl", pickle.dumps(itself(), 4))
    bad("pickle_contains_itself_in_dictionary.pkl", b"\x80\x02}q\x00X\x01\x00\x00\x00ah\x00s.")
    bad("pickle_copies_over_and_over.pkl", copies())
    bad("pickle_huge_bytes.pkl", b"\x80\x04\x8e" + struct.pack("<Q", 2**63) + b"abc.")
    bad("pickle_huge_text.pkl", b"\x80\x04X" + struct.pack("<I", 2**32 - 1) + b"abc.")
    bad("pickle_huge_frame.pkl", b"\x80\x04\x95" + struct.pack("<Q", 2**40) + b"N.")
    bad("pickle_huge_number.pkl", b"\x80\x02\x8a\x09" + b"\xff" * 8 + b"\x00.")
    bad("pickle_huge_array.pkl", pickle.dumps(np.zeros(3), 2).replace(b"K\x03\x85", b"J\xff\xff\xff\x7f\x85"))
    bad("pickle_array_of_records.pkl", pickle.dumps(np.zeros(2, dtype=[("a", "f4")]), 4))
    bad("pickle_memory_missing.pkl", b"\x80\x02h\x07.")
    bad("pickle_no_mark.pkl", b"\x80\x02K\x01t.")
    bad("pickle_nothing_left.pkl", b"\x80\x020.")
    bad("pickle_nothing_below_mark.pkl", b"\x80\x02K\x01(\x85.")
    bad("pickle_append_to_number.pkl", b"\x80\x02K\x01K\x02a.")
    bad("pickle_key_without_value.pkl", b"\x80\x02}(K\x01u.")
    bad("pickle_empty.pkl", b"")
    bad("pickle_cut_short.pkl", pickle.dumps(list(range(100)), 4)[:60])
    bad("pickle_without_end.pkl", b"\x80\x02]")
    bad("pickle_bytes_after_end.pkl", b"\x80\x02].]")
    bad("pickle_protocol_9.pkl", b"\x80\x09N.")
    bad("pickle_unknown_operation.pkl", b"\x80\x02\xff.")
    bad("pickle_text_not_utf8.pkl", b"\x80\x04\x8c\x01\xff.")
    bad("pickle_outside_buffer.pkl", b"\x80\x05\x97.")
    bad("pickle_outside_reference.pkl", b"\x80\x02X\x01\x00\x00\x00aQ.")
    bad("pickle_sparse_column_out_of_range.pkl", csr_state([0, 1, 2], [0, 3], [1, 2], (2, 3)))
    bad("pickle_sparse_offsets_descend.pkl", csr_state([0, 3, 2], [0, 1], [1, 2], (2, 3)))
    bad("pickle_sparse_nan.pkl", csr_state([0, 1, 2], [0, 2], [1, float("nan")], (2, 3)))
    bad("pickle_sparse_rows_missing.pkl", csr_state([0, 1, 2], [0, 2], [1, 2], (5, 3)))
    floats = struct.pack("<4f", 0, 1, 2, 3)
    zero = [("data/0", floats)]
    bad("torch_call.pt", archive(call("posix", "system"), zero))
    bad("torch_stride_out_of_range.pt", archive(tensor([2, 2], [3, 1]), zero))
    bad("torch_stride_overflows.pt", archive(tensor([2**62, 2], [2**62, 1]), zero))
    bad("torch_stride_negative.pt", archive(tensor([4], [-1], 3), zero))
    bad("torch_offset_out_of_range.pt", archive(tensor([2], [1], 3), zero))
    bad("torch_stride_missing.pt", archive(tensor([2, 2], [2]), zero))
    bad("torch_repeats_too_often.pt", archive(tensor([2**40], [0]), zero))
    bad("torch_storage_too_short.pt", archive(tensor([5], [1], elements=5), zero))
    bad("torch_storage_missing.pt", archive(tensor([4], [1], key=b"1"), zero))
    bad("torch_wrong_reference.pt", archive(tensor([4], [1], kind=b"module"), zero))
    bad("torch_big_endian.pt", archive(tensor([4], [1]), zero, b"big"))
    bad("torch_no_pickle.pt", only({"archive/version": b"3"}))
    bad("torch_compressed.pt", compressed({"archive/data.pkl": b"\x80\x02" + b"N0" * 100 + b"N."}))
    bad("torch_flipped_byte.pt", archive(tensor([4], [1]), zero).replace(floats, b"\x01" + floats[1:]))
    bad("torch_cut_short.pt", archive(tensor([4], [1]), zero)[:-30])
    bad("torch_not_torch.pt", pickle.dumps([1, 2], 2))
    stream = saved(torch.arange(4.0), _use_new_zipfile_serialization=False)
    bad("pickle_is_torch_stream.pkl", stream)
    bad("pickle_is_torch_archive.pkl", archive(tensor([4], [1]), zero))
    bad("torch_stream_cut_short.pt", stream[:-4])
    bad("torch_stream_call.pt", stream.replace(b"ctorch._utils\n_rebuild_tensor_v2\n", b"cposix\nsystem\n"))
    inside = pickle.dumps(torch.arange(4.0), 4)
    name = b"ctorch\nFloatStorage\n"
    bad("pickle_storage_with_call.pkl", inside.replace(name, b"cposix\nsystem\n".ljust(len(name), b"\n")))
    bad("pickle_storage_in_storage.pkl", nested())
    bad("torch_whole_model.pt", saved(torch.nn.Linear(1, 1)))


def only(members):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as result:
        for name, data in members.items():
            result.writestr(zipfile.ZipInfo(name), data)
    return buffer.getvalue()


def compressed(members):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as result:
        for name, data in members.items():
            result.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def nested():
    """A storage whose file asks for another storage."""
    load = b"ctorch.storage\n_load_from_bytes\n"
    mark = b"\x80\x02\x8a\x0al\xfc\x9cF\xf9 j\xa8P\x19.\x80\x02M\xe9\x03."
    system = b"\x80\x02}X\x0d\x00\x00\x00little_endian\x88s."
    inner = mark + system + b"\x80\x02" + load + b"C\x00\x85R."
    return b"\x80\x03" + load + b"C" + bytes([len(inner)]) + inner + b"\x85R."


def itself():
    result = [1]
    result.append(result)
    return result


def copies():
    """A list of 1,000 elements that is copied 100 times."""
    return (b"\x80\x02](" + b"N" * 1000 + b"e\x85q\x000" + b"c__builtin__\nlist\nq\x010"
            + b"](" + b"h\x01h\x00R" * 100 + b"e.")


if __name__ == "__main__":
    os.makedirs(GOOD, exist_ok=True)
    write_good()
    write_bad()
