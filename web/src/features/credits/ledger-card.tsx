import {
  exportLedger,
  type LedgerEntry,
} from '@tallyhand/contracts/features/credits/credits.endpoints';
import type { WorkKind } from '@tallyhand/contracts/features/credits/paid-work';
import { Download } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { MorePages, NotLoaded } from '../../app/loaded.tsx';
import { useTimeOrder } from '../../app/use-sort.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { CardSection } from '../../ui/card.tsx';
import { Link } from '../../ui/link.tsx';
import { LongTable } from '../../ui/long-table.tsx';
import type { Column } from '../../ui/table.tsx';
import { RelativeTime } from '../../ui/time.tsx';
import { usePhone } from '../../ui/use-media-query.ts';
import { useListAgentsQuery } from '../agents/agents.api.ts';
import { useListMembersQuery } from '../team/team.api.ts';
import { useListLedgerInfiniteQuery } from './credits.api.ts';
import { useFormats } from './use-formats.ts';

/** Every change of what can be spent, and what it was for. */
export function LedgerCard() {
  const { t } = useTranslation('credits');
  return (
    <CardSection
      title={t('ledger.title')}
      actions={
        <ButtonLink size="sm" icon={Download} href={exportLedger.path} download>
          {' '}
          {t('exportCsv')}
        </ButtonLink>
      }
    >
      <p className="-mt-2 mb-3 max-w-[68ch] text-muted">{t('ledger.description')}</p>
      <Entries />
    </CardSection>
  );
}

function Entries() {
  const { t } = useTranslation('credits');
  const columns = useColumns();
  const { sort, order } = useTimeOrder('ledger-sort', 'when');
  const pages = useListLedgerInfiniteQuery({ order });
  const { data } = pages;
  if (!data)
    return <NotLoaded query={pages} label={t('ledger.loading')} count={6} skeleton="h-8" />;
  return (
    <>
      <LongTable
        label={t('ledger.title')}
        name="ledger"
        columns={columns}
        sort={sort}
        rows={data.pages.flatMap(({ entries }) => entries)}
        rowKey={({ id }) => id}
        actionsLabel={t('ledger.actions')}
        actions={(entry) => <WhyLink entry={entry} />}
      />
      <MorePages pages={pages} />
    </>
  );
}

/** Where a piece of work is shown; null where that is not known. */
const WORK_ADDRESS: Readonly<Record<WorkKind, (entry: LedgerEntry, id: string) => string | null>> =
  {
    task: (_, id) => `/tasks?task=${id}`,
    step: ({ sessionId }) => sessionId && `/autonomous?session=${sessionId}`,
  };

/** To the task, or the session of the step, that an entry paid for, or was to pay for. */
function WhyLink({ entry }: { entry: LedgerEntry }) {
  const { t } = useTranslation('credits');
  const { work, kind, sequence } = entry;
  const to = work && WORK_ADDRESS[work.kind](entry, work.id);
  if (!work || !to) return null;
  return (
    <Link
      to={to}
      className="rounded-sm whitespace-nowrap text-accent underline-offset-4 hover:underline"
    >
      {kind === 'charged' ? t('ledger.why') : t(`ledger.work.${work.kind}`)}
      <span className="sr-only"> {t('ledger.ofEntry', { sequence })}</span>
    </Link>
  );
}

function useColumns(): Column<LedgerEntry>[] {
  const { t } = useTranslation('credits');
  const { number, change } = useFormats();
  const reasonOf = useEntryReason();
  const phone = usePhone();
  return [
    {
      key: 'kind',
      header: t('ledger.entry'),
      cell: ({ sequence, kind, at }) => (
        <>
          <span className="font-medium">{t(`ledger.kinds.${kind}`)}</span>{' '}
          <span className="tabular text-xs font-normal text-muted">
            #{number(sequence)}
            {phone && (
              <>
                {' · '}
                <RelativeTime at={at} />
              </>
            )}
          </span>
        </>
      ),
    },
    {
      key: 'for',
      header: t('ledger.for'),
      className: 'w-full max-w-0',
      cell: (entry) => (
        <span className="line-clamp-2 whitespace-normal max-sm:text-right">{reasonOf(entry)}</span>
      ),
    },
    {
      key: 'when',
      header: t('ledger.when'),
      wideOnly: true,
      sortBy: { time: ({ at }) => at },
      cell: ({ at }) => <RelativeTime at={at} />,
    },
    {
      key: 'change',
      header: t('ledger.change'),
      numeric: true,
      cell: ({ availableChange }) => (
        <span className={availableChange === 0 ? 'text-muted' : undefined}>
          {change(availableChange)}
        </span>
      ),
    },
    {
      key: 'balance',
      header: t('ledger.balance'),
      numeric: true,
      cell: ({ available }) => number(available),
    },
  ];
}

const SHORT_ID_LENGTH = 8;

/** Names of agents and members, of which the ledger has only the ids. */
function useNames() {
  const { t } = useTranslation('credits');
  const { data: agents } = useListAgentsQuery();
  const { data: members } = useListMembersQuery();
  return {
    agent: (id: string) => agents?.find((it) => it.id === id)?.name ?? t('formerAgent'),
    member: (id: string) => members?.find((it) => it.id === id)?.username ?? t('formerMember'),
  };
}

/** Gives the sentence that says what an entry of the ledger is for. */
export function useEntryReason() {
  const { t } = useTranslation('credits');
  const { number } = useFormats();
  const names = useNames();

  const work = ({ workType, agentId, memberId }: LedgerEntry) =>
    joined(
      workType && t(`workTypes.${workType}`),
      agentId && names.agent(agentId),
      memberId && names.member(memberId),
    );
  /** The codes that events give as reasons have words; an operator's own words stay as they are. */
  const reason = (code: string | null) =>
    code === null ? '' : t(`reasons.${code}` as 'reasons.sign-up', { defaultValue: code });
  const decided = ({ reason: words, approver }: LedgerEntry) =>
    approver ? t('ledger.approved', { reason: words ?? '', approver }) : (words ?? '');

  const limit = ({ agentId, memberId, reason: none, amount }: LedgerEntry) => {
    const name = agentId ? names.agent(agentId) : names.member(memberId ?? '');
    if (none === 'no-limit') return t('ledger.reasons.noLimit', { name });
    return t('ledger.reasons.limitSet', { name, count: amount, formatted: number(amount) });
  };

  return (entry: LedgerEntry): string => {
    const { kind, amount, paymentId } = entry;
    const counted = { count: amount, formatted: number(amount) };
    const payment = paymentId?.slice(-SHORT_ID_LENGTH) ?? '';
    switch (kind) {
      case 'granted':
        return reason(entry.reason);
      case 'purchased':
      case 'reinstated':
        return t(`ledger.reasons.${kind}`, { payment });
      case 'reversed':
        return joined(t('ledger.reasons.reversed', { payment }), reason(entry.reason));
      case 'reserved':
      case 'charged':
      case 'unbilled':
      case 'expired':
        return joined(t(`ledger.reasons.${kind}`, counted), work(entry));
      case 'released':
        return joined(t('ledger.reasons.released', counted), reason(entry.reason), work(entry));
      case 'refunded':
        return joined(t('ledger.reasons.refunded', counted), decided(entry), work(entry));
      case 'extended':
        return t('ledger.reasons.extended');
      case 'adjusted':
        return decided(entry);
      case 'limit-set':
        return limit(entry);
    }
  };
}

const joined = (...parts: readonly (string | null | undefined | '')[]) =>
  parts.filter(Boolean).join(' · ');
