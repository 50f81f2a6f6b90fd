import { NotFound } from '@tallyhand/contracts/kernel/problem';
import { isRefusal, type Refusal } from '@tallyhand/contracts/kernel/refusal';
import { ERASED } from '@tallyhand/service-kit/crypto/person-keys';
import type { SealedBox } from '@tallyhand/service-kit/crypto/sealed-box';
import type { Kit } from '../../kit/app.ts';
import { backgroundContext, type CommandContext } from '../../kit/context.ts';
import { recurring } from '../../kit/recurring.ts';
import { emailStream, type Reservation } from './email.decider.ts';
import { userStream } from './user.decider.ts';

const SWEEP_MS = 10 * 60_000;
const RELEASED_AT_ONCE = 100;

/** The id of an address's stream: a keyed hash, so that no event contains the address. */
export const emailKeyOf = (box: SealedBox, email: string) =>
  box.keyedHash('email', email.normalize('NFC').trim().toLowerCase());

type Hold = { readonly userId: string; readonly organizationId: string; readonly until: Date };
type HeldRow = { email_key: string; user_id: string; organization_id: string };

/** Which account an email address belongs to. Every call may be repeated. */
export class EmailAddresses {
  readonly #kit: Kit;
  readonly #emails;
  readonly #users;

  constructor(kit: Kit) {
    this.#kit = kit;
    this.#emails = kit.streams.of(emailStream);
    this.#users = kit.streams.of(userStream);
  }

  /** A registered person with their current address; null if unknown or erased. */
  async current(userId: string) {
    const { registered } = await this.#users.load(userId);
    if (!registered) return null;
    const email = await this.#kit.personKeys.reveal(userId, registered.email);
    return email === ERASED ? null : { ...registered, emailKey: emailKeyOf(this.#kit.box, email) };
  }

  async reservationOf(emailKey: string): Promise<Reservation | null> {
    return (await this.#emails.load(emailKey)).reservation;
  }

  /** Refused if another account has the address. */
  async reserve(context: CommandContext, data: Reservation): Promise<Refusal | null> {
    const command = { type: 'ReserveEmail', data } as const;
    const answer = await this.#emails.send(data.emailKey, command, context);
    return isRefusal(answer) ? answer : null;
  }

  async free(context: CommandContext, emailKey: string, userId: string): Promise<void> {
    await this.#emails.send(emailKey, { type: 'ReleaseEmail', data: { userId } }, context);
  }

  /** Frees the address of a member who leaves. */
  async release(context: CommandContext, userId: string): Promise<void> {
    const account = await this.current(userId);
    if (account) await this.free(context, account.emailKey, userId);
  }

  /** Reserves the address of a member who comes back. */
  async reclaim(context: CommandContext, userId: string): Promise<Refusal | null> {
    const account = await this.current(userId);
    // A requested erasure may wait for the end of a legal hold.
    const { rowCount: isErasing } = await this.#kit.pool.query(
      'select from operational.waiting_erasures where user_id = $1',
      [userId],
    );
    if (!account || isErasing) return NotFound({ what: 'member' });
    const { organizationId, username, email, invitationId, emailKey } = account;
    return this.reserve(context, {
      userId,
      organizationId,
      username,
      email,
      invitationId,
      emailKey,
      organizationName: null,
      purpose: 'reclaim',
      changeId: null,
    });
  }

  /** Keeps a previous address reserved, because its owner may still undo the change. */
  async hold(emailKey: string, { userId, organizationId, until }: Hold): Promise<void> {
    await this.#kit.pool.query(
      `insert into operational.held_addresses (email_key, user_id, organization_id, held_until)
       values ($1, $2, $3, $4)
       on conflict (email_key) do update set user_id = excluded.user_id,
         organization_id = excluded.organization_id, held_until = excluded.held_until`,
      [emailKey, userId, organizationId, until],
    );
  }

  async heldBy(userId: string): Promise<readonly string[]> {
    const { rows } = await this.#kit.pool.query<HeldRow>(
      'select email_key from operational.held_addresses where user_id = $1',
      [userId],
    );
    return rows.map(({ email_key }) => email_key);
  }

  /** Frees held addresses whose time is over, unless they are their person's address again. */
  async releaseHeld(): Promise<void> {
    const { pool } = this.#kit;
    const { rows } = await pool.query<HeldRow>(
      `select email_key, user_id, organization_id from operational.held_addresses
       where held_until < now() order by held_until limit $1`,
      [RELEASED_AT_ONCE],
    );
    for (const { email_key: emailKey, user_id: userId, organization_id } of rows) {
      const current = await this.current(userId);
      if (current?.emailKey !== emailKey) {
        await this.free(backgroundContext('worker', organization_id), emailKey, userId);
      }
      await pool.query(
        'delete from operational.held_addresses where email_key = $1 and held_until < now()',
        [emailKey],
      );
    }
  }
}

export const sweepHeldAddresses = (kit: Kit): AsyncDisposable => {
  const addresses = new EmailAddresses(kit);
  const failed = 'held addresses were not released';
  return recurring({ everyMs: SWEEP_MS, failed, log: kit.log }, () => addresses.releaseHeld());
};
