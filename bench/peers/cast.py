"""The cast benchmark for LangGraph: a loop over work items with two programs each, checkpointed to SQLite at every step.

    cast.py DATABASE ITEMS PROGRAM TEXT

Prints the seconds per step, without the start of Python. Durability is `sync`: a checkpoint is written before the
next step begins, and SQLite syncs every commit (WAL with synchronous=FULL, which is its default).
"""

import json
import sqlite3
import subprocess
import sys
import time
from typing import TypedDict

from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, StateGraph

database, count, program, text = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4]


class State(TypedDict):
    items: list
    index: int
    satisfied: bool


def call(state):
    line = json.dumps({"state": state, "item": state["items"][state["index"]]})
    done = subprocess.run([program, text], input=line.encode(), capture_output=True, check=True)
    return json.loads(done.stdout)["satisfied"]


def one(state):
    return {"satisfied": call(state)}


def two(state):
    return {"satisfied": call(state), "index": state["index"] + 1}


graph = StateGraph(State)
graph.add_node("one", one)
graph.add_node("two", two)
graph.add_edge(START, "one")
graph.add_edge("one", "two")
graph.add_conditional_edges("two", lambda state: "one" if state["index"] < len(state["items"]) else END)
connection = sqlite3.connect(database, check_same_thread=False)
connection.execute("PRAGMA synchronous=FULL")
app = graph.compile(checkpointer=SqliteSaver(connection))
items = [{"title": f"Item {i}", "context": f"Finish item {i}."} for i in range(count)]
settings = {"configurable": {"thread_id": "1"}, "recursion_limit": 10 * count + 100}
began = time.monotonic()
end = app.invoke({"items": items, "index": 0, "satisfied": False}, settings, durability="sync")
took = time.monotonic() - began
assert end["index"] == count
print(took / (2 * count))
