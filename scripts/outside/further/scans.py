"""Graph-Mamba and GMN: outputs only, their scans being slow in NumPy."""
import json

import numpy as np

from cases import case, fill, finish, graph, lin_, module, rnd


class Z(dict):
    @property
    def files(self): return list(self)


def mamba_params(d, r, pre, H, exp, n, w):
    I, rank = H * exp, -(-H // 16)
    fill(d, r, {pre + 'in_proj.weight': (2 * I, H), pre + 'conv.weight': (I, w), pre + 'conv.bias': (I,), pre + 'x_proj.weight': (rank + 2 * n, I), pre + 'dt_proj.weight': (I, rank), pre + 'dt_proj.bias': (I,), pre + 'A_log': (I, n), pre + 'D': (I,), pre + 'out_proj.weight': (H, I)})
    return rank


@case
def graph_mamba():
    m = module('graph-mamba')
    for name, g, H, L, post, n, w, exp, reps, buckets, pool in [
        ('wide', graph([11], 1, lone=(4,)), 6, 1, 2, 3, 2, 2, 2, 1, False), ('buckets2', graph([6, 9, 1], 2, lone=(15,)), 8, 2, 1, 4, 4, 1, 3, 2, True), ('three', graph([12], 3), 17, 3, 1, 2, 1, 1, 1, 1, False), ('pool2', graph([6, 9], 2), 6, 1, 2, 4, 4, 1, 1, 1, True)]:
        r = np.random.default_rng(31); d = Z(g); N = int(d['num_nodes']); E = d['edge_index'].shape[1]
        d['x'] = rnd(r, (N, 5), 1); d['edge_attr'] = rnd(r, (E, 2), 1)
        fill(d, r, lin_('node_enc', 5, H)); fill(d, r, lin_('edge_enc', 2, H))
        def bnm(nm): fill(d, r, {nm + '.weight': (H,), nm + '.bias': (H,)}); fill(d, r, {nm + '.mean': (H,), nm + '.var': (H,)}, 'buffer/')
        for l in range(L):
            p = f'layers.{l}.'
            for k in 'ABCDE': fill(d, r, lin_(p + 'gcn.' + k, H, H))
            for k in ('gcn.bn_x', 'gcn.bn_e', 'norm_local', 'norm_attn', 'norm2'): bnm(p + k)
            rank = mamba_params(d, r, p + 'mamba.', H, exp, n, w)
            fill(d, r, lin_(p + 'ff1', H, 2 * H)); fill(d, r, lin_(p + 'ff2', 2 * H, H))
        for i in range(post - 1): fill(d, r, lin_(f'head.0.{i}', H, H))
        fill(d, r, lin_('head.1' if post > 1 else 'head.0', H, 3))
        d['draw/noise'] = r.random((L, reps, N)).astype(np.float32).astype(float); d['draw/noise_train'] = r.random((L, 1, N)).astype(np.float32).astype(float)
        if buckets > 1: d['draw/bucket'] = r.integers(0, buckets, (L, reps, N)); d['draw/bucket_train'] = r.integers(0, buckets, (L, 1, N))
        cfg = {"layer": "x", "F_in": 5, "edge_dim": 2, "hidden": H, "layers": L, "head": "graph" if pool else "inductive_node", "post_layers": post, "classes": 3, "d_state": n, "d_conv": w, "expand": exp, "dt_rank": rank, "eval_repeats": reps, "buckets": buckets, "pool": "mean" if pool else "none", "bn_eps": 1e-05, "dropout": 0.0, "seed": 1}
        d['config'] = np.array(json.dumps(cfg))
        f = lambda d, cfg, train: m.Model(d).forward(d['x'], d['edge_attr'], train)
        finish('graph-mamba', name, d, cfg, f, (), (False, True))


@case
def gmn():
    m = module('gmn')
    for name, g, H, mm, s, M, TL, NL, n, w, exp, pool in [('one', graph([9], 1, lone=(4,)), 6, 1, 3, 1, 1, 2, 3, 2, 1, False), ('deep', graph([5, 1, 7], 2, lone=(5,)), 17, 2, 1, 2, 1, 3, 2, 4, 2, True), ('m0s2', graph([5, 7], 2), 8, 0, 2, 1, 2, 1, 4, 4, 2, True)]:
        r = np.random.default_rng(32); d = Z(g); N = int(d['num_nodes']); E = d['edge_index'].shape[1]
        d['x'] = rnd(r, (N, 5), 1); d['edge_attr'] = rnd(r, (E, 2), 1)
        nb = [[int(a) for a, b in d['edge_index'].T if b == v] for v in range(N)]
        walks = np.full((N, mm, s, M, mm + 1), -1)
        for v in range(N):
            for i in range(1, mm + 1):
                for j in range(s):
                    for k in range(M):
                        u = v; walks[v, i - 1, j, k, 0] = v
                        for t in range(i):
                            u = int(r.choice(nb[u])) if nb[u] else u
                            walks[v, i - 1, j, k, t + 1] = u
        if mm: d['draw/walks'] = walks; d['draw/shuffle'] = np.array([[r.permutation(s) for _ in range(mm)] for _ in range(N)])
        fill(d, r, lin_('inp', 5, H)); fill(d, r, lin_('head', H, 3))
        for k in ('phi', 'psi'):
            for a in 'ABDE': fill(d, r, lin_(f'{k}.{a}', H, H))
            fill(d, r, lin_(f'{k}.C', 2, H))
        for b, c in (('tok', TL), ('node', NL)):
            for i in range(c):
                p = f'{b}.{i}.'
                for k in 'fb':
                    rank = mamba_params(d, r, p + k + '.', H, exp, n, w); fill(d, r, {p + f'ln_{k}.weight': (H,), p + f'ln_{k}.bias': (H,)})
                fill(d, r, {p + 'out.weight': (H, H)})
        cfg = {"F_in": 5, "edge_dim": 2, "d": H, "m": mm, "s": s, "M": M, "token_layers": TL, "node_layers": NL, "d_state": n, "d_conv": w, "expand": exp, "dt_rank": rank, "classes": 3, "pool": "mean" if pool else "none", "residual": False, "ln_eps": 1e-05, "seed": 1}
        d['config'] = np.array(json.dumps(cfg))
        finish('gmn', name, d, cfg, lambda d, cfg, train: m.Model(d).forward(d['x'], d['edge_attr']), (), (False,))
