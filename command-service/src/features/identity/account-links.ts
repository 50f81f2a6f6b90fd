import { randomBytes } from 'node:crypto';
import { LinkNotValid } from '@tallyhand/contracts/features/identity/identity.refusals';
import type { Refusal } from '@tallyhand/contracts/kernel/refusal';
import { derivedId } from '@tallyhand/service-kit/crypto/ids';
import { type TracedJob, withTrace } from '@tallyhand/service-kit/tracing/tracing';
import type { PgBoss } from 'pg-boss';
import type { Kit } from '../../kit/app.ts';
import type { CommandContext } from '../../kit/context.ts';
import { type JobQueue, workOn } from '../../kit/jobs.ts';
import type { MailText } from '../../kit/mail/compose.ts';
import { mailsEn } from '../../messages/mails-en.ts';
import { accountTokensOf } from './account-tokens.ts';
import type { Accounts } from './accounts.ts';
import type { Registered, Registration } from './registration.ts';

/** Named after the first of them: jobs of that name may wait where an older release stopped. */
export const LINKS_QUEUE: JobQueue = { name: 'send-reset-links', secondsMax: 60 };

const TOKEN_BYTES = 32;
const HOUR_MS = 3_600_000;
const LINKS_PER_HOUR_MAX = 3;

/** `reset` sets a new password; `device` makes the browser that opens it known. */
export type AccountLink = 'reset' | 'device';

const mails: Readonly<Record<AccountLink, (link: { readonly url: string }) => MailText>> = {
  reset: mailsEn.passwordReset,
  device: mailsEn.deviceLink,
};

/** Names the account by the hash of its address: the address itself stands in no job. */
type LinkJob = TracedJob & {
  readonly emailKey: string;
  /** Missing in jobs of older releases, which had resets only. */
  readonly link?: AccountLink;
};

type Parts = {
  readonly kit: Kit;
  readonly registration: Pick<Registration, 'emailKey' | 'find'>;
  readonly accounts: Accounts;
};

/** Links for people who can't sign in. Each works once, within an hour. */
export function accountLinksOf({ kit, registration, accounts }: Parts) {
  const tokens = accountTokensOf(kit);

  async function makeLink(
    link: AccountLink,
    { userId, organizationId }: Registered,
  ): Promise<string> {
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    const expiresAt = new Date(Date.now() + HOUR_MS);
    await tokens.keep(link, token, { userId, organizationId, changeId: null, expiresAt });
    return `${kit.settings.publicUrl}/auth?${link}=${token}`;
  }

  /** The account of a link that is used now, or null where it has expired or was used before. */
  async function use(link: AccountLink, token: string): Promise<Registered | null> {
    const account = await tokens.take(link, token);
    return account && (await accounts.currentUser(account)) ? account : null;
  }

  return {
    /** Does the same work whether there is such an account: it looks nothing up. */
    async request(boss: PgBoss, link: AccountLink, email: string): Promise<void> {
      const job: LinkJob = { emailKey: registration.emailKey(email), link };
      await boss.send(LINKS_QUEUE.name, withTrace(job));
    },
    /** Null where there is no such account. */
    async linkOf(link: AccountLink, email: string): Promise<string | null> {
      const account = await registration.find(registration.emailKey(email));
      return account && (await accounts.currentUser(account)) ? makeLink(link, account) : null;
    },
    async mailLink(jobId: string, { emailKey, link = 'reset' }: LinkJob): Promise<void> {
      const account = await registration.find(emailKey);
      const user = account && (await accounts.currentUser(account));
      if (!account || !user) return;
      const { userId, organizationId } = account;
      if ((await tokens.madeWithinHour(link, userId)) >= LINKS_PER_HOUR_MAX) return;
      await kit.mail.send({
        id: derivedId(jobId, `${link}-mail`),
        organizationId,
        kind: link === 'reset' ? 'reset' : 'account',
        to: user.email,
        recipientId: userId,
        text: mails[link]({ url: kit.mail.isSet ? await makeLink(link, account) : '' }),
      });
    },
    /** All sign-ins end, and every other link that sets a password. */
    async reset(
      context: CommandContext,
      token: string,
      newPassword: string,
    ): Promise<Refusal | null> {
      const account = await use('reset', token);
      if (!account) return LinkNotValid({});
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
    /** Whose device it is that opened the link. */
    async takeDeviceLink(token: string): Promise<Registered | Refusal> {
      return (await use('device', token)) ?? LinkNotValid({});
    },
  };
}

export type AccountLinks = ReturnType<typeof accountLinksOf>;

/** Mails the links that were requested. */
export async function workOnLinks(boss: PgBoss, links: AccountLinks): Promise<void> {
  await workOn<LinkJob>(boss, LINKS_QUEUE, ({ id, data }) => links.mailLink(id, data));
}
