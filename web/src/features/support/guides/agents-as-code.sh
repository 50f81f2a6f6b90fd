# Needs Node 20.19 or newer, and the command line:
# npm install --global https://tallyhand.example.com/downloads/tallyhand-cli.tgz
set -euo pipefail
export TALLYHAND_URL=https://tallyhand.example.com

mkdir -p support/agents support/articles
cat > support/articles/returns.yaml <<'END'
title: Returns
category: General
content: |
  Items can be returned within 30 days of delivery.
END
cat > support/agents/support-desk.yaml <<'END'
name: Support desk
description: Answers the questions of customers
personaConfig:
  role: Support agent
  personality: Patient and kind
  expertise: [Returns]
articles: [Returns]
END

tallyhand diff support
tallyhand apply support
tallyhand run "Support desk" "Within how many days can items be returned?"

# A second apply changes nothing, so a build server may run it for each commit.
tallyhand apply support
