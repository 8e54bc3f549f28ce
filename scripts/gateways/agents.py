"""Agents that work through gateways, with OpenAI's client library.

usage: agents.py NAME=URL...    for each gateway its name and its base URL

Through each gateway, at the same time:
  stuck, healthy, poller  an agent that calls tools as its model tells it: the
                          same file again and again, one file after the other, a
                          job that makes progress
  outage1, outage2        agents whose harness repeats a failed request
  models                  GET /v1/models

The model behind the gateways tells them apart by their first message, and each
agent by its session, which is AGENT-GATEWAY.
"""

import itertools
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import openai.resources  # noqa: F401  else it is imported by the threads, at first use
from openai import InternalServerError, OpenAI

ROUNDS = 8
PAUSE = 0.2  # seconds

TOOLS = [
    {"type": "function", "function": {"name": name, "parameters": {"type": "object", "properties": {argument: {}}}}}
    for name, argument in [("read_file", "path"), ("job_status", "job")]
]


def ask(client, messages):
    while True:
        try:
            return client.chat.completions.create(model="mock-1", messages=messages, tools=TOOLS).choices[0].message
        except InternalServerError:
            time.sleep(PAUSE)


def work(client, session):
    messages = [
        {"role": "system", "content": "You are a careful engineer."},
        {"role": "user", "content": f"I am {session}. Please begin."},
    ]
    for round in range(ROUNDS):
        answer = ask(client, messages)
        messages.append(answer.model_dump(exclude_none=True))
        if not answer.tool_calls:
            return
        for call in answer.tool_calls:
            result = f"{round * 10} % done" if call.function.name == "job_status" else f"{call.function.arguments}: no such file"
            messages.append({"role": "tool", "tool_call_id": call.id, "content": result})
        time.sleep(PAUSE)


def poll(client, _):
    for _ in range(ROUNDS):
        client.models.list()
        time.sleep(PAUSE)


def begin(agent, gateway):
    name, url = gateway.split("=", 1)
    session = f"{agent}-{name}"
    client = OpenAI(
        base_url=url,
        api_key=f"sk-{agent}",
        max_retries=0,
        timeout=300,
        default_headers={"x-session-id": session},
    )
    return poll if agent == "models" else work, client, session


AGENTS = ["stuck", "healthy", "poller", "outage1", "outage2", "models"]

# In one thread: several may wait for each other for ever to import what a client
# needs, which is imported when it is made.
begun = [begin(*p) for p in itertools.product(AGENTS, sys.argv[1:])]
with ThreadPoolExecutor(max_workers=64) as pool:
    for done in [pool.submit(*b) for b in begun]:
        done.result()
