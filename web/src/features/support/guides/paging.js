import { Tallyhand } from '@tallyhand/client';

const client = new Tallyhand({
  baseUrl: 'https://tallyhand.example.com',
  apiKey: process.env.TALLYHAND_API_KEY,
});

// Requests the next page when the loop gets there.
for await (const task of client.tasks.list({ limit: 2 })) {
  console.log(task.createdAt, task.status, task.input);
}
