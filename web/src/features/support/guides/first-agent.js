// npm install https://tallyhand.example.com/downloads/tallyhand-client.tgz
import { Tallyhand } from '@tallyhand/client';

const client = new Tallyhand({
  baseUrl: 'https://tallyhand.example.com',
  apiKey: process.env.TALLYHAND_API_KEY,
});

const agent = await client.agents.create({
  name: 'Support desk',
  description: 'Answers the questions of customers',
  personaConfig: {
    role: 'Support agent',
    personality: 'Patient and kind',
    expertise: ['Returns'],
  },
});
const article = await client.articles.create({
  title: 'Returns',
  content: 'Items can be returned within 30 days of delivery.',
  category: 'General',
});
await client.agents.assign(agent.id, { articles: [article.id] });

const input = 'Within how many days can items be returned?';
const { output } = await client.agents.execute(agent.id, { input });
console.log(output);
console.log(`AGENT_ID=${agent.id}`);
