import os

import requests

api = requests.Session()
api.headers["Authorization"] = f"Bearer {os.environ['TALLYHAND_API_KEY']}"


def call(path, body):
    url = f"https://tallyhand.example.com{path}"
    response = api.post(url, json=body, timeout=150)
    response.raise_for_status()
    return response.json()


agent = call("/api/agents", {
    "name": "Support desk",
    "description": "Answers the questions of customers",
    "personaConfig": {
        "role": "Support agent",
        "personality": "Patient and kind",
        "expertise": ["Returns"],
    },
})
article = call("/api/knowledge", {
    "title": "Returns",
    "content": "Items can be returned within 30 days of delivery.",
    "category": "General",
})
call(f"/api/agents/{agent['id']}/assign", {"articles": [article["id"]]})

question = {"input": "Within how many days can items be returned?"}
print(call(f"/api/agents/{agent['id']}/execute", question)["output"])
print(f"AGENT_ID={agent['id']}")
