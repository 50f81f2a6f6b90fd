import {
  ApiError,
  isProblem,
  Tallyhand,
  type Task,
  verifyWebhook,
  WebhookSignatureError,
} from '@tallyhand/client';

/*
 * What a stranger writes with the client library: the test copies it into a fresh project.
 * `faultyUrl` leads to the product by a proxy that loses the answer of the first execution.
 */

const [, , baseUrl = '', faultyUrl = ''] = process.argv;
const apiKey = process.env.TALLYHAND_API_KEY;
const client = new Tallyhand({ baseUrl, apiKey });
const QUESTION = 'Within how many days can items be returned?';

async function codeOf(call: Promise<unknown>): Promise<string | undefined> {
  try {
    await call;
    return 'no error';
  } catch (error) {
    return error instanceof ApiError ? `${error.status} ${error.code}` : String(error);
  }
}

const agent = await client.agents.create({
  name: 'Support',
  description: 'Answers customers',
  personaConfig: { role: 'Support agent', personality: 'Patient and kind', expertise: ['Returns'] },
});
const article = await client.articles.create({
  title: 'Returns',
  content: 'Items can be returned within 30 days of delivery.',
  category: 'General',
});
await client.agents.assign(agent.id, { articles: [article.id] });

/** The answer of the first attempt is lost on the way. */
async function retried() {
  const faulty = new Tallyhand({ baseUrl: faultyUrl, apiKey });
  const { output, creditCost } = await faulty.agents.execute(agent.id, { input: QUESTION });
  const tasks: Task[] = [];
  for await (const task of faulty.tasks.list({ q: QUESTION })) tasks.push(task);
  return { output, creditCost, tasks: tasks.length };
}

async function paged() {
  const names = ['One', 'Two', 'Three', 'Four', 'Five'];
  for (const title of names) {
    await client.articles.create({ title, content: 'A text of an article.', category: 'General' });
  }
  const titles: string[] = [];
  for await (const { title } of client.articles.list({ limit: 2 })) titles.push(title);
  return titles;
}

async function aborted() {
  const abort = new AbortController();
  const call = client.agents.execute(agent.id, { input: 'Later' }, { signal: abort.signal });
  abort.abort(new Error('I left'));
  return call.then(String, String);
}

async function chatted() {
  const events: string[] = [];
  let text = '';
  for await (const event of client.agents.chatStream(agent.id, { message: QUESTION })) {
    events.push(event.event);
    if (event.event === 'text') text += event.data.piece;
    if (event.event === 'reply') return { events: [...new Set(events)], text, reply: event.data };
  }
  return null;
}

/** Deliveries come to the test, which asks for their check as a receiver would. */
async function delivered() {
  const { secret } = await client.webhookEndpoints.create({
    url: `${faultyUrl}/hook`,
    events: ['AgentCreated'],
  });
  await client.agents.create({ ...agentInput(), name: 'Delivered' });
  const delivery = (await (await fetch(`${faultyUrl}/hook`)).json()) as {
    body: string;
    headers: Record<string, string>;
  };
  const event = await verifyWebhook(delivery.body, delivery.headers, secret);
  const forged = await verifyWebhook(`${delivery.body} `, delivery.headers, secret).catch(
    (error: unknown) => error instanceof WebhookSignatureError,
  );
  return { name: event.type === 'AgentCreated' ? event.data.data.name : null, forged };
}

const agentInput = () => ({
  name: agent.name,
  description: agent.description,
  personaConfig: agent.personaConfig,
});

/** Every credit is set aside before one is missing. */
async function exhausted() {
  for (let count = 0; count < 200; count += 1) {
    try {
      await client.agents.execute(agent.id, { input: 'Again' }, { wait: false });
    } catch (error) {
      return isProblem(error, 'agents.execute') ? error.code : String(error);
    }
  }
  return null;
}

const wrongKey = new Tallyhand({ baseUrl, apiKey: 'th_wrong' });
console.log(
  JSON.stringify({
    wrongKey: await codeOf(wrongKey.agents.list()),
    invalid: await codeOf(client.agents.execute(agent.id, { input: '' })),
    unknown: await codeOf(client.agents.retrieve('0193a1b2-0000-7000-8000-000000000001')),
    retried: await retried(),
    paged: await paged(),
    aborted: await aborted(),
    chatted: await chatted(),
    delivered: await delivered(),
    exhausted: await exhausted(),
  }),
);
