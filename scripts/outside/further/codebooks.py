"""GOAT: tokens drawn round by round, or neighbours of the whole graph, and codebooks after a step."""
import numpy as np

from cases import case, fill, finish, graph, lin_, module, rnd


def li(name, inputs, outputs):
    return {f'{name}.weight': (inputs, outputs), f'{name}.bias': (outputs,)}


def tokens(d, sizes, targets, r):
    """The tokens of every target, as its README draws them, in local numbers with the targets first."""
    n, found = int(d['num_nodes']), []
    neighbours = [[int(s) for s, t in d['edge_index'].T if t == v] for v in range(n)]
    for target in targets:
        distance = {target: 0}
        for s, size in enumerate(sizes, 1):
            for v in list(distance):
                for u in r.permutation(neighbours[v])[:size].tolist() if neighbours[v] else []:
                    distance.setdefault(int(u), s)
        found.append(distance)
    local = {v: i for i, v in enumerate(targets)}
    for distance in found:
        for u in distance: local.setdefault(u, len(local))
    d['batch_nodes'], d['node_idx'] = np.array(targets), np.array(list(local))
    rows = [(local[u], i, k, sum(other == k for other in distance.values())) for i, distance in enumerate(found) for u, k in distance.items()]
    sources, ends, d['token_dist'], d['token_dist_count'] = (np.array(column) for column in zip(*rows))
    d['token_edge_index'] = np.stack([sources, ends])


@case
def goat():
    m = module('goat')
    for name, n, lone, variant, norm, D, H, M, L, g, sizes, targets in [
        ('one_round', 11, (4,), 'authors', 'layer_norm', 6, 1, 4, 1, 3, [2], [0, 4, 7, 9]),
        ('three_rounds', 12, (), 'authors', 'batch_norm', 4, 3, 5, 1, 2, [2, 1, 2], list(range(12))),
        ('one_target', 9, (), 'authors', 'layer_norm', 4, 2, 3, 1, 4, [3, 3], [5]),
        ('tuned1', 11, (4,), 'tuned', 'layer_norm', 6, 1, 7, 1, 6, [], None),
        ('tuned3', 12, (), 'tuned', 'batch_norm', 4, 3, 4, 3, 4, [], None),
    ]:
        r = np.random.default_rng(33); d = dict(graph([n], 1, lone=lone)); d.pop('batch'); d['x'] = rnd(r, (n, 5), 1)
        authors, bn, code = variant == 'authors', norm == 'batch_norm', g * (2 if variant == 'authors' else 1)
        if authors: d['pos_enc'] = rnd(r, (n, g), 1); tokens(d, sizes, targets, r)
        def norms(nm, width):
            fill(d, r, {f'{nm}.weight': (width,), f'{nm}.bias': (width,)})
            if bn: fill(d, r, {f'{nm}.running_mean': (width,), f'{nm}.running_var': (width,)}, 'buffer/')
        fill(d, r, li('in1', 5, D) | li('in2', D, D) | li('out', D, 3)); norms('in_norm', D)
        for i in range(L):
            for k in 'qkv': fill(d, r, li(f'{i}.loc_{k}', D, H * D))
            fill(d, r, li(f'{i}.glob_proj', D, g) | li(f'{i}.glob_q', code, H * D) | li(f'{i}.glob_k', code, H * D) | li(f'{i}.glob_v', g, H * D))
            fill(d, r, li(f'{i}.ff1', 2 * H * D, H * D) | li(f'{i}.ff2', H * D, D)); norms(f'{i}.ff1_norm', H * D); norms(f'{i}.ff2_norm', D)
            if authors: fill(d, r, {f'{i}.dist_bias': (len(sizes) + 1, H)})
            d[f'buffer/{i}.c_idx'] = r.integers(0, M, n)
            for k in ('embedding', 'embedding_output', 'ema_w'): d[f'buffer/{i}.vq.{k}'] = rnd(r, (M, code), 1)
            d[f'buffer/{i}.vq.ema_cluster_size'] = 0.5 + r.random(M)
            fill(d, r, {f'{i}.vq.bn.running_mean': (code,), f'{i}.vq.bn.running_var': (code,)}, 'buffer/')
        cfg = {"variant": variant, "conv_type": "full", "in_channels": 5, "hidden_channels": D, "out_channels": 3, "layers": L, "heads": H, "global_dim": g, "num_centroids": M, "sizes": sizes, "norm": norm, "dist_count_norm": authors, "skip": False, "decay": 0.9, "laplace_eps": 1e-05, "vq_bn_momentum": 0.1, "vq_bn_eps": 1e-05, "bn_eps": 1e-05, "bn_momentum": 0.1, "ln_eps": 1e-05, "softmax_eps": 1e-16, "dropout": 0.0, "self_loops": "token of distance 0" if authors else "added"}
        if not authors or len(targets) > 1:
            state = m.State(d, cfg, True); m.forward(d, cfg, train=True, st=state)
            for k, v in state.new.items(): d[f'buffer_after/{k}'] = v
        one = authors and len(targets) == 1
        finish('goat', name, d, cfg, lambda d, cfg, train: m.forward(d, cfg, train=train), ('x', 'pos_enc'), (False,) if one else (False, True))
