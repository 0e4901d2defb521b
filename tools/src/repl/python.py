# Runs pieces of code that come as lines of JSON on descriptor 3, and answers each with one on descriptor 4. What the code
# itself writes goes to descriptors 1 and 2, and there is nothing to read on 0.
import ast
import json
import linecache
import os
import signal
import sys
import traceback
import types

VALUE_CHARS_MAX = 100_000
TOP_LEVEL_AWAIT = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
COROUTINE = 0x80


def start():
    requests, answers = os.fdopen(3, "r", encoding="utf-8"), os.fdopen(4, "w", encoding="utf-8")
    # Programs that the code starts must hold neither.
    os.set_inheritable(3, False)
    os.set_inheritable(4, False)
    main = types.ModuleType("__main__")
    sys.modules["__main__"] = main
    sys.argv = [""]
    sys.path.insert(0, "")
    serve(requests, answers, main.__dict__)


def serve(requests, answers, names):
    me, number, loops = os.getpid(), 0, []
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    answers.write(json.dumps({"nonce": "ready"}) + "\n")
    answers.flush()
    for line in requests:
        request, number = json.loads(line), number + 1
        answer = {"nonce": request["nonce"]}
        try:
            try:
                signal.signal(signal.SIGINT, signal.default_int_handler)
                value = run(request["code"], f"<cell {number}>", names, loops)
                if value is not None:
                    names["_"] = value
                    answer["value"] = cut(repr(value))
            finally:
                signal.signal(signal.SIGINT, signal.SIG_IGN)
        except BaseException as error:
            answer["error"] = cut(told(error))
        if os.getpid() != me:
            # A copy of the process that the code made and that came to its end: the other one answers.
            os._exit(0)
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except Exception:
                pass
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


def run(code, name, names, loops):
    linecache.cache[name] = (len(code), None, code.splitlines(True), name)
    tree = ast.parse(code, name)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    if tree.body:
        done(compile(tree, name, "exec", TOP_LEVEL_AWAIT), names, loops)
    if last is not None:
        return done(compile(ast.Expression(last.value), name, "eval", TOP_LEVEL_AWAIT), names, loops)
    return None


def done(code, names, loops):
    value = eval(code, names)
    if not code.co_flags & COROUTINE:
        return value
    if not loops:
        import asyncio

        loops.append(asyncio.new_event_loop())
    return loops[0].run_until_complete(value)


def told(error):
    trace = error.__traceback__
    while trace is not None and not trace.tb_frame.f_code.co_filename.startswith("<cell "):
        trace = trace.tb_next
    try:
        return "".join(traceback.format_exception(type(error), error, trace)).rstrip("\n")
    except BaseException:
        return type(error).__name__


def cut(text):
    text = text.encode("utf-8", "replace").decode("utf-8")
    if len(text) <= VALUE_CHARS_MAX:
        return text
    return f"{text[:VALUE_CHARS_MAX]}… {len(text) - VALUE_CHARS_MAX} more characters"


start()
