const manner = {
  personality: 'Patient and precise; says so when it does not know',
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
