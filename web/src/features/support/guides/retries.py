import os
import time

import requests

ATTEMPTS = 6


def execute(agent_id, task, key):
    """Happens once, however often it is sent: each attempt has the same key."""
    for attempt in range(ATTEMPTS):
        wait = 2**attempt
        try:
            response = requests.post(
                f"https://tallyhand.example.com/api/agents/{agent_id}/execute",
                headers={
                    "Authorization": f"Bearer {os.environ['TALLYHAND_API_KEY']}",
                    "Idempotency-Key": key,
                },
                json=task,
                timeout=150,
            )
        except requests.RequestException:
            if attempt == ATTEMPTS - 1:
                raise
        else:
            may_pass = response.status_code == 429 or response.status_code >= 500
            if not may_pass or attempt == ATTEMPTS - 1:
                response.raise_for_status()
                return response.json()
            wait = int(response.headers.get("Retry-After", wait))
        time.sleep(wait)


question = {"input": "How long may order 4711 be returned?"}
result = execute(os.environ["AGENT_ID"], question, "order-4711")
print(f"TASK_ID={result['taskId']}")
