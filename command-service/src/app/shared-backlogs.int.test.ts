import { newId } from '@tallyhand/service-kit/crypto/ids';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { MailList } from '../features/mailboxes/mail-list.ts';
import { MailboxList } from '../features/mailboxes/mailbox-list.ts';
import { OpenSessions } from '../features/sessions/open-sessions.ts';
import { openTestKit, type TestKit } from '../kit/testing/backends.ts';

const DAY_MS = 86_400_000;
const LEASE_MS = 60_000;
const [flooder, other, third] = [newId(), newId(), newId()];
const worker = newId();
const names = new Map([
  [flooder, 'flooder'],
  [other, 'other'],
  [third, 'third'],
]);

let kit: TestKit;
beforeAll(async () => {
  kit = await openTestKit();
});
afterAll(() => kit[Symbol.asyncDispose]());
beforeEach(() =>
  kit.admin.query(
    `truncate operational.mailboxes, operational.mailbox_mails, operational.open_sessions,
       operational.runners`,
  ),
);

/** The owners, sorted: the order of claiming is not the order of the answer. */
const ownersOf = (rows: readonly { readonly organizationId: string }[]) =>
  rows.map(({ organizationId }) => names.get(organizationId)).toSorted();

describe('mailboxes that are due', () => {
  const list = () => new MailboxList(kit.opened.kit.pool);
  const hold = async (limit: number, perOrganization: number) =>
    ownersOf(await list().hold(worker, LEASE_MS, { limit, perOrganization }));

  async function add(organizationId: string, count: number) {
    for (let index = 0; index < count; index += 1) {
      const mailboxId = newId();
      const place = { mailboxId, organizationId, agentId: newId(), addressKey: mailboxId };
      await list().take({ ...place, canReply: true });
      await list().activate(mailboxId, true);
    }
  }

  it('are polled in turns', async () => {
    await add(flooder, 10);
    await add(other, 1);
    await add(third, 2);
    expect(await hold(4, 100)).toEqual(['flooder', 'flooder', 'other', 'third']);
  });

  it('of one organization never exceed its cap, including those already claimed', async () => {
    await add(flooder, 10);
    expect(await hold(100, 3)).toEqual(['flooder', 'flooder', 'flooder']);
    expect(await hold(100, 3)).toEqual([]);
    await add(other, 1);
    expect(await hold(100, 3)).toEqual(['other']);
  });
});

describe('replies that are due', () => {
  const hold = async (limit: number, perOrganization: number) =>
    ownersOf(await new MailList(kit.opened.kit).hold(worker, LEASE_MS, { limit, perOrganization }));

  async function add(organizationId: string, mailboxes: number, replies: number) {
    const [list, mails] = [new MailboxList(kit.opened.kit.pool), new MailList(kit.opened.kit)];
    for (let index = 0; index < mailboxes; index += 1) {
      const mailboxId = newId();
      const place = { mailboxId, organizationId, agentId: newId(), addressKey: mailboxId };
      await list.take({ ...place, canReply: true });
      await list.activate(mailboxId, true);
      const taskIds = Array.from({ length: replies }, () => newId());
      for (const taskId of taskIds) {
        const answerable = {
          to: 'ada@example.com',
          name: 'Ada',
          subject: 'Hello',
          messageId: null,
          references: [],
          quote: '',
          threadId: null,
        };
        const mail = { mailboxId, mailId: newId(), organizationId, taskId, answerable };
        await mails.add({ ...mail, about: null });
        await mails.tookIn(mail);
      }
      await mails.tasksEnded(taskIds, []);
    }
  }

  it('are sent in turns, and one after the other in a mailbox', async () => {
    await add(flooder, 5, 2);
    await add(other, 1, 2);
    expect(await hold(3, 100)).toEqual(['flooder', 'flooder', 'other']);
    expect(await hold(100, 100)).toEqual(['flooder', 'flooder', 'flooder']);
    expect(await hold(100, 100)).toEqual([]);
  });

  it('of one organization never exceed its cap', async () => {
    await add(flooder, 5, 1);
    expect(await hold(100, 2)).toEqual(['flooder', 'flooder']);
    await add(other, 1, 1);
    expect(await hold(100, 2)).toEqual(['other']);
  });
});

describe('sessions that wait', () => {
  const sessions = () => new OpenSessions(kit.opened.kit.pool);
  const runnerId = newId();

  async function add(organizationId: string, count: number) {
    const deadline = new Date(Date.now() + DAY_MS).toISOString();
    for (let index = 0; index < count; index += 1) {
      await sessions().add({ sessionId: newId(), organizationId, deadline });
    }
  }

  async function claim(free: number) {
    const ids = await sessions().claim(runnerId, free);
    const { rows } = await kit.admin.query<{ organizationId: string }>(
      `select organization_id as "organizationId" from operational.open_sessions
       where session_id = any($1)`,
      [ids],
    );
    return ownersOf(rows);
  }

  it('leave a place of the runners to other organizations', async () => {
    await sessions().recordPoll({ runnerId, address: 'http://127.0.0.1:1', free: 4, held: [] });
    await add(flooder, 10);
    expect(await claim(4)).toEqual(['flooder', 'flooder', 'flooder']);
    expect(await claim(1)).toEqual([]);
    await add(other, 3);
    expect(await claim(1)).toEqual(['other']);
  });

  it('have one place where there is only one', async () => {
    await sessions().recordPoll({ runnerId, address: 'http://127.0.0.1:1', free: 1, held: [] });
    await add(flooder, 2);
    expect(await claim(1)).toEqual(['flooder']);
    expect(await claim(0)).toEqual([]);
  });
});
