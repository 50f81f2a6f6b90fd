# Needs curl and jq.
set -euo pipefail

headers=$(mktemp)
address='https://tallyhand.example.com/api/tasks?limit=2'
while [ -n "$address" ]; do
  curl --silent --show-error --fail-with-body --dump-header "$headers" "$address" \
    -H "Authorization: Bearer $TALLYHAND_API_KEY" |
    jq -r '.[] | "\(.createdAt) \(.status) \(.input)"'
  next=$(sed -n 's/^link: <\([^>]*\)>; rel="next".*/\1/Ip' "$headers")
  address=${next:+https://tallyhand.example.com$next}
done
