import type { Row } from '@tallyhand/read-models/read-models';
import type { Tx } from '../../kernel/projection.ts';
import { addRows, readRows, writeRows } from '../../kernel/rows.ts';
import type { Balance } from './low-credits.ts';

type Work = Pick<Row<'notice_works'>, 'requested_by' | 'agent_id'>;

/**
 * What the notices of a batch depend on besides its events: balances, and who began what is under
 * way, as a task or a mailbox that is connected.
 */
export type NoticeState = {
  /** The balance before an event, which is then the one after it. */
  readonly move: (organizationId: string, to: (before: Balance) => Balance) => [Balance, Balance];
  readonly begin: (work: Row<'notice_works'>) => void;
  /** Null if it ended before, or began before the projection existed. */
  readonly find: (workId: string) => Work | null;
  readonly end: (workId: string) => Work | null;
  readonly save: () => Promise<void>;
};

export async function readNoticeState(
  tx: Tx,
  organizationIds: readonly string[],
  wanted: readonly string[],
): Promise<NoticeState> {
  const [balances, works] = await Promise.all([
    readBalances(tx, organizationIds),
    readRows(tx, 'notice_works', wanted),
  ]);
  const stored = [...works.keys()];
  const begun = new Map<string, Row<'notice_works'>>();
  const find = (workId: string) => begun.get(workId) ?? works.get(workId) ?? null;
  return {
    find,
    move(organizationId, to) {
      const before = balances.get(organizationId) ?? { posted: 0, reserved: 0 };
      const after = to(before);
      balances.set(organizationId, after);
      return [before, after];
    },
    begin: (work) => begun.set(work.work_id, work),
    end(workId) {
      const work = find(workId);
      begun.delete(workId);
      works.delete(workId);
      return work;
    },
    async save() {
      const over = stored.filter((id) => !works.has(id));
      await Promise.all([
        saveBalances(tx, balances),
        over.length > 0 && tx.deleteFrom('notice_works').where('work_id', 'in', over).execute(),
        addRows(tx, 'notice_works', [...begun.values()]),
      ]);
    },
  };
}

async function readBalances(tx: Tx, organizationIds: readonly string[]) {
  const rows = await readRows(tx, 'notice_balances', organizationIds);
  return new Map<string, Balance>(
    [...rows].map(([id, { posted, reserved }]) => [id, { posted, reserved }]),
  );
}

async function saveBalances(tx: Tx, balances: ReadonlyMap<string, Balance>) {
  const rows = [...balances].map(([organization_id, balance]) => ({ organization_id, ...balance }));
  await writeRows(tx, 'notice_balances', rows);
}
