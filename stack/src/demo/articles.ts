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
