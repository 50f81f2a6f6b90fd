import { composeFeatures } from '@tallyhand/command-service/app/features';
import { type OpenedKit, openKit } from '@tallyhand/command-service/app/open-kit';
import { emailStream } from '@tallyhand/command-service/features/identity/email.decider';
import type { Kit } from '@tallyhand/command-service/kit/app';
import type { CommandContext } from '@tallyhand/command-service/kit/context';
import { mailerOf } from '@tallyhand/command-service/kit/mail/mailer';
import { StreamStore } from '@tallyhand/command-service/kit/streams';
import { postgresVault } from '@tallyhand/command-service/kit/vault';
import {
  changeProfile,
  erasePerson,
} from '@tallyhand/contracts/features/identity/account.endpoints';
import {
  type CurrentUser,
  getCurrentUser,
  registerUser,
} from '@tallyhand/contracts/features/identity/identity.endpoints';
import { removeMember, restoreMember } from '@tallyhand/contracts/features/team/team.endpoints';
import { newId } from '@tallyhand/service-kit/crypto/ids';
import { openPool } from '@tallyhand/service-kit/postgres/pool';
import {
  type ApiClient,
  apiClient,
  registerOrganization,
  testPassword,
} from '@tallyhand/test-kit/api-client';
import { type MailServer, mailThrough, startMailServer } from '@tallyhand/test-kit/mail-server';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verifiedExport } from '../testing/audit-pages.ts';
import { tables } from '../testing/database-rights.ts';
import { joinAs } from '../testing/members.ts';
import { type OwnProduct, startTestProduct } from '../testing/product.ts';

/** The process is dead: nothing of it reaches anything any more. */
class CutOff extends Error {}

const WRITES = /^\s*(insert|update|delete|with|select pg_notify)\b/i;

type CutOffKit = { readonly kit: Kit; readonly isDead: () => boolean };

/**
 * The same kit in a process that dies before its write of that number, the first being 0; what is
 * read until then is read.
 */
function cutOffAt(kit: Kit, step: number): CutOffKit {
  let writes = 0;
  let isDead = false;
  const pass = (isWrite: boolean) => {
    if (isWrite) {
      isDead ||= writes === step;
      writes += 1;
    }
    if (isDead) throw new CutOff(`Before write ${step}`);
  };
  const pool = poolThat(kit.pool, (sql) => pass(WRITES.test(sql)));
  const { eventLog } = kit.streams;
  const append: typeof eventLog.append = async (...given) => {
    pass(true);
    return eventLog.append(...given);
  };
  const { box, settings, log, personKeys } = kit;
  return {
    isDead: () => isDead,
    kit: {
      ...kit,
      pool,
      vault: postgresVault(pool, box, personKeys),
      mail: mailerOf({ pool, box, settings, log }),
      streams: new StreamStore({ ...kit.streams.options, eventLog: { ...eventLog, append } }),
    },
  };
}

/** `check` sees each statement first, also of transactions. */
function poolThat(pool: pg.Pool, check: (sql: string) => void): pg.Pool {
  const checked =
    <Q extends { query(...given: unknown[]): unknown }>(target: Q) =>
    async (...given: unknown[]) => {
      if (typeof given[0] === 'string' && given[0] !== 'rollback') check(given[0]);
      return target.query(...given);
    };
  const connect = async () => {
    const client = await pool.connect();
    return {
      query: checked(client as never),
      release: client.release.bind(client),
    };
  };
  return { query: checked(pool as never), connect } as unknown as pg.Pool;
}

/** More writes than either makes. */
const STEPS_MAX = 40;

let product: OwnProduct;
let mail: MailServer;
let pool: pg.Pool;
let admin: ApiClient;
/** The stores of the processes that die, and for reading streams. */
let opened: OpenedKit;
const parts = new AsyncDisposableStack();
beforeAll(async () => {
  mail = parts.use(await startMailServer());
  product = await startTestProduct({
    mail: mailThrough(mail),
  });
  // Closed after the product: the client of the event store rejects the pending calls of others.
  opened = parts.use(await openKit(product.config));
  pool = parts.adopt(openPool(product.config.databaseUrl, 1), (p) => p.end());
  ({ client: admin } = await registerOrganization(product.url));
});
afterAll(async () => {
  await product[Symbol.asyncDispose]();
  await parts.disposeAsync();
});

type Person = { readonly client: ApiClient; readonly user: CurrentUser };
type Work = (
  features: Awaited<ReturnType<typeof composeFeatures>>,
  context: CommandContext,
  of: { userId: string; organizationId: string },
) => Promise<unknown>;

const erase: Work = ({ erasure }, context, of) => erasure.erase(context, of);
const newAddress = () => `${crypto.randomUUID()}@example.com`;

const contextOf = ({ id, organization }: CurrentUser): CommandContext => ({
  organizationId: organization.id,
  actor: { kind: 'member', id },
  commandId: newId(),
  correlationId: newId(),
  causationId: null,
  now: new Date(),
});

/** Does the work in a process that dies before that write; whether it came so far. */
async function diesAt(step: number, { user }: Person, work: Work) {
  const { kit, isDead } = cutOffAt(opened.kit, step);
  const of = { userId: user.id, organizationId: user.organization.id };
  const features = await composeFeatures(kit);
  await work(features, contextOf(user), of).catch((error) => {
    if (!isDead()) throw error;
  });
  await features.testPayments?.[Symbol.asyncDispose]();
  return isDead();
}

/** A person for each write of the work, interrupted before it, in order. */
async function cutOffEverywhere(work: Work, newPerson: () => Promise<Person>): Promise<Person[]> {
  const people: Person[] = [];
  for (let step = 0, isDead = true; isDead; step += 1) {
    if (step === STEPS_MAX) throw new Error('It never came to its end');
    const person = await newPerson();
    isDead = await diesAt(step, person, work);
    people.push(person);
  }
  return people;
}

async function holderOf(email: string): Promise<string | null> {
  const { kit, features } = opened;
  const emails = kit.streams.of(emailStream);
  const { reservation } = await emails.load(features.registration.emailKey(email));
  return reservation?.userId ?? null;
}

const OWN_ROWS = ['sign_ins', 'password_hashes', 'held_addresses', 'account_tokens'];

/** In one query: it is asked of each person until nothing is left, and there are many tables. */
const ROWS_OF_PERSON = OWN_ROWS.concat('pending_erasures').map((table) =>
  holds(table, `operational.${table} where user_id::text = $1`),
);
const NAMED = tables.map((table) => holds(table, `read_model.${table} t where t::text ilike $2`));
const LEFT = [
  holds('key', 'operational.person_keys where person_id::text = $1 and sealed is not null'),
  holds('access', 'operational.access where user_id::text = $1 and is_active'),
  ROWS_OF_PERSON,
  NAMED,
]
  .flat()
  .join('\nunion all ');

function holds(place: string, rows: string): string {
  return `select '${place}' as place where exists (select from ${rows})`;
}

/** What remains of the erased person: nothing, when it is finished. */
async function leftOf({ user }: Person): Promise<string[]> {
  const { rows } = await pool.query<{ place: string }>(LEFT, [user.id, `%${user.email}%`]);
  const left = rows.map(({ place }) => place);
  if (await holderOf(user.email)) left.push('address');
  return left;
}

describe('an erasure', () => {
  it('that was interrupted anywhere is finished, automatically or by the next attempt', async () => {
    const people = await cutOffEverywhere(erase, () => joinAs(admin, product.url, 'Viewer'));
    expect(people.length).toBeGreaterThan(10);
    const asked = people.filter((_, step) => step > 1);
    for (const person of asked) {
      await expect.poll(() => leftOf(person)).toEqual([]);
    }
    // These two can simply be requested again: nothing has happened yet.
    for (const person of people.slice(0, 2)) {
      expect((await person.client.call(getCurrentUser)).status).toBe(200);
      const body = { password: testPassword };
      expect((await person.client.call(erasePerson, { body })).status).toBe(204);
      await expect.poll(() => leftOf(person)).toEqual([]);
    }
    expect((await verifiedExport(admin, product.url)).proof).toMatchObject({ isWell: true });
  });

  it('that never started does not start when another Admin removes the member', async () => {
    const person = await joinAs(admin, product.url, 'Viewer');
    expect(await diesAt(1, person, erase)).toBe(true);
    const params = { id: person.user.id };
    expect((await admin.call(removeMember, { params })).status).toBe(204);
    // A member who leaves later is erased by the same reaction, which works in order.
    const later = await joinAs(admin, product.url, 'Viewer');
    expect(await diesAt(2, later, erase)).toBe(true);
    await expect.poll(() => leftOf(later)).toEqual([]);
    expect((await admin.call(restoreMember, { params })).status).toBe(200);
  });
});

describe('a change of the email address', () => {
  it('that was cut off anywhere is finished: the new one counts, the one before is held', async () => {
    const wanted: string[] = [];
    const people = await cutOffEverywhere(
      async ({ emailChanges }, context, of) => {
        const email = newAddress();
        wanted.push(email);
        return emailChanges.change(context, of, email);
      },
      () => registerOrganization(product.url),
    );
    expect(people.length).toBeGreaterThan(4);
    for (const [step, { client, user }] of people.entries()) {
      const email = wanted[step] ?? '';
      // Nothing was reserved yet: the request is repeated.
      if (step === 0) {
        const body = { email, currentPassword: testPassword };
        expect((await client.call(changeProfile, { body })).status).toBe(200);
      }
      const present = async () => (await client.call<CurrentUser>(getCurrentUser)).body.email;
      await expect.poll(present).toBe(email);
      expect([await holderOf(email), await holderOf(user.email)]).toEqual([user.id, user.id]);
      const mails = () => mail.received.filter(({ to }) => to.includes(user.email)).length;
      await expect.poll(mails).toBe(1);
      const { rowCount } = await pool.query(
        'select from operational.held_addresses where user_id = $1',
        [user.id],
      );
      expect(rowCount).toBe(1);
    }
  });

  it('that was interrupted frees its address when the person was erased meanwhile', async () => {
    const person = await joinAs(admin, product.url, 'Viewer');
    const wanted = newAddress();
    await product.restart(async () => {
      await diesAt(1, person, ({ emailChanges }, context, of) =>
        emailChanges.change(context, of, wanted),
      );
      await diesAt(STEPS_MAX, person, erase);
    });
    await expect.poll(() => holderOf(wanted)).toBe(null);
    await expect.poll(() => leftOf(person)).toEqual([]);
    const again = { email: wanted, username: 'Another', password: testPassword };
    const body = { ...again, organizationName: 'Another' };
    const answer = await apiClient(product.url).call(registerUser, { body });
    expect(answer.status).toBe(201);
  });
});
