"""The layer inside PyTorch. Skipped where PyTorch is not installed."""

import copy
import io
import os
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from farhop import DataError  # noqa: E402
from farhop.torch import GENConv, eliminate  # noqa: E402


def both_ways(pairs):
    edges = torch.tensor(pairs).t()
    return torch.cat([edges, edges.flip(0)], 1)


CYCLES = both_ways([(0, 1), (1, 2), (2, 3), (3, 0), (1, 3), (3, 4)])


def place_of_fixtures():
    given = os.environ.get("FARHOP_FIXTURES")
    places = [Path(given)] if given else []
    places += [parent / "shared" / "fixtures" for parent in Path(__file__).resolve().parents]
    return next((place / "gen-layer" for place in places if (place / "gen-layer").is_dir()), None)


FIXTURES = sorted(place_of_fixtures().glob("*.npz")) if place_of_fixtures() else []


def layer_of(file, kind):
    fixture = np.load(file)
    layer = GENConv(5, 4, hops=int(fixture["K"]), gamma=float(fixture["gamma"]), epsilon=float(fixture["eps"])).to(kind)
    mine = {"attention": "a", "query": "Wq", "key": "Wk", "value": "Wv", "residual": "W"}
    with torch.no_grad():
        for name, theirs in mine.items():
            getattr(layer, name).copy_(torch.from_numpy(fixture[theirs]))
        for place, number in ((0, 1), (2, 2)):
            layer.feed[place].weight.copy_(torch.from_numpy(fixture[f"fc{number}_w"].T))
            layer.feed[place].bias.copy_(torch.from_numpy(fixture[f"fc{number}_b"]))
    return fixture, layer, mine


@pytest.mark.parametrize("file", FIXTURES, ids=lambda file: file.stem)
@pytest.mark.parametrize(("kind", "tolerance"), [(torch.float64, 1e-7), (torch.float32, 2e-5)])
def test_outside_numbers(file, kind, tolerance):
    fixture, layer, mine = layer_of(file, kind)
    x = torch.from_numpy(fixture["x"]).to(kind).requires_grad_()
    edges = torch.from_numpy(np.stack([fixture["src"], fixture["dst"]]))
    out = layer(x, edges)
    (out * torch.from_numpy(fixture["G"]).to(kind)).sum().backward()
    near = lambda found, theirs: np.allclose(found.detach().numpy(), fixture[theirs], atol=tolerance, rtol=tolerance * 10)  # noqa: E731
    assert near(out, "out") and near(x.grad, "grad_x")
    for name, theirs in mine.items():
        assert near(getattr(layer, name).grad, f"grad_{theirs}"), name
    assert near(layer.feed[0].weight.grad.t(), "grad_fc1_w") and near(layer.feed[2].bias.grad, "grad_fc2_b")


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"heads": 2, "hop_bias": True},
        {"coefficients": "attention-per-layer", "hop_zero": True},
        {"coefficients": "gcn", "hop_reading": "increment", "own_term": False},
        {"coefficients": "ones", "gamma": 0.0, "hop_attention": False, "elimination": "self-loop"},
        {"edge_dim": 3},
        {"dropout": 0.4},
    ],
    ids=str,
)
def test_gradients_agree_with_differences_and_kernels_with_the_literal_layer(settings):
    torch.manual_seed(1)
    layer = GENConv(4, 6, hops=3, **settings).double()
    with torch.no_grad():
        for parameter in layer.parameters():
            parameter.add_(0.1 * torch.randn_like(parameter))
    x = torch.randn(5, 4, dtype=torch.float64, requires_grad=True)
    features = torch.randn(CYCLES.shape[1], 3, dtype=torch.float64) if "edge_dim" in settings else None
    given = (x, *layer.parameters())

    def run(x, *_):
        torch.manual_seed(7)
        return layer(x, CYCLES, features)

    assert torch.autograd.gradcheck(run, given, eps=1e-6, atol=1e-6)
    single = copy.deepcopy(layer).float()
    small = x.detach().float().requires_grad_()
    torch.manual_seed(7)
    out = single(small, CYCLES, None if features is None else features.float())
    wide = run(x)
    assert torch.allclose(out.double(), wide, atol=1e-5)
    direction = torch.randn_like(wide)
    found = torch.autograd.grad((out * direction.float()).sum(), [small, *single.parameters()])
    right = torch.autograd.grad((wide * direction).sum(), [x, *layer.parameters()])
    for mine, theirs in zip(found, right):
        assert torch.allclose(mine.double(), theirs, atol=5e-5)


@pytest.mark.parametrize("settings", [{}, {"feed_forward": False}, {"hops": 1}, {"elimination": "none"}, {"recompute": True}], ids=str)
def test_parameters_get_the_same_where_features_need_no_gradient(settings):
    torch.manual_seed(2)
    layer, x = GENConv(4, 4, **{"hops": 4, **settings}), torch.randn(5, 4)
    with_x = torch.autograd.grad(layer(x.clone().requires_grad_(), CYCLES).square().sum(), [*layer.parameters()])
    alone = torch.autograd.grad(layer(x, CYCLES).square().sum(), [*layer.parameters()])
    assert len(alone) > 4 and all(torch.equal(mine, theirs) for mine, theirs in zip(alone, with_x))
    assert torch.equal(layer(x, CYCLES), layer.requires_grad_(False)(x, CYCLES))


@pytest.mark.parametrize("directed", [False, True])
def test_elimination_by_itself(directed):
    torch.manual_seed(0)
    edges = CYCLES[:, : CYCLES.shape[1] // 2] if directed else CYCLES
    x = torch.randn(5, 2, dtype=torch.float64, requires_grad=True)
    for shape, cumulative in (((edges.shape[1],), False), ((3, edges.shape[1]), True)):
        coefficients = torch.randn(*shape, dtype=torch.float64, requires_grad=True)
        own = torch.randn(5, dtype=torch.float64, requires_grad=True)
        call = lambda x, c, o: eliminate(x, edges, c, 3, own=o, cumulative=cumulative)  # noqa: B023, E731
        assert torch.autograd.gradcheck(call, (x, coefficients, own))
        right = torch.autograd.grad(call(x, coefficients, own).sin().sum(), (x, coefficients, own))
        single = [tensor.detach().float().requires_grad_() for tensor in (x, coefficients, own)]
        found = torch.autograd.grad(call(*single).sin().sum(), single)
        assert all(torch.allclose(mine.double(), theirs, atol=1e-4) for mine, theirs in zip(found, right))


def test_on_a_path_round_k_adds_what_is_k_away():
    edges = both_ways([(i, i + 1) for i in range(5)])
    found = eliminate(torch.eye(6), edges, rounds=5)
    far = (torch.arange(6)[:, None] - torch.arange(6)[None]).abs()
    for k in range(5):
        assert torch.equal(found[k], (far == k + 1).float())


def test_order_of_edges_repeats_and_loops_do_not_matter():
    torch.manual_seed(0)
    layer, x = GENConv(4, 4), torch.randn(5, 4)
    mixed = torch.cat([CYCLES[:, torch.randperm(CYCLES.shape[1])], CYCLES[:, :2], torch.tensor([[2], [2]])], 1)
    assert torch.equal(layer(x, CYCLES), layer(x, mixed))


def test_dropout_follows_the_mode_and_the_seed():
    layer, x = GENConv(4, 4, dropout=0.5), torch.ones(5, 4)
    assert torch.equal(layer.eval()(x, CYCLES), layer(x, CYCLES))
    layer.train()
    torch.manual_seed(3)
    first, other = layer(x, CYCLES), layer(x, CYCLES)
    torch.manual_seed(3)
    assert torch.equal(layer(x, CYCLES), first) and not torch.equal(first, other)


def test_layers_are_saved_copied_and_loaded():
    layer, x = GENConv(4, 4, hops=2), torch.randn(5, 4)
    out = layer(x, CYCLES)
    again = GENConv(4, 4, hops=2)
    again.load_state_dict(layer.state_dict())
    assert torch.equal(again(x, CYCLES), out) and torch.equal(copy.deepcopy(layer)(x, CYCLES), out)
    memory = io.BytesIO()
    torch.save(layer, memory)
    memory.seek(0)
    assert torch.equal(torch.load(memory, weights_only=False)(x, CYCLES), out)
    assert repr(layer).startswith("GENConv(\n  4, 4, hops=2, heads=1")


def test_channels_may_be_told_by_the_first_call():
    layer = GENConv(-1, 4)
    assert layer(torch.randn(5, 3), CYCLES).shape == (5, 4) and layer.in_channels == 3


def test_edges_that_change_in_place_are_seen():
    layer, x, edges = GENConv(4, 4), torch.randn(5, 4), CYCLES.clone()
    before = layer(x, edges)
    edges[:, :2] = torch.tensor([[0, 4], [4, 0]])
    assert not torch.equal(layer(x, edges), before)


def test_the_second_derivative_is_refused():
    x = torch.randn(5, 4, requires_grad=True)
    for made in (GENConv(4, 4), GENConv(4, 4, feed_forward=False), lambda x, edges: eliminate(x, edges)):
        with pytest.raises(RuntimeError, match="no second derivatives"):
            torch.autograd.grad(made(x, CYCLES).sum(), x, create_graph=True)


def test_a_backward_pass_twice_gives_the_same():
    layer, x = GENConv(4, 4), torch.randn(5, 4, requires_grad=True)
    loss = layer(x, CYCLES).square().sum()
    [first] = torch.autograd.grad(loss, x, retain_graph=True)
    [again] = torch.autograd.grad(loss, x)
    assert torch.equal(first, again)


def test_compiled_models_fall_back():
    model = torch.nn.Sequential(torch.nn.Linear(4, 4))
    layer = GENConv(4, 4)

    def run(x):
        return layer(model(x), CYCLES).relu()

    x = torch.randn(5, 4)
    assert torch.allclose(torch.compile(run, backend="eager")(x), run(x))


@pytest.mark.parametrize(
    ("x", "edges", "error", "text"),
    [
        (torch.ones(5, 3), CYCLES, DataError, "3 channels, the layer was made for 4"),
        (torch.ones(4, 4), CYCLES, DataError, r"is 4: nodes are numbered from 0 to 3"),
        (torch.ones(5, 4), CYCLES.t(), DataError, r"\[2, edges\]"),
        (torch.ones(5, 4), CYCLES.float(), DataError, "whole numbers"),
        (torch.ones(5, 4).half(), CYCLES, DataError, "float32 is needed"),
        (torch.ones(5, 4).double(), CYCLES, DataError, "the weights torch.float32"),
        (torch.ones(5, 4, device="meta"), CYCLES, DataError, "on meta; farhop computes on the CPU"),
        (np.ones((5, 4)), CYCLES, TypeError, "a tensor is needed"),
        (torch.ones(20), CYCLES, DataError, "channels"),
        (torch.ones(5, 4).to_sparse(), CYCLES, DataError, r"x is a sparse tensor. Pass x.to_dense\(\)"),
        (torch.ones(5, 4), CYCLES.bool(), DataError, "whole numbers"),
        (torch.ones(5, 4), CYCLES.to("meta"), DataError, "edge_index is on meta"),
    ],
)
def test_bad_tensors(x, edges, error, text):
    with pytest.raises(error, match=text):
        GENConv(4, 4)(x, edges)


@pytest.mark.parametrize(
    ("given", "error", "text"),
    [
        ((4.5, 4), TypeError, "in_channels is 4.5; a whole number is needed"),
        ((4, 4, "3"), TypeError, "hops is '3'; a whole number is needed"),
        ((4, 5, 2, 2), DataError, "out_channels is 5; a multiple of heads = 2"),
    ],
)
def test_bad_sizes_of_a_layer(given, error, text):
    with pytest.raises(error, match=text):
        GENConv(*given)


def test_settings_of_a_layer_are_told_by_name():
    for settings, text in (({"gamma": "a"}, 'gamma "a": .* a number is needed'), ({"hop_zero": 3}, "hop_zero 3: .* true or false is needed")):
        with pytest.raises(ValueError, match=text):
            GENConv(4, 4, **settings)
    with pytest.raises(ValueError, match="did you mean `hop_zero`"):
        GENConv(4, 4, hop_zeroo=True)


def test_tensors_as_features_and_answers_of_estimators():
    from farhop import NodeClassifier

    x = torch.randn(5, 4)
    model = NodeClassifier(epochs=2, width=4, validation_fraction=0).fit(x, torch.tensor([0, 1, 0, 1, 0]), edges=CYCLES)
    assert model.predict().shape == (5,)
    with pytest.raises(DataError, match="computes on the CPU"):
        NodeClassifier().fit(torch.ones(5, 4, device="meta"), [0, 1, 0, 1, 0], edges=CYCLES)


def test_inside_pyg():
    nn = pytest.importorskip("torch_geometric.nn")
    from torch_geometric.data import Data
    from torch_geometric.loader import DataLoader

    torch.manual_seed(0)
    layers = nn.Sequential("x, edge_index", [
        (GENConv(3, 8, hops=3), "x, edge_index -> x"),
        torch.nn.ReLU(inplace=True),
        (GENConv(8, 8, hops=2), "x, edge_index -> x"),
    ])
    head = torch.nn.Linear(8, 2)

    def model(x, edge_index, batch):
        return head(nn.global_mean_pool(layers(x, edge_index), batch))

    graphs = [Data(x=torch.randn(5, 3) + (number % 2) * 2, edge_index=CYCLES, y=torch.tensor([number % 2])) for number in range(24)]
    optimizer = torch.optim.Adam([*layers.parameters(), *head.parameters()], 0.01)
    losses = []
    for _ in range(15):
        for batch in DataLoader(graphs, batch_size=8, shuffle=True):
            loss = torch.nn.functional.cross_entropy(model(batch.x, batch.edge_index, batch.batch), batch.y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(float(loss.detach()))
    assert np.mean(losses[-3:]) < 0.5 * np.mean(losses[:3])
