import type { AddressInfo } from 'node:net';
import { openPool } from '@tallyhand/service-kit/postgres/pool';
import Fastify from 'fastify';

const CONNECTIONS = 10;

/** A process of its own, as the product is: a route that inserts one row, and nothing around it. */
const [url = ''] = process.argv.slice(2);
const pool = openPool(url, CONNECTIONS);
await pool.query('create table tasks (id bigserial primary key, input text not null)');

const app = Fastify();
app.post('/tasks', async (request) => {
  const { input } = request.body as { input: string };
  const { rows } = await pool.query('insert into tasks (input) values ($1) returning id', [input]);
  return rows[0];
});
app.get('/tasks/count', async () => {
  const { rows } = await pool.query('select count(*)::int as count from tasks');
  return rows[0];
});
await app.listen({ host: '127.0.0.1', port: 0 });
process.once('disconnect', () => process.exit(0));
process.send?.(`http://127.0.0.1:${(app.server.address() as AddressInfo).port}`);
