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
import { AccountTokens } from './account-tokens.ts';
import type { Accounts } from './accounts.ts';
import { emailKeyOf } from './email-addresses.ts';
import type { Registered, Registration } from './registration.ts';

/** Named by its first kind of link: an older release may have left jobs of that name. */
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

/** Names the account by the hash of its address, so that no job contains the address. */
type LinkJob = TracedJob & {
  readonly emailKey: string;
  /** Absent in jobs of older releases, which had resets only. */
  readonly link?: AccountLink;
};

/** Links for people who can't sign in. Each works once, within an hour. */
export class AccountLinks {
  readonly #kit: Kit;
  readonly #registration: Pick<Registration, 'find'>;
  readonly #accounts: Accounts;
  readonly #tokens: AccountTokens;

  constructor(kit: Kit, registration: Pick<Registration, 'find'>, accounts: Accounts) {
    this.#kit = kit;
    this.#registration = registration;
    this.#accounts = accounts;
    this.#tokens = new AccountTokens(kit.pool);
  }

  /** Does the same work, in the same time, whether the account exists. */
  async request(boss: PgBoss, link: AccountLink, email: string): Promise<void> {
    const job: LinkJob = { emailKey: emailKeyOf(this.#kit.box, email), link };
    await boss.send(LINKS_QUEUE.name, withTrace(job));
  }

  /** Null if there is no such account. */
  async linkOf(link: AccountLink, email: string): Promise<string | null> {
    const account = await this.#registration.find(emailKeyOf(this.#kit.box, email));
    return account && (await this.#accounts.currentUser(account))
      ? this.#makeLink(link, account)
      : null;
  }

  async mailLink(jobId: string, { emailKey, link = 'reset' }: LinkJob): Promise<void> {
    const account = await this.#registration.find(emailKey);
    const user = account && (await this.#accounts.currentUser(account));
    if (!account || !user) return;
    const { userId, organizationId } = account;
    if ((await this.#tokens.madeWithinHour(link, userId)) >= LINKS_PER_HOUR_MAX) return;
    const { mail } = this.#kit;
    await mail.send({
      id: derivedId(jobId, `${link}-mail`),
      organizationId,
      kind: link === 'reset' ? 'reset' : 'account',
      to: user.email,
      recipientId: userId,
      text: mails[link]({ url: mail.isSet ? await this.#makeLink(link, account) : '' }),
    });
  }

  /** Ends all sign-ins, and all other links that set a password. */
  async reset(
    context: CommandContext,
    token: string,
    newPassword: string,
  ): Promise<Refusal | null> {
    const account = await this.#use('reset', token);
    if (!account) return LinkNotValid({});
    const { userId, organizationId } = account;
    const own: CommandContext = {
      ...context,
      organizationId,
      actor: { kind: 'member', id: userId },
    };
    await this.#accounts.setPassword(own, account, newPassword, 'by-reset');
    await this.#tokens.endAll('reset', userId);
    return null;
  }

  /** The account whose link was opened. */
  async takeDeviceLink(token: string): Promise<Registered | Refusal> {
    return (await this.#use('device', token)) ?? LinkNotValid({});
  }

  async #makeLink(link: AccountLink, { userId, organizationId }: Registered): Promise<string> {
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    const expiresAt = new Date(Date.now() + HOUR_MS);
    await this.#tokens.keep(link, token, { userId, organizationId, changeId: null, expiresAt });
    return `${this.#kit.settings.publicUrl}/auth?${link}=${token}`;
  }

  /** Uses up a link. Null if it has expired or was used before. */
  async #use(link: AccountLink, token: string): Promise<Registered | null> {
    const account = await this.#tokens.take(link, token);
    return account && (await this.#accounts.currentUser(account)) ? account : null;
  }
}

/** Mails the links that were requested. */
export async function workOnLinks(boss: PgBoss, links: AccountLinks): Promise<void> {
  await workOn<LinkJob>(boss, LINKS_QUEUE, ({ id, data }) => links.mailLink(id, data));
}
