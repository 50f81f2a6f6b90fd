import pg from 'pg';

/** Keeps the projector from writing to the audit log, until it is released. */
export async function holdAuditLog(databaseUrl: string) {
  const holder = new pg.Client({ connectionString: databaseUrl });
  await holder.connect();
  await holder.query('begin');
  await holder.query('lock table read_model.audit_entries in share mode');
  return { release: () => holder.query('commit'), [Symbol.asyncDispose]: () => holder.end() };
}
