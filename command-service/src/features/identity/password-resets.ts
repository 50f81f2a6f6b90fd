import { randomBytes } from 'node:crypto';
import { LinkNotValid } from '@tallyhand/contracts/features/identity/identity.refusals';
import type { Refusal } from '@tallyhand/contracts/kernel/refusal';
import { derivedId } from '@tallyhand/service-kit/crypto/ids';
import { type TracedJob, withTrace } from '@tallyhand/service-kit/tracing/tracing';
import type { PgBoss } from 'pg-boss';
import type { Kit } from '../../kit/app.ts';
import type { CommandContext } from '../../kit/context.ts';
import { type JobQueue, workOn } from '../../kit/jobs.ts';
import { mailsEn } from '../../words/mails-en.ts';
import { accountTokensOf } from './account-tokens.ts';
import type { Accounts } from './accounts.ts';
import type { Registered, Registration } from './registration.ts';

export const RESET_QUEUE: JobQueue = { name: 'send-reset-links', secondsMax: 60 };

const TOKEN_BYTES = 32;
const HOUR_MS = 3_600_000;
const LINKS_PER_HOUR_MAX = 3;

/** Of whose account it is: the address itself stands in no job. */
type ResetJob = TracedJob & { readonly emailKey: string };

type Parts = {
  readonly kit: Kit;
  readonly registration: Pick<Registration, 'emailKey' | 'find'>;
  readonly accounts: Accounts;
};

export function passwordResetsOf({ kit, registration, accounts }: Parts) {
  const tokens = accountTokensOf(kit);

  /** A link that sets a new password once, within an hour. */
  async function linkFor({ userId, organizationId }: Registered): Promise<string> {
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    const expiresAt = new Date(Date.now() + HOUR_MS);
    await tokens.keep('reset', token, { userId, organizationId, changeId: null, expiresAt });
    return `${kit.settings.publicUrl}/auth?reset=${token}`;
  }

  return {
    /** Asked for the same way whether there is such an account: nothing is looked up here. */
    async request(boss: PgBoss, email: string): Promise<void> {
      const job: ResetJob = { emailKey: registration.emailKey(email) };
      await boss.send(RESET_QUEUE.name, withTrace(job));
    },
    /** Null where there is no such account. */
    async linkOf(email: string): Promise<string | null> {
      const account = await registration.find(registration.emailKey(email));
      return account && (await accounts.currentUser(account)) ? linkFor(account) : null;
    },
    async mailLink(jobId: string, { emailKey }: ResetJob): Promise<void> {
      const account = await registration.find(emailKey);
      const user = account && (await accounts.currentUser(account));
      if (!account || !user) return;
      const { userId, organizationId } = account;
      if ((await tokens.madeWithinHour('reset', userId)) >= LINKS_PER_HOUR_MAX) return;
      await kit.mail.send({
        ...{ id: derivedId(jobId, 'reset-mail'), organizationId, kind: 'reset', to: user.email },
        recipientId: userId,
        text: mailsEn.passwordReset({ url: kit.mail.isSet ? await linkFor(account) : '' }),
      });
    },
    /** All sign-ins end, and every other link. */
    async reset(
      context: CommandContext,
      token: string,
      newPassword: string,
    ): Promise<Refusal | null> {
      const account = await tokens.take('reset', token);
      const user = account && (await accounts.currentUser(account));
      if (!account || !user) return LinkNotValid({});
      const { userId, organizationId } = account;
      const own: CommandContext = {
        ...context,
        organizationId,
        actor: { kind: 'member', id: userId },
      };
      await accounts.setPassword(own, account, newPassword, 'by-reset');
      await tokens.endAll('reset', userId);
      return null;
    },
  };
}

export type PasswordResets = ReturnType<typeof passwordResetsOf>;

/** Mails the links that were asked for. */
export async function workOnResets(boss: PgBoss, resets: PasswordResets): Promise<void> {
  await workOn<ResetJob>(boss, RESET_QUEUE, ({ id, data }) => resets.mailLink(id, data));
}
