import os

import requests

response = requests.post(
    "https://tallyhand.example.com/api/webhook-endpoints",
    headers={"Authorization": f"Bearer {os.environ['TALLYHAND_API_KEY']}"},
    json={"url": os.environ["RECEIVER_URL"], "events": ["TaskSucceeded"]},
    timeout=30,
)
response.raise_for_status()
print(f"WEBHOOK_SECRET={response.json()['secret']}")
