import type { MailboxTest } from '@tallyhand/contracts/features/mailboxes/mailboxes.endpoints';
import type { MailboxAccess } from '@tallyhand/contracts/features/mailboxes/mailboxes.fields';
import { MailFailure } from './sources/mail-failure.ts';
import type { MailGround } from './sources/mail-ground.ts';
import { openSource } from './sources/open-source.ts';
import { trySmtp } from './sources/smtp-server.ts';

const TEST_MS_MAX = 14_000;

/** Signs in to fetch and to send, and says what of it works; nothing is read or sent. */
export async function testMailbox(
  access: MailboxAccess,
  ground: MailGround,
  outer: AbortSignal,
): Promise<MailboxTest> {
  const signal = AbortSignal.any([outer, AbortSignal.timeout(ground.testMsMax ?? TEST_MS_MAX)]);
  const [fetch, send] = await Promise.all([
    outcomeOf(async () => (await openSource(access, ground, signal)).close()),
    access.provider !== 'gmail' && access.smtp
      ? outcomeOf(() => trySmtp(access.smtp as never, ground.policy, signal))
      : null,
  ]);
  return { fetch, send: access.provider === 'gmail' ? fetch : send };
}

async function outcomeOf(work: () => Promise<void>): Promise<MailboxTest['fetch']> {
  try {
    await work();
    return { works: true, error: null, code: null };
  } catch (error) {
    if (!(error instanceof MailFailure)) throw error;
    return { works: false, error: error.message, code: error.code };
  }
}
