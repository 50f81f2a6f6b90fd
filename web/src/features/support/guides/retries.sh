# curl waits as long as Retry-After says. Without that header it waits 1, 2, 4, … seconds.
# Of 4xx it repeats only 408 and 429.
curl --silent --show-error --fail-with-body --retry 5 --retry-connrefused \
  "https://tallyhand.example.com/api/agents/$AGENT_ID/execute" \
  -H "Authorization: Bearer $TALLYHAND_API_KEY" \
  -H 'Content-Type: application/json' \
  -H 'Idempotency-Key: order-4711' \
  -d '{"input": "How long may order 4711 be returned?"}' |
  jq -r '"TASK_ID=" + .taskId'
