import {
  type AuditEntry,
  listAuditEntries,
} from '@tallyhand/contracts/features/audit/audit.endpoints';
import { registerUser } from '@tallyhand/contracts/features/identity/identity.endpoints';
import { issueInvitation } from '@tallyhand/contracts/features/team/team.endpoints';
import { dayAfter } from '@tallyhand/contracts/kernel/auditor-access';
import { type ApiClient, apiClient, testPassword } from '@tallyhand/test-kit/api-client';
import pg from 'pg';

/** A day so many days from today, in UTC. */
export const inDays = (days: number) => dayAfter(new Date(), days);

/** Moves the end of an Auditor's access, as the passing of time would. */
export async function endAccessAt(databaseUrl: string, userId: string, at: string): Promise<void> {
  const db = new pg.Client({ connectionString: databaseUrl });
  await db.connect();
  await db.query('update operational.access set access_until = $2 where user_id = $1', [
    userId,
    at,
  ]);
  await db.end();
}

/** What Auditors did, newest first, as the audit log shows it to an Admin. */
export async function auditorCalls(admin: ApiClient) {
  const query = { kind: 'AuditorCalled' };
  const { body } = await admin.call<AuditEntry[]>(listAuditEntries, { query });
  return body.map(({ actor, count, changes }) => ({
    by: actor.id,
    kind: actor.kind,
    count,
    ...Object.fromEntries(changes.map(({ field, after }) => [field, after])),
  }));
}

/** An Auditor who accepted an invitation with this last day. */
export async function joinUpTo(admin: ApiClient, url: string, lastDay: string) {
  const email = `${crypto.randomUUID()}@example.com`;
  const invited = { email, role: 'Auditor', lastDay };
  const { body } = await admin.call<{ token: string }>(issueInvitation, { body: invited });
  const client = apiClient(url);
  const account = { email, username: 'The auditor', password: testPassword, invite: body.token };
  const joined = await client.call<{ user: { id: string } }>(registerUser, { body: account });
  return { client, email, userId: joined.body.user.id };
}
