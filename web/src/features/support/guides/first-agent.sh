# Needs curl and jq. Stops at the first refusal and prints it.
set -euo pipefail

call() {
  curl --silent --show-error --fail-with-body "https://tallyhand.example.com$1" \
    -H "Authorization: Bearer $TALLYHAND_API_KEY" \
    -H 'Content-Type: application/json' -d "$2"
}

AGENT_ID=$(call /api/agents '{
  "name": "Support desk",
  "description": "Answers the questions of customers",
  "personaConfig": {
    "role": "Support agent",
    "personality": "Patient and kind",
    "expertise": ["Returns"]
  }
}' | jq -r .id)

ARTICLE_ID=$(call /api/knowledge '{
  "title": "Returns",
  "content": "Items can be returned within 30 days of delivery.",
  "category": "General"
}' | jq -r .id)

call "/api/agents/$AGENT_ID/assign" "{\"articles\": [\"$ARTICLE_ID\"]}" > /dev/null

call "/api/agents/$AGENT_ID/execute" '{"input": "Within how many days can items be returned?"}' |
  jq -r .output
echo "AGENT_ID=$AGENT_ID"
