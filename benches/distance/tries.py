"""What every model gets to see far: the same frame, and two tries, its own settings and settings for the task."""

DISTANCES = [2, 4, 6, 8]
# For all models that have the setting; besides, every probability of dropping something is 0.
SHARED = {"width": 32, "input_projection": True}
# Several heads or powers share the width; 4,096 centroids for 4,000 nodes would be no centroids.
FITTING = {"mixhop": {"width": 33}, "gea-mixhop": {"width": 33}, "goat": {"centroids": 256}}


def for_the_task(model, distance):
    """What a model has for a task that counts colours at one distance: sums instead of means, one hop apart from the others, hops that are reached
    directly, answers that read all layers. A model that has nothing of this kind gets the other norm alone."""
    return {
        "gen": {"layers": 1, "coefficients": "ones", "hop_reading": "increment"},
        "gea-gcn": {"layers": 1, "coefficients": "ones", "join": "concat"},
        "gea-appnp": {"coefficients": "ones", "alpha": 0.0},
        "gea-mixhop": {"layers": 1, "coefficients": "ones", "powers": [0, distance], "width": 32},
        "mixhop": {"layers": 1, "powers": [0, distance - 2, distance] if distance > 2 else [0, 1, 2]},
        "appnp": {"alpha": 0.0},
        "gprgnn": {"start": "one-hop", "start_hop": distance},
        "fsgnn": {"unit_rows": False},
        "gat": {"jump": "concat", "skip": True, "head_layers": 1},
        "graphsage": {"jump": "concat", "skip": True},
        "jknet": {"jump": "lstm"},
        "gin": {"learn_epsilon": True},
        "drew": {"variant": "gin"},
        "magna": {"alpha": 0.05, "top_entries": 0},
        "sgformer": {"graph_weight": 0.8},
        "polynormer": {"global_layers": 0},
        "gps": {"local": "gine"},
        "exphormer": {"local": "gine"},
        "sat": {"structure": "gine", "structure_hops": distance, "layers": 2},
        "gmn": {"walk_length": distance},
        "nodeformer": {"orders": 4},
        "ipr-mpnn": {"virtual_nodes": 8},
    }.get(model, {})


def settings(known, model, distance, attempt):
    """The settings of one run: only those that the model has."""
    keys = {setting["key"]: setting["default"] for setting in known["settings"]}
    wanted = {**SHARED, **{key: 0.0 for key in keys if key.endswith("dropout")}}
    if "hops" in keys:
        wanted["hops"] = distance
    else:
        wanted["layers"] = distance if model != "mlp" else 2
    wanted.update(FITTING.get(model, {}))
    if attempt == "for the task":
        wanted["norm"] = "layer" if keys.get("norm") == "batch" else "batch"
        wanted.update(for_the_task(model, distance))
    return {key: value for key, value in wanted.items() if key in keys}


ATTEMPTS = ["own", "for the task"]
