"""DRew and the transformers within graphs."""
import json

import numpy as np

from cases import GRADS, bn_, case, fd, fill, finish, graph, lin_, module, rnd, save


def net(model):
    m = module(model)
    def f(d, cfg, train):
        P = {k[6:]: v for k, v in d.items() if k.startswith('param/')}
        D = dict(d, config=json.dumps(cfg))
        if 'rwse_fn' in D: pass
        return m.Net(D, P, train).forward(d['x'])
    return m, f


def khop(g, K):
    n = int(g['num_nodes']); nb = [[] for _ in range(n)]
    for s, t in g['edge_index'].T: nb[t].append(int(s))
    want = []
    for i in range(n):
        dist, front = {i: 0}, [i]
        while front:
            nxt = []
            for a in front:
                for b in nb[a]:
                    if b not in dist: dist[b] = dist[a] + 1; nxt.append(b)
            front = nxt
        want += [(k, i, j) for j, k in dist.items() if 1 <= k <= K]
    want.sort()
    return np.array([[j for _, _, j in want], [i for _, i, _ in want]]), np.array([k for k, _, _ in want])


@case
def drew():
    m, f = net('drew')
    for name, g, variant, L, nu, convex, resid, pool in [
        ('gcn_batch', graph([4, 12, 6], 1, lone=(21,)), 'gcn', 4, 2, True, True, True),
        ('gated_isolated', graph([11], 2, lone=(4,)), 'gated', 4, 'inf', False, True, False),
        ('gin_batch', graph([4, 9, 3], 3, lone=(12,)), 'gin', 3, 2, False, False, True),
        ('gcn_convex', graph([9], 4), 'gcn', 3, 'inf', True, True, False),
        ('gated_convex', graph([4, 9], 5, lone=(1,)), 'gated', 3, 2, True, True, True),
        ('gin_inf', graph([9], 6, lone=(3,)), 'gin', 3, 'inf', False, False, False),
        ('gcn_short', graph([4], 6, lone=()), 'gcn', 5, 1, False, True, False),
    ]:
        r = np.random.default_rng(20); d = dict(g); n = int(d['num_nodes']); H = 8
        d['x'] = rnd(r, (n, 5), 1); d['khop_edge_index'], d['khop_distance'] = khop(g, L)
        fill(d, r, lin_('enc.node', 5, H)); fill(d, r, lin_('head.lin0', H, 3))
        for t in range(L):
            if variant == 'gated':
                for k in 'ABDE': fill(d, r, lin_(f'layer{t}.{k}', H, H))
                bn_(d, r, f'layer{t}.bn', H)
            elif variant == 'gin':
                for k in ['self'] + [f'hop{k}' for k in range(1, t + 2)]:
                    fill(d, r, lin_(f'layer{t}.{k}.lin', H, H)); bn_(d, r, f'layer{t}.{k}.bn', H)
            else:
                for k in range(1, t + 2):
                    d[f'param/layer{t}.hop{k}.gcn.weight'] = rnd(r, (H, H)); bn_(d, r, f'layer{t}.hop{k}.bn', H)
        if not pool: d['batch'] = np.zeros(n, dtype=int)
        cfg = {"case": name, "variant": variant, "hidden": H, "layers": L, "classes": 3, "nu": nu, "k_max": None, "hop_weights": "ones", "convex_combo": convex, "l2norm": True, "residual": resid, "head": "pool_linear" if pool else "node_linear", "pooling": "mean" if pool else None, "bn_eps": 1e-05, "gated_eps": 1e-06, "gin_eps": 0.0, "l2_eps": 1e-12, "dropout": 0.0}
        finish('drew', name, d, cfg, f, ('x',), (False, True))


def expander(d, r, degree):
    s, t = [], []
    for g in range(d['batch'].max() + 1):
        i = np.flatnonzero(d['batch'] == g)
        if len(i) <= 10:
            for a in i:
                for b in i:
                    if a != b: s.append(a); t.append(b)
        else:
            for _ in range(degree):
                p = i[r.permutation(len(i))]
                s += list(i) + list(p); t += list(p) + list(i)
    return np.array([s, t])


@case
def exphormer():
    m, f = net('exphormer')
    for name, g, local, pre, dummy, V, exp, pool, heads, H, L in [
        ('batch_virt', graph([4, 12, 6], 1, lone=(21,)), 'GatedGCN', 0, False, 1, False, 'mean', 2, 8, 2),
        ('gcn_virt', graph([12], 2, lone=(4,)), 'GCN', 0, True, 2, True, None, 2, 8, 2),
        ('gcn_edges', graph([12], 3, lone=(4,)), 'GCN', 1, False, 0, True, None, 4, 8, 3),
        ('gated_none', graph([12], 4, lone=(4,)), 'GatedGCN', 1, False, 0, False, None, 1, 8, 1),
        ('gated_dummy', graph([12], 4, lone=(4,)), 'GatedGCN', 0, True, 1, True, None, 2, 8, 2),
    ]:
        r = np.random.default_rng(21); d = dict(g); n = int(d['num_nodes']); E = d['edge_index'].shape[1]
        d['x'] = rnd(r, (n, 5), 1)
        if not dummy: d['edge_attr'] = rnd(r, (E, 2), 1)
        if exp: d['expander_edge_index'] = expander(d, r, 2)
        if pre: d['param/pre.lin.weight'] = rnd(r, (H, 5)); bn_(d, r, 'pre.bn', H)
        else: fill(d, r, lin_('enc.node', 5, H))
        if dummy: d['param/enc.edge.weight'] = rnd(r, (1, H), 1)
        else: fill(d, r, lin_('enc.edge', 2, H))
        d['param/exp.edge_emb'] = rnd(r, (1, H), 1)
        if V: fill(d, r, {'virt.node_emb': (V, H), 'virt.edge_in_emb': (V, H), 'virt.edge_out_emb': (V, H)})
        for l in range(L):
            p = f'layer{l}.'
            if local == 'GatedGCN':
                for k in 'ABCDE': fill(d, r, lin_(p + 'gated.' + k, H, H))
                bn_(d, r, p + 'gated.bn_node_x', H); bn_(d, r, p + 'gated.bn_edge_e', H)
            else: fill(d, r, lin_(p + 'gcn', H, H))
            fill(d, r, {p + f'attn.{k}.weight': (H, H) for k in 'QKEV'})
            for k in ('norm_local', 'norm_attn', 'norm_ff'): bn_(d, r, p + k, H)
            fill(d, r, lin_(p + 'ff1', H, 2 * H)); fill(d, r, lin_(p + 'ff2', 2 * H, H))
        fill(d, r, lin_('head.lin0', H, 3))
        cfg = {"case": name, "hidden": H, "heads": heads, "layers": L, "classes": 3, "local": local, "pre_mp": pre, "edge_encoder": "dummy" if dummy else "linear", "virtual_nodes": V, "expander_degree": 2, "expander_algorithm": "Random-d", "use_expander": exp, "head": "pool_linear" if pool else "node_linear", "pooling": pool, "clamp": 5.0, "attn_eps": 1e-06, "gated_eps": 1e-06, "bn_eps": 1e-05, "dropout": 0.0}
        finish('exphormer', name, d, cfg, f, ('x', 'edge_attr'), (False, True))


def lappe(d, F):
    n = int(d['num_nodes']); vec, val = np.full((n, F), np.nan), np.full((n, F), np.nan)
    for g in range(d['batch'].max() + 1):
        i = np.flatnonzero(d['batch'] == g); A = np.zeros((len(i), len(i)))
        for s, t in d['edge_index'].T:
            if d['batch'][s] == g: A[t - i[0], s - i[0]] = 1
        w, V = np.linalg.eigh(np.diag(A.sum(1)) - A); mm = min(len(i), F)
        vec[i[:, None], np.arange(mm)] = V[:, :mm]; val[i[:, None], np.arange(mm)] = w[:mm]
    return vec, val


@case
def gps():
    m, f = net('gps')
    for name, g, local, pe, head, hl, pool, norm, act, heads, H, L in [
        ('isolated', graph([11], 1, lone=(4,)), 'GINE', 'RWSE', 'node_mlp', 1, None, 'bn', 'relu', 2, 8, 2),
        ('isolated3', graph([11], 1, lone=(4,)), 'GINE', 'RWSE', 'node_mlp', 3, None, 'bn', 'relu', 2, 8, 2),
        ('batch_gine', graph([4, 12, 6], 2, lone=(21,)), 'GINE', 'RWSE', 'pool_pyramid', 3, 'add', 'bn', 'relu', 2, 8, 2),
        ('gine_ln', graph([4, 9, 6], 2, lone=(18,)), 'GINE', 'none', 'pool_linear', 1, 'mean', 'ln', 'gelu', 4, 8, 3),
        ('gated_gelu_lap', graph([4, 9, 6], 2, lone=(18,)), 'GatedGCN', 'LapPE', 'pool_linear', 1, 'add', 'ln', 'gelu', 1, 8, 1),
        ('gated_walk', graph([10], 2, lone=(3,)), 'GatedGCN', 'RWSE', 'node_mlp', 2, None, 'bn', 'gelu', 2, 8, 2),
        ('gine_lap', graph([4, 9, 2], 2), 'GINE', 'LapPE', 'pool_pyramid', 3, 'mean', 'bn', 'relu', 2, 8, 1),
    ]:
        r = np.random.default_rng(22); d = dict(g); n = int(d['num_nodes']); E = d['edge_index'].shape[1]; F = 6
        d['x'] = rnd(r, (n, 5), 1); d['edge_attr'] = rnd(r, (E, 2), 1); pw = 0 if pe == 'none' else 4
        fill(d, r, lin_('enc.node', 5, H - pw)); fill(d, r, lin_('enc.edge', 2, H))
        if pe == 'RWSE':
            d['rwse'] = m.rwse(d, 4); bn_(d, r, 'enc.pe.raw_norm', 4); fill(d, r, lin_('enc.pe.linear', 4, pw))
        if pe == 'LapPE':
            d['lappe_vec'], d['lappe_val'] = lappe(d, F); d['sign_flip_train'] = np.sign(rnd(r, (F,)))
            fill(d, r, lin_('enc.pe.linear_A', 2, 2 * pw)); fill(d, r, lin_('enc.pe.linear_B', 2 * pw, pw))
        for l in range(L):
            p = f'layer{l}.'
            if local == 'GatedGCN':
                for k in 'ABCDE': fill(d, r, lin_(p + 'gated.' + k, H, H))
                bn_(d, r, p + 'gated.bn_node_x', H); bn_(d, r, p + 'gated.bn_edge_e', H)
            else:
                fill(d, r, lin_(p + 'gine.lin1', H, H)); fill(d, r, lin_(p + 'gine.lin2', H, H))
            fill(d, r, lin_(p + 'attn.in_proj', H, 3 * H)); fill(d, r, lin_(p + 'attn.out_proj', H, H))
            for k in ('norm_local', 'norm_attn', 'norm_ff'):
                bn_(d, r, p + k, H)
                if norm == 'ln':
                    for b in ('running_mean', 'running_var'): d.pop(f'buffer/{p}{k}.{b}')
            fill(d, r, lin_(p + 'ff1', H, 2 * H)); fill(d, r, lin_(p + 'ff2', 2 * H, H))
        if head == 'node_mlp':
            for i in range(hl): fill(d, r, lin_(f'head.lin{i}', H, H if i + 1 < hl else 3))
        elif head == 'pool_linear': fill(d, r, lin_('head.lin0', H, 3))
        else:
            fill(d, r, lin_('head.fc0', H, H // 2)); fill(d, r, lin_('head.fc1', H // 2, H // 4)); fill(d, r, lin_('head.fc2', H // 4, 3))
        cfg = {"case": name, "hidden": H, "heads": heads, "layers": L, "classes": 3, "local": local, "pe": pe, "head": head, "head_layers": hl, "pooling": pool, "norm": norm, "act": act, "dim_pe": pw, "max_freqs": F if pe == 'LapPE' else None, "rw_steps": 4 if pe == 'RWSE' else None, "bn_eps": 1e-05, "gated_eps": 1e-06, "dropout": 0.0, "attn_dropout": 0.0}
        finish('gps', name, d, cfg, f, ('x', 'edge_attr'), (False, True))


@case
def grit():
    m, f = net('grit')
    for name, g, H, heads, L, K in [('heads4', graph([9], 1, lone=(4,)), 8, 4, 1, 3), ('heads1', graph([4, 6], 2), 6, 1, 3, 5)]:
        r = np.random.default_rng(23); d = dict(g); n = int(d['num_nodes']); E = d['edge_index'].shape[1]; D = H // heads
        pool = d['batch'].max() > 0
        d['x'] = rnd(r, (n, 5), 1); d['edge_attr'] = rnd(r, (E, 2), 1)
        pairs = [(a, b) for a in range(n) for b in range(n) if d['batch'][a] == d['batch'][b]]
        d['pair_index'] = np.array(pairs).T
        fill(d, r, lin_('enc.node', 5, H)); fill(d, r, lin_('enc.edge', 2, H)); fill(d, r, {'rrwp.node.weight': (H, K), 'rrwp.pair.weight': (H, K)})
        for l in range(L):
            p = f'layer{l}.'
            fill(d, r, lin_(p + 'Q', H, H)); fill(d, r, {p + 'K.weight': (H, H), p + 'V.weight': (H, H), p + 'Aw': (D, heads, 1), p + 'Ve': (D, heads, D), p + 'deg_coef': (1, H, 2)}); fill(d, r, lin_(p + 'E', H, 2 * H))
            for k, i, o in (('O_h', H, H), ('O_e', H, H), ('ff1', H, 2 * H), ('ff2', 2 * H, H)): fill(d, r, lin_(p + k, i, o))
            for k in ('bn1_h', 'bn1_e', 'bn2_h'): bn_(d, r, p + k, H)
        fill(d, r, lin_('head.lin0', H, 3))
        cfg = {"case": name, "hidden": H, "heads": heads, "layers": L, "classes": 3, "rrwp_steps": K, "add_identity": True, "clamp": 5.0, "full_attention": True, "update_e": True, "deg_scaler": True, "head": "pool_linear" if pool else "node_linear", "pooling": "mean" if pool else None, "bn_eps": 1e-05, "softmax_eps": 1e-16, "dropout": 0.0, "attn_dropout": 0.0}
        finish('grit', name, d, cfg, f, ('x', 'edge_attr'), (False, True))


def subgraphs(d, K):
    src, dst = d['edge_index']; nodes, ind, edges, off = [], [], [], 0
    for r in range(int(d['num_nodes'])):
        seen = {r}
        for _ in range(K): seen |= {int(a) for a, b in zip(src, dst) if b in seen}
        s = sorted(seen); nodes += s; ind += [r] * len(s)
        edges += [(s.index(a) + off, s.index(b) + off) for a, b in zip(src, dst) if a in seen and b in seen]; off += len(s)
    return np.array(nodes), np.array(ind), np.array(edges).T


@case
def sat():
    m, f = net('sat')
    for name, g, ext, gnn, ed, pool, scale, heads, H, L, K, T in [
        ('pna_node', graph([9], 1, lone=(4,)), 'k-subtree', 'pna2', 4, None, True, 2, 8, 1, 2, 2),
        ('gine_cls', graph([4, 7], 2, lone=(3,)), 'k-subtree', 'gine', 4, 'cls', False, 2, 8, 2, 1, None),
        ('gcn_noedge', graph([9], 3, lone=(4,)), 'k-subtree', 'gcn', None, None, True, 4, 8, 2, 3, None),
        ('khop_mean', graph([4, 7], 4, lone=(3,)), 'k-subgraph', 'gcn', None, 'mean', True, 1, 8, 1, 2, None),
        ('khop_node', graph([9], 5, lone=(3,)), 'k-subgraph', 'gcn', None, None, False, 2, 8, 2, 1, None),
        ('pna1', graph([4, 7], 6, lone=(3,)), 'k-subtree', 'pna2', 3, 'mean', False, 2, 8, 1, 2, 1),
    ]:
        r = np.random.default_rng(24); d = dict(g); n = int(d['num_nodes']); E = d['edge_index'].shape[1]
        d['x'] = rnd(r, (n, 5), 1); d['edge_attr'] = rnd(r, (E, 2), 1)
        A = np.zeros((n, n)); A[d['edge_index'][0], d['edge_index'][1]] = 1; deg = A.sum(1)
        M = np.where(deg > 0, 1 / np.maximum(deg, 1), 0)[:, None] * A; R, o = np.eye(n), []
        for _ in range(4): R = R @ M; o.append(np.diag(R))
        d['rwse'] = np.stack(o, 1)
        if scale: d['degree_scale'] = 1 / np.sqrt(1 + deg)
        if ext == 'k-subgraph': d['subgraph_node_idx'], d['subgraph_indicator'], d['subgraph_edge_index'] = subgraphs(d, K)
        d['param/enc.node.weight'] = rnd(r, (H, 5)); fill(d, r, lin_('enc.pe', 4, H))
        if ed: d['param/enc.edge.weight'] = rnd(r, (ed, 2))
        if pool == 'cls': d['param/cls_token'] = rnd(r, (1, H), 1)
        for l in range(L):
            p = f'layer{l}.'
            for k in range(K):
                q = p + f'se.gnn{k}.'
                if gnn == 'gcn' and not ed: fill(d, r, {q + 'lin.weight': (H, H), q + 'bias': (H,)})
                elif gnn == 'gcn': fill(d, r, lin_(q + 'linear', H, H)); fill(d, r, lin_(q + 'edge', ed, H)); fill(d, r, {q + 'root': (1, H)})
                elif gnn == 'gine': fill(d, r, lin_(q + 'lin', ed, H)); fill(d, r, lin_(q + 'lin1', H, H)); fill(d, r, lin_(q + 'lin2', H, H)); fill(d, r, {q + 'eps': (1,)})
                else:
                    w = H // T
                    fill(d, r, lin_(q + 'edge', ed, w)); fill(d, r, {q + 'pre.weight': (T, w, 3 * w), q + 'pre.bias': (T, w), q + 'post.weight': (T, w, 4 * w), q + 'post.bias': (T, w)}); fill(d, r, lin_(q + 'lin', H, H))
            W = (K + 1) * H if ext == 'k-subtree' else 2 * H
            bn_(d, r, p + 'se.bn', W); fill(d, r, lin_(p + 'se.out', W, H))
            fill(d, r, {p + 'attn.qk.weight': (2 * H, H), p + 'attn.v.weight': (H, H)}); fill(d, r, lin_(p + 'attn.out', H, H))
            bn_(d, r, p + 'norm1', H); bn_(d, r, p + 'norm2', H); fill(d, r, lin_(p + 'ff1', H, 2 * H)); fill(d, r, lin_(p + 'ff2', 2 * H, H))
        fill(d, r, lin_('head.lin0', H, H)); fill(d, r, lin_('head.lin1', H, 3))
        cfg = {"case": name, "hidden": H, "heads": heads, "layers": L, "classes": 3, "ff": 2 * H, "extractor": ext, "gnn": gnn, "k_hop": K, "edge_dim": ed, "pe_dim": 4, "degree_scale": scale, "pooling": pool, "towers": T, "bn_eps": 1e-05, "dropout": 0.0}
        finish('sat', name, d, cfg, f, ('x', 'edge_attr'), (False, True))
