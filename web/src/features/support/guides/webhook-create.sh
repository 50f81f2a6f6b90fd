curl --silent --show-error --fail-with-body \
  https://tallyhand.example.com/api/webhook-endpoints \
  -H "Authorization: Bearer $TALLYHAND_API_KEY" \
  -H 'Content-Type: application/json' \
  -d "{\"url\": \"$RECEIVER_URL\", \"events\": [\"TaskSucceeded\"]}" |
  jq -r '"WEBHOOK_SECRET=" + .secret'
