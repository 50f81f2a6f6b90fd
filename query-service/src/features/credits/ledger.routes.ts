import {
  exportLedger,
  getTrialBalance,
  getVerification,
  type LedgerEntry,
  listLedgerEntries,
  listLedgerGroups,
} from '@tallyhand/contracts/features/credits/credits.endpoints';
import type { QueryOf } from '@tallyhand/contracts/kernel/endpoint';
import { isRefusal } from '@tallyhand/contracts/kernel/refusal';
import {
  readLedgerBounds,
  readLedgerEntries,
  readLedgerGroups,
  readNamedLedgerEntries,
  readTrialBalance,
  readTrialBalanceAsOf,
  readVerification,
} from '@tallyhand/read-models/features/credits/ledger.tables';
import type { FastifyInstance } from 'fastify';
import { listAsOfRoute, placeOf } from '../../kernel/as-of.ts';
import type { QueryContext } from '../../kernel/context.ts';
import type { CsvColumns } from '../../kernel/csv.ts';
import { exportRoute } from '../../kernel/export-route.ts';
import { oneRoute, pageOf, route } from '../../kernel/route.ts';

type Row = LedgerEntry & {
  readonly agentName: string | null;
  readonly memberName: string | null;
};

type Bounds = { readonly after: number | null; readonly until: number | null };

const columns: CsvColumns<Row> = {
  Sequence: (row) => row.sequence,
  Time: (row) => row.at,
  Kind: (row) => row.kind,
  Amount: (row) => row.amount,
  'Available change': (row) => row.availableChange,
  'Posted change': (row) => row.postedChange,
  Available: (row) => row.available,
  Reason: (row) => row.reason,
  Approver: (row) => row.approver,
  Work: (row) => row.work?.kind,
  'Work id': (row) => row.work?.id,
  'Work type': (row) => row.workType,
  Agent: (row) => row.agentName,
  'Agent id': (row) => row.agentId,
  Member: (row) => row.memberName,
  'Member id': (row) => row.memberId,
  'Payment id': (row) => row.paymentId,
  'Reservation id': (row) => row.reservationId,
  'Entry id': (row) => row.id,
  'Previous hash': (row) => row.prev,
  Hash: (row) => row.hash,
};

export function ledgerRoutes(app: FastifyInstance, context: QueryContext) {
  listAsOfRoute(app, context, listLedgerEntries, {
    now: ({ read, query: { order = 'newest' } }, page) =>
      read(readLedgerEntries[order], { ...page, until: null }),
    asOf: ({ read, query: { order = 'newest' } }, page, { ledger }) =>
      read(readLedgerEntries[order], { ...page, until: ledger }),
  });
  route(app, context, listLedgerGroups, (call) => {
    const { order = 'newest', entry = null } = call.query;
    return pageOf(call, listLedgerGroups.path, (page) =>
      call.read(readLedgerGroups[order], { ...page, entry }),
    );
  });
  exportRoute<Row, QueryOf<typeof exportLedger>>(app, context, exportLedger, {
    fileName: 'ledger',
    columns,
    async pages({ read, query: { from = null, to = null } }) {
      const found = await read(readLedgerBounds, { from, to });
      if (isRefusal(found)) return found;
      const bounds = JSON.parse(found.body ?? '{}') as Bounds;
      return (page) => read(readNamedLedgerEntries, { ...bounds, ...page });
    },
  });
  route(app, context, getTrialBalance, async (call) => {
    if (call.query.asOf === undefined) return call.read(readTrialBalance, {});
    const place = await placeOf(call, call.query.asOf);
    return isRefusal(place) ? place : call.read(readTrialBalanceAsOf, { ledger: place.ledger });
  });
  oneRoute(app, context, getVerification, readVerification);
}
