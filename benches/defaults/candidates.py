"""Sets of settings that were tried as general defaults: one for all single graphs, one for many graphs."""

CLASSIC = {"layers": 2, "width": 64, "norm": "none", "residual": False, "dropout": 0.5, "input_dropout": 0.5, "hops": 2, "coefficients": "gcn"}


def training(rate, decay, epochs=200, patience=100, warmup=10):
    return {"epochs": epochs, "learning_rate": rate, "warmup_epochs": warmup, "patience": patience, "optimizer": {"weight_decay": decay}}


def adam(decay=5e-4, rate=0.01, **others):
    """Decay in the gradient, as PyTorch's Adam has it."""
    train = training(rate, decay)
    return {**train, **others, "optimizer": {"kind": "adam", "weight_decay": decay}}


# No feed-forward, the paper's attention, raw numbers into the first layer where there is nothing to encode.
PLAIN = {**CLASSIC, "coefficients": "attention-per-round", "feed_forward": False}

# The same without projection in front, the last layer answering, trained as the bar is.
FIRST = {**PLAIN, "input_projection": False, "project_first": True, "head_layers": 0}
STEADY = adam(schedule="constant", warmup_epochs=0)
DECAYED = adam(5e-3, schedule="constant", warmup_epochs=0)

CANDIDATES = {
    "single": {
        # What was there: the defaults of models, and the settings of the catalogue's node datasets.
        "old-default": {"model": {}, "train": {}},
        "old-preset": {
            "model": {"width": 128, "layers": 2, "hops": 3, "dropout": 0.5, "input_dropout": 0.3},
            "train": training(0.003, 0.1, 300),
        },
        "classic": {"model": CLASSIC, "train": training(0.01, 0.05)},
        "classic-decay": {"model": CLASSIC, "train": training(0.01, 0.5)},
        # The same for GEN with other hops and coefficients.
        "classic-attention": {"model": {**CLASSIC, "coefficients": "attention-per-round"}, "train": training(0.01, 0.5)},
        "attention-no-feed": {
            "model": {**CLASSIC, "coefficients": "attention-per-round", "feed_forward": False}, "train": training(0.01, 0.5)},
        "attention-strong": {
            "model": {**CLASSIC, "coefficients": "attention-per-round", "feed_forward": False, "dropout": 0.7, "norm": "layer"},
            "train": training(0.01, 0.5)},
        "attention-self": {
            "model": {**CLASSIC, "coefficients": "attention-per-round", "feed_forward": False, "hop_zero": True}, "train": training(0.01, 0.5)},
        "attention-one-layer": {
            "model": {**CLASSIC, "coefficients": "attention-per-round", "feed_forward": False, "layers": 1, "hops": 4}, "train": training(0.01, 0.5)},
        "no-input-dropout": {
            "model": {**CLASSIC, "coefficients": "attention-per-round", "feed_forward": False, "input_dropout": 0.0},
            "train": training(0.01, 0.5)},
        "no-input-dropout-norm": {
            "model": {**CLASSIC, "coefficients": "attention-per-round", "feed_forward": False, "input_dropout": 0.0, "norm": "layer", "dropout": 0.7},
            "train": training(0.01, 0.5)},
        "batch-residual": {
            "model": {**CLASSIC, "coefficients": "attention-per-round", "feed_forward": False, "input_dropout": 0.0, "norm": "batch", "residual": True},
            "train": training(0.01, 0.5)},
        # With the numbers of arrays standardised.
        "scaled": {
            "model": {**CLASSIC, "coefficients": "attention-per-round", "feed_forward": False, "input_dropout": 0.2},
            "train": training(0.01, 0.5)},
        "scaled-norm": {
            "model": {**CLASSIC, "coefficients": "attention-per-round", "feed_forward": False, "input_dropout": 0.2, "norm": "layer"},
            "train": training(0.01, 0.5)},
        "scaled-far": {
            "model": {**CLASSIC, "coefficients": "attention-per-round", "feed_forward": False, "input_dropout": 0.2, "norm": "layer",
                      "hops": 4, "dropout": 0.6},
            "train": training(0.01, 0.5)},
        "far-strong": {
            "model": {**CLASSIC, "coefficients": "attention-per-round", "feed_forward": False, "input_dropout": 0.2, "norm": "layer",
                      "hops": 4, "dropout": 0.7},
            "train": training(0.01, 1.0)},
        "far-plain": {
            "model": {**CLASSIC, "coefficients": "attention-per-round", "feed_forward": False, "input_dropout": 0.2, "hops": 4, "dropout": 0.6},
            "train": training(0.01, 1.0)},
        "far-one": {
            "model": {**CLASSIC, "coefficients": "attention-per-round", "feed_forward": False, "norm": "layer", "layers": 1, "hops": 4, "dropout": 0.7},
            "train": training(0.01, 0.5)},
        "far-slow": {
            "model": {**CLASSIC, "coefficients": "attention-per-round", "feed_forward": False, "norm": "layer", "hops": 4, "dropout": 0.7},
            "train": training(0.005, 0.5)},
        "far-one-gcn": {
            "model": {**CLASSIC, "feed_forward": False, "norm": "layer", "layers": 1, "hops": 4, "dropout": 0.7}, "train": training(0.01, 0.5)},
        "far-wet": {
            "model": {**CLASSIC, "coefficients": "attention-per-round", "feed_forward": False, "norm": "layer", "hops": 4, "dropout": 0.8},
            "train": training(0.01, 2.0)},
        "far-narrow": {
            "model": {**CLASSIC, "coefficients": "attention-per-round", "feed_forward": False, "norm": "layer", "hops": 4, "dropout": 0.6,
                      "input_dropout": 0.2, "width": 32},
            "train": training(0.01, 2.0)},
        "far-decay": {
            "model": {**CLASSIC, "coefficients": "attention-per-round", "feed_forward": False, "norm": "layer", "hops": 4, "dropout": 0.6,
                      "input_dropout": 0.2},
            "train": training(0.01, 4.0)},
        "far-layer": {
            "model": {**CLASSIC, "coefficients": "attention-per-layer", "feed_forward": False, "norm": "layer", "hops": 4, "dropout": 0.6,
                      "input_dropout": 0.2, "gamma": 0.0},
            "train": training(0.01, 2.0)},
        # With decay in the gradient.
        "adam": {"model": PLAIN, "train": adam()},
        "adam-strong": {"model": PLAIN, "train": adam(2e-3)},
        "adam-constant": {"model": PLAIN, "train": adam(schedule="constant", warmup_epochs=0)},
        "adam-raw": {"model": {**PLAIN, "input_projection": False}, "train": adam()},
        "adam-raw-one": {"model": {**PLAIN, "input_projection": False, "layers": 1, "hops": 4}, "train": adam()},
        "adam-raw-gcn": {"model": {**PLAIN, "input_projection": False, "coefficients": "gcn"}, "train": adam()},
        "adam-gcn": {"model": {**PLAIN, "coefficients": "gcn"}, "train": adam()},
        "adam-gcn-uncompressed": {"model": {**PLAIN, "coefficients": "gcn", "gamma": 0.0}, "train": adam()},
        "adam-uncompressed": {"model": {**PLAIN, "gamma": 0.0}, "train": adam()},
        "adam-self": {"model": {**PLAIN, "hop_zero": True}, "train": adam()},
        "adam-far": {"model": {**PLAIN, "hops": 4}, "train": adam()},
        "adam-norm": {"model": {**PLAIN, "norm": "layer"}, "train": adam()},
        "adam-norm-far": {"model": {**PLAIN, "norm": "layer", "hops": 4}, "train": adam()},
        "adam-light": {"model": {**PLAIN, "input_dropout": 0.2}, "train": adam()},
        "adam-wet": {"model": {**PLAIN, "dropout": 0.7}, "train": adam()},
        "adam-long": {"model": PLAIN, "train": adam(warmup_epochs=0)},
        "adam-raw-far": {"model": {**PLAIN, "input_projection": False, "hops": 4}, "train": adam()},
        "adam-raw-one-wet": {"model": {**PLAIN, "input_projection": False, "layers": 1, "hops": 4, "dropout": 0.7}, "train": adam()},
        "adam-residual": {"model": {**PLAIN, "residual": True}, "train": adam()},
        "adam-wide": {"model": {**PLAIN, "width": 128}, "train": adam()},
        "adam-linear": {"model": {**PLAIN, "activation": "none"}, "train": adam()},
        "adam-slow": {"model": PLAIN, "train": adam(rate=0.005)},
        "adam-gcn-far": {"model": {**PLAIN, "coefficients": "gcn", "hops": 4}, "train": adam()},
        "adam-one": {"model": {**PLAIN, "layers": 1, "hops": 4}, "train": adam()},
        "adam-one-wet": {"model": {**PLAIN, "layers": 1, "hops": 4, "dropout": 0.7}, "train": adam()},
        "adam-norm-wet": {"model": {**PLAIN, "norm": "layer", "dropout": 0.7}, "train": adam()},
        "adam-norm-far-wet": {"model": {**PLAIN, "norm": "layer", "hops": 4, "dropout": 0.7}, "train": adam()},
        "adam-layer": {"model": {**PLAIN, "coefficients": "attention-per-layer"}, "train": adam()},
        # The last layer answers by itself.
        "bare": {"model": {**PLAIN, "head_layers": 0}, "train": adam()},
        "bare-constant": {"model": {**PLAIN, "head_layers": 0}, "train": adam(schedule="constant", warmup_epochs=0)},
        "bare-norm": {"model": {**PLAIN, "head_layers": 0, "norm": "layer"}, "train": adam()},
        "bare-far": {"model": {**PLAIN, "head_layers": 0, "hops": 4}, "train": adam()},
        "bare-far-norm": {
            "model": {**PLAIN, "head_layers": 0, "hops": 4, "norm": "layer", "dropout": 0.6, "input_dropout": 0.2},
            "train": training(0.01, 0.5)},
        "bare-one": {"model": {**PLAIN, "head_layers": 0, "layers": 1, "hops": 4}, "train": adam()},
        # Wide features projected before the rounds, and the node itself left out or weighed among the hops. Not all of them were run yet.
        "first": {"model": FIRST, "train": STEADY},
        "first-head": {"model": {**FIRST, "head_layers": 1}, "train": STEADY},
        "first-hops": {"model": {**FIRST, "own_term": False}, "train": STEADY},
        "first-zero": {"model": {**FIRST, "own_term": False, "hop_zero": True}, "train": STEADY},
        "first-gcn": {"model": {**FIRST, "own_term": False, "coefficients": "gcn"}, "train": STEADY},
        "first-gcn-own": {"model": {**FIRST, "coefficients": "gcn"}, "train": STEADY},
        "first-plain": {"model": {**FIRST, "own_term": False, "gamma": 0.0}, "train": STEADY},
        "first-far": {"model": {**FIRST, "own_term": False, "hops": 4}, "train": STEADY},
        "first-one": {"model": {**FIRST, "own_term": False, "hops": 1}, "train": STEADY},
        "first-gcn-one": {"model": {**FIRST, "own_term": False, "hops": 1, "gamma": 0.0, "coefficients": "gcn"}, "train": STEADY},
        "first-wet": {"model": {**FIRST, "dropout": 0.7, "input_dropout": 0.7}, "train": STEADY},
        "first-slow": {"model": FIRST, "train": adam(rate=0.003, schedule="constant", warmup_epochs=0)},
        "first-strong": {"model": FIRST, "train": adam(5e-3, schedule="constant", warmup_epochs=0)},
        "first-hops-strong": {"model": {**FIRST, "own_term": False}, "train": adam(5e-3, schedule="constant", warmup_epochs=0)},
        "first-dry": {"model": {**FIRST, "dropout": 0.7, "input_dropout": 0.7}, "train": DECAYED},
        "first-dry-far": {"model": {**FIRST, "dropout": 0.7, "input_dropout": 0.7, "hops": 4}, "train": DECAYED},
        "first-dry-gcn": {"model": {**FIRST, "dropout": 0.7, "input_dropout": 0.7, "coefficients": "gcn"}, "train": DECAYED},
        "first-dry-plain": {"model": {**FIRST, "dropout": 0.7, "input_dropout": 0.7, "gamma": 0.0}, "train": DECAYED},
        "first-norm": {"model": {**FIRST, "norm": "layer", "dropout": 0.6}, "train": DECAYED},
        # What was chosen before, with wide features projected in the first layer instead of in front of it.
        "scaled-far-first": {
            "model": {**PLAIN, "input_projection": False, "project_first": True, "norm": "layer", "hops": 4, "dropout": 0.6, "input_dropout": 0.2},
            "train": training(0.01, 0.5)},
        "bare-far-first": {
            "model": {**FIRST, "norm": "layer", "hops": 4, "dropout": 0.6, "input_dropout": 0.5}, "train": training(0.01, 0.5)},
        "first-both": {"model": {**FIRST, "hop_zero": True}, "train": STEADY},
        "gcn-no-feed": {"model": {**CLASSIC, "feed_forward": False}, "train": training(0.01, 0.5)},
        "classic-one-layer": {"model": {**CLASSIC, "layers": 1, "hops": 4}, "train": training(0.01, 0.5)},
        "classic-self": {"model": {**CLASSIC, "hop_zero": True}, "train": training(0.01, 0.5)},
        "classic-norm": {"model": {**CLASSIC, "norm": "layer"}, "train": training(0.01, 0.5)},
        "layer-norm": {"model": {"layers": 2, "width": 64, "hops": 3, "dropout": 0.5}, "train": training(0.01, 0.05)},
        "batch-norm": {"model": {"layers": 2, "width": 64, "hops": 3, "dropout": 0.5, "norm": "batch"}, "train": training(0.01, 0.05)},
        "layer-norm-light": {"model": {"layers": 2, "width": 64, "hops": 3, "dropout": 0.3}, "train": training(0.01, 0.05)},
        "batch-norm-light": {"model": {"layers": 2, "width": 64, "hops": 3, "dropout": 0.3, "norm": "batch"}, "train": training(0.01, 0.05)},
    },
    "many": {
        "old-default": {"model": {}, "train": {}},
        "old-molecules": {
            "model": {"width": 96, "layers": 4, "norm": "batch", "dropout": 0.1, "head_layers": 2},
            "train": {"epochs": 100, "batch_size": 64, "learning_rate": 0.001, "warmup_epochs": 5, "patience": 30},
        },
        "old-tu": {
            "model": {"width": 64, "layers": 3, "hops": 3, "norm": "batch", "dropout": 0.3, "readout": "sum", "head_layers": 2},
            "train": {"epochs": 100, "batch_size": 64, "learning_rate": 0.002, "warmup_epochs": 5, "patience": 40},
        },
    },
}
