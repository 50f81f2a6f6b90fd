import type { Row } from '@tallyhand/read-models/read-models';
import { sql } from 'kysely';
import type { Tx } from '../../kernel/projection.ts';
import { addRows, readRows, writeRows } from '../../kernel/rows.ts';
import type { Balance } from './low-credits.ts';

type Work = Pick<Row<'notification_works'>, 'requested_by' | 'agent_id'>;

/** The context of notifications: balances, and who began the work in progress. */
export class NotificationState {
  readonly #balances: Map<string, Row<'notification_balances'>>;
  readonly #works: Map<string, Work>;
  readonly #begun = new Map<string, Row<'notification_works'>>();
  readonly #ended: string[] = [];

  static async read(tx: Tx, organizationIds: readonly string[], workIds: readonly string[]) {
    const [balances, works] = await Promise.all([
      readRows(tx, 'notification_balances', organizationIds),
      readRows(tx, 'notification_works', workIds),
    ]);
    return new NotificationState(balances, works);
  }

  constructor(balances: Map<string, Row<'notification_balances'>>, works: Map<string, Work>) {
    this.#balances = balances;
    this.#works = works;
  }

  /** The balance before and after a change. */
  move(organization_id: string, to: (before: Balance) => Balance): [Balance, Balance] {
    const { posted, reserved } = this.#balances.get(organization_id) ?? { posted: 0, reserved: 0 };
    const after = to({ posted, reserved });
    this.#balances.set(organization_id, { organization_id, ...after });
    return [{ posted, reserved }, after];
  }

  begin(work: Row<'notification_works'>) {
    this.#begun.set(work.work_id, work);
  }

  /** Null when it has ended before, or began before notifications were recorded. */
  find(workId: string): Work | null {
    return this.#begun.get(workId) ?? this.#works.get(workId) ?? null;
  }

  end(workId: string): Work | null {
    const work = this.find(workId);
    this.#begun.delete(workId);
    if (this.#works.delete(workId)) this.#ended.push(workId);
    return work;
  }

  async save(tx: Tx) {
    await Promise.all([
      writeRows(tx, 'notification_balances', [...this.#balances.values()]),
      this.#ended.length > 0 &&
        sql`delete from read_model.notification_works where work_id = any(${this.#ended}::uuid[])`.execute(
          tx,
        ),
      addRows(tx, 'notification_works', [...this.#begun.values()]),
    ]);
  }
}
