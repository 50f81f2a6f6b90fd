import { Tallyhand } from '@tallyhand/client';

// Repeats a call after a lost connection, 429 and 5xx, and waits as long as Retry-After says.
const client = new Tallyhand({
  baseUrl: 'https://tallyhand.example.com',
  apiKey: process.env.TALLYHAND_API_KEY,
  retries: 5,
});

// Each call has a key of its own by default. With this one it also happens once if the whole
// program runs again.
const { taskId } = await client.agents.execute(
  process.env.AGENT_ID,
  { input: 'How long may order 4711 be returned?' },
  { idempotencyKey: 'order-4711' },
);
console.log(`TASK_ID=${taskId}`);
