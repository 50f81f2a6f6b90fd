import type { LedgerEntry } from '@tallyhand/contracts/features/credits/credits.endpoints';
import type { WorkKind } from '@tallyhand/contracts/features/credits/paid-work';
import { useTranslation } from 'react-i18next';
import { Link } from '../../ui/link.tsx';
import { useListAgentsQuery } from '../agents/agents.api.ts';
import { useMembers } from '../team/use-members.ts';
import { useFormats } from './use-formats.ts';

/** Where a piece of work is shown; null where that is not known. */
const WORK_ADDRESS: Readonly<Record<WorkKind, (entry: LedgerEntry, id: string) => string | null>> =
  {
    task: (_, id) => `/tasks?task=${id}`,
    step: ({ sessionId }) => sessionId && `/autonomous?session=${sessionId}`,
  };

/** To the task, or the session of the step, that an entry paid for, or was to pay for. */
export function WorkLink({ entry }: { entry: LedgerEntry }) {
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

const SHORT_ID_LENGTH = 8;

/** Names of agents and members, of which the ledger has only the ids. */
function useNames() {
  const { t } = useTranslation('credits');
  const { data: agents } = useListAgentsQuery();
  const members = useMembers();
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
      // The kind beside it says what happened to them.
      case 'reserved':
      case 'charged':
        return joined(t('purchase.credits', counted), work(entry));
      case 'unbilled':
      case 'expired':
        return joined(t(`ledger.reasons.${kind}`, counted), work(entry));
      case 'released':
        return joined(t('purchase.credits', counted), reason(entry.reason), work(entry));
      case 'refunded':
        return joined(t('purchase.credits', counted), decided(entry), work(entry));
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
