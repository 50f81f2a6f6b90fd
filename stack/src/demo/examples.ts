/** The articles of the demo's agents. */
export const demoArticles = [
  {
    title: 'Returns and refunds',
    category: 'Customer Support',
    tags: ['returns', 'refunds'],
    isPublic: false,
    content: `# Returns and refunds

## How long customers have
Unused goods can be sent back within 30 days of delivery. A Christmas present, bought between
15 November and 24 December, can be sent back until 31 January.

## Who pays for the way back
The customer pays 4.90 dollars for the label, which is taken off the refund. Faulty or wrongly
sent goods travel at our cost.

## When the money comes
Refunds are made within five working days of the parcel's arrival, to the card that was charged.
Gift cards are refunded as gift cards.

## What can't be sent back
Opened food, worn boots and goods made to measure are not taken back.
`,
  },
  {
    title: 'Shipping',
    category: 'Customer Support',
    tags: ['shipping'],
    isPublic: true,
    content: `# Shipping

Orders placed before 14:00 leave the warehouse on the same working day. Standard delivery takes two
to four working days and costs 3.50 dollars; it is free from 60 dollars on. Express delivery arrives
on the next working day and costs 12 dollars. Parcels are not sent to post office boxes.

A tracking number is mailed as soon as the parcel leaves. A parcel that has not moved for five
working days counts as lost: a replacement is sent at once.
`,
  },
  {
    title: 'Warranty and repairs',
    category: 'Technical',
    tags: ['warranty', 'repairs'],
    isPublic: false,
    content: `# Warranty and repairs

Tents, backpacks and stoves carry a warranty of three years, electronics of two. The warranty covers
faults of material and making, not wear, falls or fire.

Repairs after the warranty cost 25 dollars an hour plus parts. The workshop sends an estimate within
three working days and begins only after the customer has agreed.
`,
  },
];

const manner = {
  personality: "Patient and precise; says when it doesn't know",
  communicationStyle: 'friendly',
};

/** The demonstration's agents, with the titles of the articles that each answers from. */
export const demoAgents = [
  {
    articles: ['Returns and refunds', 'Warranty and repairs'],
    agent: {
      name: 'Support desk',
      description: 'Answers what customers ask about returns, shipping and the warranty',
      personaConfig: {
        ...manner,
        role: 'Customer support specialist',
        expertise: ['Customer Support', 'Returns', 'Shipping', 'Warranty'],
        responseFormat: 'concise',
      },
    },
    questions: [
      'Until when can a Christmas present be sent back?',
      'Who pays for the label when something is returned?',
      'How much does express delivery cost?',
      'How long is the warranty on a tent?',
      'Do you sell gift baskets?',
    ],
    tools: [],
    runs: [{ type: 'playbook', input: 'A customer wants money back for a tent' }],
  },
  {
    articles: ['Warranty and repairs'],
    agent: {
      name: 'Workshop',
      description: 'Explains to customers what a repair takes and costs',
      personaConfig: {
        ...manner,
        role: 'Workshop foreman',
        expertise: ['Technical Support'],
        responseFormat: 'structured',
      },
    },
    questions: ['What does a repair cost after the warranty?'],
    tools: ['Delivery date', 'Order lookup'],
    runs: [
      { type: 'tool_run', input: 'Delivery date of a parcel with {"days": 5}' },
      // Without a number there is nothing to look up: an example of a failed task.
      { type: 'tool_run', input: 'Find the order of Ms Berg' },
    ],
  },
  {
    articles: [],
    agent: {
      name: 'Night shift',
      description: 'Waits for its articles, paused until they are written',
      personaConfig: {
        ...manner,
        role: 'Customer support specialist',
        expertise: ['Customer Support'],
        responseFormat: 'conversational',
      },
      isActive: false,
    },
    questions: [],
    tools: [],
    runs: [],
  },
];

/** The playbooks of the demo's agents, each assigned to the named ones. */
export const demoPlaybooks = [
  {
    agents: ['Support desk'],
    playbook: {
      title: 'Refund a customer',
      description: 'How returns and refunds are handled',
      steps: [
        'Find out when the goods were delivered',
        'Say until when they can be sent back',
        'Say who pays for the way back',
        'Say when the money comes',
      ],
      category: 'Customer Support',
      tags: ['returns', 'refunds', 'money', 'customers'],
      estimatedDuration: 15,
    },
  },
  {
    agents: ['Workshop'],
    playbook: {
      title: 'Accept a repair',
      description: 'From the first message until the customer knows what it costs',
      steps: [
        'Ask what is broken and since when',
        'Check whether the warranty still holds',
        'Say what the repair costs and how long it takes',
      ],
      category: 'Operations',
      tags: ['repairs'],
      estimatedDuration: 90,
    },
  },
];

const openapi = JSON.stringify(
  {
    openapi: '3.1.0',
    info: { title: 'Orders', version: '1' },
    paths: {
      '/orders/{number}': {
        get: {
          operationId: 'findOrder',
          summary: 'An order, with the state of its delivery',
          parameters: [{ name: 'number', in: 'path', required: true, schema: { type: 'integer' } }],
        },
      },
      '/orders/{number}/label': {
        post: {
          operationId: 'makeReturnLabel',
          summary: 'A label to send an order back with',
          parameters: [{ name: 'number', in: 'path', required: true, schema: { type: 'integer' } }],
        },
      },
    },
  },
  null,
  2,
);

const script = `// Counts working days, so that a promise of "three days" leaves out the weekend.
const days = Number(input.days ?? 3);
const date = new Date(input.from ?? Date.now());
for (let left = days; left > 0; ) {
  date.setUTCDate(date.getUTCDate() + 1);
  if (date.getUTCDay() % 6 !== 0) left -= 1;
}
return date.toISOString().slice(0, 10);`;

/** The demonstration's tools, one of each type. Their addresses lead nowhere. */
export const demoTools = [
  {
    name: 'Supplier catalogue',
    description: 'Looks up in the catalogue of our tent supplier what is in stock',
    type: 'browser',
    config: { extras: { startUrl: 'https://catalogue.example.com/tents' } },
  },
  {
    name: 'Delivery date',
    description: 'Says on which working day a parcel arrives that is sent today',
    type: 'custom',
    config: { extras: { script } },
  },
  {
    name: 'Order lookup',
    description: 'Finds an order by its number, says where it is, and makes labels for returns',
    type: 'api',
    config: {
      baseUrl: 'https://orders.example.com/v1',
      authType: 'bearer',
      extras: { 'Accept-Language': 'en' },
      openapi,
    },
    authCredentials: { token: 'a-token-of-the-demonstration' },
  },
];
