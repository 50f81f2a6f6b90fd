import os
from urllib.parse import urljoin

import requests

headers = {"Authorization": f"Bearer {os.environ['TALLYHAND_API_KEY']}"}
address = "https://tallyhand.example.com/api/tasks?limit=2"
while address:
    response = requests.get(address, headers=headers, timeout=30)
    response.raise_for_status()
    for task in response.json():
        print(task["createdAt"], task["status"], task["input"])
    following = response.links.get("next")
    address = following and urljoin(address, following["url"])
