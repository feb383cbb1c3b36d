"""Functions that try to get out, to stay, or to be taken for right; {secret} is a readable file.

Each is the body of `def backward(x, delta)`.  What should not be there, it prints as
"got through" (`through()`).
"""

from __future__ import annotations

BODIES = r"""
return open({secret!r}).read()
import io; return io.FileIO({secret!r}).read()
import os; print(os.read(os.open({secret!r}, 0), 99)); return x
import os; os.open({secret!r}, os.O_PATH); return x
import os; print(os.listdir("/")); return x
import os; print(list(os.scandir("."))); return x
import os; os.stat({secret!r}); return x
import os; os.chdir("/"); return x
import os; os.readlink("/proc/self/exe"); return x
import os; os.rename({secret!r}, {secret!r} + "x"); return x
import os; os.unlink({secret!r}); return x
import os; os.mkdir({secret!r} + "d"); return x
import os; os.symlink("/", {secret!r} + "l"); return x
import os; os.chmod({secret!r}, 0o777); return x
import os; os.truncate({secret!r}, 0); return x
import os; os.memfd_create("m"); return x
import os; os.pipe(); return x
import os; os.dup(0); return x
open({secret!r} + "w", "w").write("got through"); return x
np.save({secret!r} + ".npy", x); return x
x.tofile({secret!r} + "t"); return x
print(np.fromfile({secret!r}, np.uint8)); return x
print(np.load({secret!r}, allow_pickle=True)); return x
print(np.loadtxt({secret!r}, dtype=str)); return x
print(np.genfromtxt({secret!r}, dtype=str)); return x
print(bytes(np.memmap({secret!r}, np.uint8, "r"))); return x
print(bytes(np.lib.format.open_memmap({secret!r}))); return x
import os; os.fork(); return x
import os; os.forkpty(); return x
import os; os.execv("/bin/sh", ["sh", "-c", "id"]); return x
import os; os.system("id"); return x
import os; os.popen("id").read(); return x
import os; os.posix_spawn("/bin/sh", ["sh"], {{}}); return x
import subprocess; subprocess.run(["id"]); return x
import threading; threading.Thread(target=print).start(); return x
import _thread; _thread.start_new_thread(print, ()); return x
import socket; socket.socket(); return x
import socket; socket.create_connection(("127.0.0.1", 22)); return x
import socket; socket.socketpair(); return x
import socket; socket.fromfd(0, 1, 1).sendall(b"K"); return x
import os; os.kill(os.getppid(), 9); return x
import os; os.kill(-1, 9); return x
import os; os.killpg(0, 9); return x
import signal; signal.signal(signal.SIGXCPU, signal.SIG_IGN); return x
import signal; signal.alarm(1); return x
import resource; resource.setrlimit(resource.RLIMIT_AS, (-1, -1)); return x
import os; os.setuid(0); return x
import os; os.setresuid(0, 0, 0); return x
import os; os.nice(-5); return x
import os; os.sched_setaffinity(0, [0]); return x
import ctypes; ctypes.string_at(0); return x
import ctypes; ctypes.memset(id(x), 0, 64); return x
import ctypes; ctypes.CDLL(None).open({secret!r}.encode(), 0) < 0 and 1 / 0; return x
import ctypes; ctypes.CDLL("libm.so.6"); return x
import ctypes; ctypes.CDLL(None).syscall(57) < 0 and 1 / 0; return x
import ctypes; ctypes.CDLL(None).syscall(425, 8, 0) < 0 and 1 / 0; return x
import ctypes; ctypes.CDLL(None).mprotect(id(x) & ~4095, 4096, 7) and 1 / 0; return x
import ctypes; ctypes.CDLL(None).prctl(4, 1, 0, 0, 0) and 1 / 0; return x
import ctypes; ctypes.CDLL(None).ptrace(16, 1, 0, 0) and 1 / 0; return x
import os; os._exit(0)
import os; os.abort()
import sys; sys.exit(0)
import os; os.close(3); return x
import os; os.close(0); os.close(1); return x
import os; os.write(3, b"E" + b"\\xff" * 100); return x
import os; os.write(3, b"E" + (1 << 31).to_bytes(4, "little")); return x
import os; os.write(3, b"R\\x07" + bytes(99)); return x
import os; os.write(3, b'E\\x02\\x00\\x00\\x00{{}}'); return x
import os; os.write(3, b"?"); return x
import os; os.write(3, b"E\\x05\\x00"); os._exit(0)
import importlib; importlib.import_module("engine.pooling.layer"); return x
import sys; sys.path.append("/"); import antigravity; return x
a = []\n    while True: a.append(np.ones(1 << 22))
return np.zeros(1 << 40)
return "x" * (1 << 34)
return 10 ** 10 ** 9
while True: pass
while True: print("flood" * 1000)
import os\n    while True: os.write(2, b"flood" * 1000)
import os; os.read(0, 1 << 20); os.read(0, 1); return x
import time; time.sleep(60); return x
return backward(x, delta)
raise BaseException
raise GeneratorExit
class E(Exception):\n        def __str__(self): raise self\n    raise E
raise Exception("x" * (1 << 22))
raise type("\\x1b[2J\\ud800", (Exception,), {{}})("\\x1b]0;owned\\x07")
class A:\n        def __array__(self, *a, **k): raise SystemExit\n    return A()
return np.array([[object()] * x.shape[1]] * x.shape[0])
return np.broadcast_to(np.float64(1), (1 << 20, 1 << 20))
return [[[]]] * 3
return x + 1j
import gc; [o.clear() for o in gc.get_objects() if type(o) is dict and o is not globals()]; return x
import sys; sys.modules.clear(); return x
import builtins; builtins.open = None; builtins.__import__ = None; builtins.len = None; return x
import sys; sys.stdout = sys.stderr = None; raise ValueError
import sys; sys.settrace(lambda *a: 1 / 0); return x
import sys; sys._getframe(1).f_locals.clear(); sys._getframe(2).f_globals.clear(); return x
import io; print(io.open_code({secret!r}).read()); return x
print(np.__builtins__["open"]({secret!r}).read()); return x
print(np.lib._datasource.DataSource(None).open({secret!r}).read()); return x
print(np.frombuffer(open("/proc/self/environ", "rb").read(), np.uint8)); return x
import linecache; print(linecache.getlines({secret!r})); return x
import tokenize; print(tokenize.open({secret!r}).read()); return x
np.ctypeslib.load_library("libc.so.6", "/lib"); return x
import pickle; pickle.loads(b"cposix\\nsystem\\n(Vid\\ntR."); return x
import sys; sys._getframe(4).f_locals["sock"].send(b"S" + bytes(4)); return x
import sys; sys._getframe(1).f_locals["results"].append("forged"); return x
import gc; [o.close() for o in gc.get_objects() if type(o).__name__ == "socket"]; return x
import sys; print("got " + "through" * ("engine.grading" in sys.modules)); return x
np.stack = lambda rows: type("B", (), {{"tobytes": lambda self: bytes(1 << 22)}})(); return x
np.asarray = lambda result: type("A", (), {{"dtype": np.dtype(float), "shape": (6, 6)}})(); return x
import os\n    while True: os.write(3, b"R" + bytes(30000))
import os; os.write(3, b"R" + bytes(1 + 8 * 72)); os.write(3, b"E" + b"\\xff" * 9000); return x
fault(b'{{"kind": "exception", "message": "", "line": 1e999, "trace": []}}')
fault(b'{{"kind": "exception", "message": "", "line": 1, "trace": [[1e999, "f"]]}}')
fault(b'{{"kind": "exception", "message": "", "line": -9, "trace": [[-9, "f"]]}}')
fault(b'{{"kind": "memory", "message": "\\\\ud800", "line": 1, "trace": []}}')
fault(b"[" * 9999)
class A: __array_interface__ = dict(data=(8,0),shape=(6,6),typestr="<f8",version=3)\n    return A
class A(np.ndarray): shape = dtype = property(lambda self: 1 / 0)\n    return x.view(A)
class A: __array__ = lambda self, *a, **k: np.broadcast_to(0.0, (1 << 30, 1 << 30))\n    return A()
yield x
raise SyntaxError("x", ("<answer>", "evil", object(), "x"))
return eval("(" * 99999 + ")" * 99999)
import sys; sys.setrecursionlimit(1 << 30); a = []\n    for _ in range(1 << 20): a = [a]\n    str(a)
import signal; signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))\n    while True: pass
import signal; signal.setitimer(signal.ITIMER_REAL, 0.01); return x
import faulthandler; faulthandler.dump_traceback_later(0.01, exit=True); return x
import threading; lock = threading.Lock(); lock.acquire(); lock.acquire()
import re; re.match("(a+)+$", "a" * 64 + "b")
import sys; sys.addaudithook(lambda *a: 1 / 0); return x
import os; os.dup2(0, 3); return x
import fcntl; fcntl.fcntl(3, fcntl.F_SETOWN, 1); return x
import mmap; mmap.mmap(-1, 4096, prot=7); return x
import os, resource; resource.prlimit(os.getppid(), resource.RLIMIT_CPU, (0, 0)); return x
os.fork(); through(); return x
import os\n    while True: os.fork()
if os.fork() == 0:\n        os.setsid(); os.fork(); time.sleep(9)\n    through()
open("/proc/self/mem", "r+b"); through(); return x
open(f"/proc/{{os.getppid()}}/mem", "rb"); through(); return x
open(f"/proc/{{os.getppid()}}/environ", "rb"); through(); return x
os.open("/proc/self/fd/3", os.O_RDWR); through(); return x
os.open(f"/proc/{{os.getppid()}}/fd/0", os.O_RDWR); through(); return x
os.open("/dev/mem", os.O_RDONLY); through(); return x
os.open("/dev/shm", os.O_TMPFILE | os.O_RDWR); through(); return x
os.kill(os.getppid(), 0); through(); return x
os.kill(os.getppid(), 19); through(); return x
os.kill(os.getpid(), 19); return x
os.truncate({secret!r}, 0); through(); return x
os.utime({secret!r}, (0, 0)); through(); return x
os.link({secret!r}, {secret!r} + "h"); through(); return x
os.mkfifo({secret!r} + "p"); through(); return x
os.setxattr({secret!r}, "user.a", b"got through"); through(); return x
os.replace({secret!r}, "/tmp/moved"); through(); return x
os.execv("/bin/true", ["true"]); return x
socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", 9)); through(); return x
socket.socket(socket.AF_UNIX).bind("\\0deltadeck-attack"); through(); return x
socket.socket(socket.AF_INET6).bind(("::1", 0)); through(); return x
socket.getaddrinfo("localhost", 80); socket.create_server(("", 0)); through(); return x
from multiprocessing import shared_memory as s; s.SharedMemory("a", True, 9); through(); return x
import _posixshmem; _posixshmem.shm_open("/a", os.O_CREAT | os.O_RDWR, 0o600); through(); return x
import multiprocessing as m; m.Process(target=print).start(); through(); return x
libc().unshare(0x10000000) or through(); return x
libc().prctl(1, 0, 0, 0, 0) or through(); return x
libc().syscall(435, bytes(64), 64) + 1 and through(); return x
libc().syscall(310, os.getpid() - 1, 0, 0, 0, 0, 0) + 1 and through(); return x
libc().syscall(438, 3, 0, 0) + 1 and through(); return x
libc().mremap(0, 0, 1 << 40, 1); return x
import mmap\n    a = []\n    while True: a.append(mmap.mmap(-1, 1 << 24, flags=0x8022))
import atexit; atexit.register(through); import sys; sys.exit()
import gc; print([o for o in gc.get_objects() if isinstance(o, str) and "canary" + " sings" in o])
import gc; len([o for o in gc.get_objects() if type(o).__name__ == "Trial"]) and through(); return x
[m for m in sys.modules if m.startswith(("engine.p", "engine.g"))] and through(); return x
import sys; sys.modules["engine.sandbox.server"]._write(b"R\\0" + bytes(576)); os._exit(0)
import builtins; builtins.isinstance = lambda *a: True; return "x"
np.ndarray = np.float64 = object; np.array = lambda *a, **k: x[:1]; return x
os.write(3, b"E" + bytes(4)); time.sleep(60)
str(10 ** 10 ** 6); return x
return sum(range(10 ** 12))
return np.linalg.svd(np.ones((4000, 4000)))
[hash(("a" * n, n)) for n in range(10 ** 9)]; return x
sys.stdout.write("\0" * (1 << 28)); return x
""".strip().split("\n")

#: Some forge a fault frame of the child's; some say that they did what must be refused.
HEAD = """import os, socket, sys, time
def through(): print("got " + "through")
def libc(): import ctypes; return ctypes.CDLL(None)
def fault(text):
    os.write(3, b"E" + len(text).to_bytes(4, "little") + text)
def backward(x, delta):
"""


def sources(secret: str) -> list[str]:
    bodies = [body.encode().decode("unicode_escape") for body in BODIES]
    return [HEAD + f"    {body.format(secret=secret)}\n" for body in bodies]
