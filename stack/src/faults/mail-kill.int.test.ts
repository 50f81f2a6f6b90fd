import { fileURLToPath } from 'node:url';
import { listTasks, type Task } from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import {
  type ApiClient,
  agentWithArticle,
  registerOrganization,
} from '@tallyhand/test-kit/api-client';
import { testDatabase, testEventStore } from '@tallyhand/test-kit/backends';
import { isAllCases } from '@tallyhand/test-kit/cases';
import { type MailServer, startMailServer } from '@tallyhand/test-kit/mail-server';
import { DOVECOT, describeIf } from '@tallyhand/test-kit/needs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Dovecot, dovecotPath, startDovecot } from '../testing/dovecot.ts';
import { connected, mailFrom, mailsOf } from '../testing/mailboxes.ts';
import { type ApplicationProcess, applicationProcess } from './application-process.ts';

const path = dovecotPath();
if (!path) console.warn('Skipped: Dovecot (dovecot-imapd, dovecot-pop3d) is not installed here.');

/**
 * The claims of a dead process on a mailbox or reply expire after seconds here; after half a minute
 * in production.
 */
const soon = fileURLToPath(new URL('./mail-soon.main.ts', import.meta.url));
const program = isAllCases() ? undefined : soon;
const WAIT = { timeout: 180_000, interval: 50 };
const opened = new AsyncDisposableStack();
let application: ApplicationProcess;
let dovecot: Dovecot;
let smtp: MailServer;
let client: ApiClient;
const address = 'support@shop.example';

beforeAll(async () => {
  if (!path) return;
  const database = opened.use(await testDatabase());
  const eventStore = opened.use(await testEventStore());
  dovecot = opened.use(await startDovecot(path));
  smtp = opened.use(await startMailServer());
  application = opened.use(await applicationProcess(database.url, eventStore.url, program));
  await start();
  ({ client } = await registerOrganization(application.url));
});
afterAll(() => opened.disposeAsync());

const start = () => application.start({ ALLOW_PRIVATE_HOSTS: '127.0.0.1' });

describeIf(path !== null, DOVECOT)('a process that is killed', () => {
  it('between receiving and answering leaves one task of each mail, and one reply at most', async () => {
    const agentId = (await agentWithArticle(client)).agent.id;
    const smtpPort = Number(new URL(smtp.url).port);
    const id = await connected(client, dovecot, { agentId, address, smtpPort });
    const replies = (subject: string) =>
      smtp.received.filter(({ text }) => text.includes(`Subject: Re: ${subject}`));
    const ask = (subject: string) =>
      dovecot.deliver(address, mailFrom('Ada <ada@mail.example>', { id: subject, subject }));

    await ask('received');
    await expect.poll(async () => (await mailsOf(client, id)).length, WAIT).toBe(1);
    await application.kill();
    // The next one is handed over completely, and the server does not answer before the end.
    smtp.behave('never answers the message');
    await ask('handed over');
    await start();
    await expect.poll(() => replies('handed over').length, WAIT).toBe(1);
    await application.kill();
    smtp.behave('takes');
    await start();

    const ends = async () =>
      (await mailsOf(client, id)).map(({ subject, reply }) => [subject, reply]).toSorted();
    await expect.poll(async () => (await ends())[0], WAIT).toEqual(['handed over', 'uncertain']);
    await expect
      .poll(async () => ['sent', 'uncertain'].includes((await ends())[1]?.[1] ?? ''), WAIT)
      .toBe(true);
    expect(replies('handed over')).toHaveLength(1);
    expect(replies('received').length).toBeLessThanOrEqual(1);
    const { body } = await client.call<Task[]>(listTasks, { query: { agentId } });
    expect(body.map(({ status }) => status)).toEqual(['success', 'success']);
  });
});
