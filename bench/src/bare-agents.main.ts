import type { AddressInfo } from 'node:net';
import type { Agent } from '@tallyhand/contracts/features/agents/agents.endpoints';
import { inTransaction, openPool } from '@tallyhand/service-kit/postgres/pool';
import Fastify from 'fastify';

/** As many as the query service has. */
const CONNECTIONS = 10;

const SELECT = `select id, name, description, persona as "personaConfig", is_active as "isActive",
  model, form_policy as "formPolicy", version, created_at as "createdAt", updated_at as "updatedAt"
  from agents`;

/**
 * A process of its own: one table of agents behind Fastify, with nothing around it. No sign-in, no
 * organizations, and events are rows beside the agents.
 */
const { databaseUrl } = JSON.parse(process.argv[2] ?? '{}');
const pool = openPool(databaseUrl, CONNECTIONS);
await pool.query(`
  create table agents (id uuid primary key, name text not null, description text not null,
    persona jsonb not null, is_active boolean not null, model jsonb, form_policy text not null,
    version int not null, created_at timestamptz not null, updated_at timestamptz not null);
  create index on agents (created_at desc, id desc);
  create table events (position bigserial primary key, data jsonb not null)`);

const app = Fastify();
app.post('/agents', (request, reply) => {
  const agent = request.body as Agent;
  return inTransaction(pool, async (client) => {
    await client.query({
      name: 'append',
      text: 'insert into events (data) values ($1)',
      values: [JSON.stringify(agent)],
    });
    await client.query({
      name: 'upsert',
      text: `insert into agents values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
        on conflict (id) do update set name = excluded.name`,
      values: [
        agent.id,
        agent.name,
        agent.description,
        JSON.stringify(agent.personaConfig),
        agent.isActive,
        agent.model && JSON.stringify(agent.model),
        agent.formPolicy,
        agent.version,
        agent.createdAt,
        agent.updatedAt,
      ],
    });
    reply.code(201);
    return agent;
  });
});
app.get('/agents/:id', async (request) => {
  const { id } = request.params as { id: string };
  const { rows } = await pool.query({ name: 'one', text: `${SELECT} where id = $1`, values: [id] });
  return rows[0];
});
app.get('/agents', async (request) => {
  const { limit } = request.query as { limit: string };
  const text = `${SELECT} order by created_at desc, id desc limit $1`;
  const { rows } = await pool.query({ name: 'list', text, values: [Number(limit)] });
  return rows;
});
await app.listen({ host: '127.0.0.1', port: 0 });
process.once('disconnect', () => process.exit(0));
process.send?.(`http://127.0.0.1:${(app.server.address() as AddressInfo).port}`);
