"""Runs Triton kernels on the GPU and keeps PTX, launches, inputs and result bits."""
import json, os, sys, traceback
import numpy as np, torch, triton, triton.language as tl
OUT = os.environ.get("OUT", ".") + "/triton"
os.makedirs(OUT, exist_ok=True)
manifest = {"triton": triton.__version__, "torch": torch.__version__, "gpu": torch.cuda.get_device_name(), "inputs": "h = i*2654435761 + seed*40503 mod 2^32; h ^= h>>16; h = h*0x85ebca6b mod 2^32; h ^= h>>13; h = h*0xc2b2ae35 mod 2^32; h ^= h>>16; value = int32(h)/2^31 in f64 (times scale), then rounded to the format", "kernels": []}

def hashed(n, seed):
    with np.errstate(over="ignore"):
        h = (np.arange(n, dtype=np.uint64) * 2654435761 + seed * 40503) & 0xffffffff
        h ^= h >> 16; h = (h * 0x85ebca6b) & 0xffffffff; h ^= h >> 13; h = (h * 0xc2b2ae35) & 0xffffffff; h ^= h >> 16
    return h
class Buffer:
    count = 0
    def __init__(self, tensor, how): self.tensor, self.how = tensor, how
def rnd(shape, seed, dtype=torch.float32, scale=1.0):
    n = int(np.prod(shape))
    v = hashed(n, seed).astype(np.uint32).view(np.int32).astype(np.float64) / 2**31 * scale
    t = torch.from_numpy(v)
    t = t.to(torch.float32).to(dtype) if dtype != torch.float64 else t
    return Buffer(t.reshape(shape).cuda(), {"hash": seed, "scale": scale, "dtype": str(dtype), "n": n, "note": "f64 -> f32 -> format"})
def ints(shape, seed, mod, dtype=torch.int32):
    n = int(np.prod(shape))
    return Buffer(torch.from_numpy((hashed(n, seed) % mod).astype(np.int64)).to(dtype).reshape(shape).cuda(), {"hash_mod": mod, "seed": seed, "dtype": str(dtype), "n": n})
def zeros(shape, dtype=torch.float32):
    return Buffer(torch.zeros(shape, dtype=dtype, device="cuda"), {"zeros": True, "dtype": str(dtype), "n": int(np.prod(shape))})
def raw(t):
    return t.detach().contiguous().cpu().flatten().view(torch.uint8).numpy()

def launch(name, kernel, grid, args, outputs, note="", pointers={}, **meta):
    """args: list of (parameter, value); value is a Buffer, number, or descriptor."""
    try:
        real, described = {}, []
        for p, v in args:
            if isinstance(v, Buffer): real[p] = v.tensor; described.append({"parameter": p, "buffer": v.how, "address": v.tensor.data_ptr()})
            elif isinstance(v, tuple) and v[0] == "descriptor":
                from triton.tools.tensor_descriptor import TensorDescriptor
                b, block = v[1], v[2]
                real[p] = TensorDescriptor(b.tensor, list(b.tensor.shape), list(b.tensor.stride()), list(block))
                described.append({"parameter": p, "descriptor": {"buffer": b.how, "shape": list(b.tensor.shape), "strides": list(b.tensor.stride()), "block": list(block)}})
            else: real[p] = v; described.append({"parameter": p, "value": v})
        before = {k: raw(b.tensor).copy() for k, b in outputs.items()}
        compiled = kernel[grid](**real, **meta)
        torch.cuda.synchronize()
        ptx = compiled.asm["ptx"]
        open(f"{OUT}/{name}.ptx", "w").write(ptx)
        md = compiled.metadata
        md = md._asdict() if hasattr(md, "_asdict") else dict(vars(md))
        src = compiled.src
        entry = {"name": name, "ptx": f"{name}.ptx", "entry": md.get("name", compiled.name if hasattr(compiled, "name") else name), "grid": list(grid), "num_warps": md.get("num_warps"), "shared": md.get("shared"), "num_ctas": md.get("num_ctas"), "global_scratch_size": md.get("global_scratch_size"), "metadata": {k: repr(v) for k, v in md.items()},
                 "signature": {str(k): str(v) for k, v in getattr(src, "signature", {}).items()}, "constants": {str(k): repr(v) for k, v in getattr(src, "constants", {}).items()}, "args": described, "meta": {k: repr(v) for k, v in meta.items()}, "outputs": {}, "pointers": pointers, "note": note}
        for k, b in outputs.items():
            np.save(f"{OUT}/{name}.{k}.npy", raw(b.tensor)); entry["outputs"][k] = {"file": f"{name}.{k}.npy", "dtype": str(b.tensor.dtype), "shape": list(b.tensor.shape), "changed": int((raw(b.tensor) != before[k]).sum())}
        manifest["kernels"].append(entry)
        print("ok", name, len(ptx), entry["shared"], entry["num_warps"], {k: v["changed"] for k, v in entry["outputs"].items()})
    except Exception as e:
        print("FAILED", name, "".join(traceback.format_exception_only(type(e), e))[-600:])

from triton_kernels import *
exec(open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "triton_launches.py")).read())
json.dump(manifest, open(f"{OUT}/manifest.json", "w"), indent=1)
