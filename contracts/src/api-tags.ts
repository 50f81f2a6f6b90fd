/** What the calls of each feature are about, for readers of the API document. */
export const apiTags = {
  agents: 'Agents: their persona, the resources that they may use, and their history.',
  'api-keys': 'API keys, each with a role, an expiry and its own request limit.',
  audit:
    'The audit log: every event of the organization, exports with proofs, and what was deleted.',
  changes: 'What changes in the organization, as a stream.',
  chat: 'Conversations with agents. Chat costs no credits.',
  credits: 'Credits: the ledger, usage, monthly limits, packages, purchases, receipts and checks.',
  identity: 'Accounts: registration, sign-in, password, two-factor authentication and erasure.',
  knowledge: 'Articles that agents answer from, written or imported.',
  mailboxes: 'Mailboxes whose email agents answer.',
  notifications: 'Notifications of the caller, and which of them are sent by email.',
  organizations: 'The organization of the caller and its figures.',
  playbooks: 'Playbooks: instructions that an agent follows step by step.',
  search: 'Search across agents, articles, playbooks, tools, tasks, sessions and members.',
  sessions: 'Autonomous browsing sessions: start, watch, take over and export.',
  status: 'Whether the product works.',
  support: 'Messages to the operator, and support tickets.',
  tasks: 'Tasks that agents run, one credit each; failed tasks cost nothing.',
  team: 'Members, their roles, invitations and outgoing email.',
  tools: 'Tools that agents call: HTTP APIs, scripts and the browser.',
  webhooks: 'Webhooks: signed deliveries of events, their attempts and redelivery.',
} as const;
