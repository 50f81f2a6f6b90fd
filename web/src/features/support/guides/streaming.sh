curl --no-buffer --silent --show-error --fail-with-body \
  "https://tallyhand.example.com/api/agents/$AGENT_ID/chat" \
  -H "Authorization: Bearer $TALLYHAND_API_KEY" \
  -H 'Content-Type: application/json' \
  -H 'Accept: text/event-stream' \
  -d '{"message": "Within how many days can items be returned?"}'
