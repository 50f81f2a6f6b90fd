import json
import os

import requests

response = requests.post(
    f"https://tallyhand.example.com/api/agents/{os.environ['AGENT_ID']}/chat",
    headers={
        "Authorization": f"Bearer {os.environ['TALLYHAND_API_KEY']}",
        "Accept": "text/event-stream",
    },
    json={"message": "Within how many days can items be returned?"},
    stream=True,
    timeout=60,
)
response.raise_for_status()

event = None
for line in response.iter_lines():
    field, _, value = line.decode().partition(": ")
    if field == "event":
        event = value
    elif field == "data":
        data = json.loads(value)
        if event == "text":
            print(data["piece"], end="", flush=True)
        elif event == "reply":
            print("\nSources:", len(data["sources"]))
        elif event == "failed":
            raise SystemExit(data["detail"])
