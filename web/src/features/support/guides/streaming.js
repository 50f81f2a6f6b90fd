import { Tallyhand } from '@tallyhand/client';

const client = new Tallyhand({
  baseUrl: 'https://tallyhand.example.com',
  apiKey: process.env.TALLYHAND_API_KEY,
});

const message = 'Within how many days can items be returned?';
for await (const { event, data } of client.agents.chatStream(process.env.AGENT_ID, { message })) {
  if (event === 'text') process.stdout.write(data.piece);
  if (event === 'reply') console.log('\nSources:', data.sources.length);
}
