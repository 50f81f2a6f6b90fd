/** The playbooks of the demo's agents, each assigned to the named ones. */
export const demoPlaybooks = [
  {
    agents: ['Support desk'],
    playbook: {
      title: 'Refund a customer',
      description: 'What is done when somebody sends something back and wants the money',
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
