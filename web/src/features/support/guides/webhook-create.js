import { Tallyhand } from '@tallyhand/client';

const client = new Tallyhand({
  baseUrl: 'https://tallyhand.example.com',
  apiKey: process.env.TALLYHAND_API_KEY,
});

const { secret } = await client.webhookEndpoints.create({
  url: process.env.RECEIVER_URL,
  events: ['TaskSucceeded'],
});
console.log(`WEBHOOK_SECRET=${secret}`);
