import type { AddressInfo } from 'node:net';
import { openPool } from '@tallyhand/service-kit/postgres/pool';
import Fastify from 'fastify';

const CONNECTIONS = 10;

/** A process of its own: a route that asks a model and inserts one row, and nothing around it. */
const { databaseUrl, modelUrl } = JSON.parse(process.argv[2] ?? '{}');
const pool = openPool(databaseUrl, CONNECTIONS);
await pool.query('create table tasks (id bigserial primary key, input text, output text)');

const app = Fastify();
app.post('/tasks', async (request) => {
  const { input } = request.body as { input: string };
  const response = await fetch(`${modelUrl}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'stub', messages: [{ role: 'user', content: input }] }),
  });
  const { choices } = (await response.json()) as { choices: { message: { content: string } }[] };
  const { rows } = await pool.query(
    'insert into tasks (input, output) values ($1, $2) returning id',
    [input, choices[0]?.message.content],
  );
  return rows[0];
});
app.get('/tasks/count', async () => {
  const { rows } = await pool.query('select count(*)::int as count from tasks');
  return rows[0];
});
await app.listen({ host: '127.0.0.1', port: 0 });
process.once('disconnect', () => process.exit(0));
process.send?.(`http://127.0.0.1:${(app.server.address() as AddressInfo).port}`);
