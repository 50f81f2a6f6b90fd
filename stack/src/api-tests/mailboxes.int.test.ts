import { listTasks, type Task } from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiClient, agentWithArticle, registerOrganization } from '../testing/api-client.ts';
import { type Dovecot, dovecotPath, startDovecot } from '../testing/dovecot.ts';
import { type MailServer, startMailServer } from '../testing/mail-server.ts';
import { connected, mailFrom, repliedTo, SOON } from '../testing/mailboxes.ts';
import { startTestProduct, type TestProduct } from '../testing/product.ts';

const path = dovecotPath();
if (!path) console.warn('Skipped: Dovecot (dovecot-imapd, dovecot-pop3d) is not installed here.');

let product: TestProduct;
let dovecot: Dovecot;
let smtp: MailServer;
let client: ApiClient;

const smtpPort = () => Number(new URL(smtp.url).port);
const tasksOf = async (agentId: string) =>
  (await client.call<Task[]>(listTasks, { query: { agentId } })).body;

beforeAll(async () => {
  if (!path) return;
  dovecot = await startDovecot(path);
  smtp = await startMailServer();
  product = await startTestProduct({ allowPrivateHosts: '127.0.0.1', mailboxTimes: SOON });
  ({ client } = await registerOrganization(product.url));
});
afterAll(async () => {
  await product?.[Symbol.asyncDispose]();
  await smtp?.[Symbol.asyncDispose]();
  await dovecot?.[Symbol.asyncDispose]();
});

describe.skipIf(!path)('a mailbox', () => {
  it.each(['imap', 'pop3'] as const)(
    'over %s makes one task of a mail, and answers it',
    async (provider) => {
      const { agent } = await agentWithArticle(client);
      const address = `${provider}@shop.example`;
      await dovecot.deliver(address, mailFrom('Eve <eve@mail.example>', { id: `${provider}-0` }));
      const id = await connected(client, dovecot, {
        ...{ agentId: agent.id, address, provider, smtpPort: smtpPort() },
      });
      const mail = mailFrom('Ada <ada@mail.example>', {
        ...{ id: `${provider}-1`, subject: `Returns by ${provider}` },
        text: 'Within how many days can items be returned?',
      });
      await dovecot.deliver(address, mail);
      await dovecot.deliver(address, mail);
      const known = await repliedTo(client, id, `Returns by ${provider}`, 'sent');
      expect(known).toMatchObject({ from: 'ada@mail.example', reason: null });
      const tasks = await tasksOf(agent.id);
      expect(tasks).toMatchObject([{ id: known.taskId, status: 'success', type: 'query' }]);
      const got = smtp.received.filter(({ text }) => text.includes(`Re: Returns by ${provider}`));
      expect(got).toHaveLength(1);
      expect(got[0]?.to).toEqual(['ada@mail.example']);
      expect(got[0]?.text).toMatch(/30 days/);
      expect(got[0]?.text).toContain(`In-Reply-To: <${provider}-1@mail.example>`);
      expect(got[0]?.text).toContain(`References: <${provider}-1@mail.example>`);
      expect(got[0]?.text).toContain('Auto-Submitted: auto-replied');
      expect(got[0]?.text).toContain('> Within how many days can items be returned?');
    },
  );
});
