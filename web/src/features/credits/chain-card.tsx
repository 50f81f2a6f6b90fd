import type { Verification } from '@tallyhand/contracts/features/credits/credits.endpoints';
import { ShieldCheck } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useAnnounce } from '../../app/announce.ts';
import { NotLoaded } from '../../app/loaded.tsx';
import { StatusBadge } from '../../ui/badge.tsx';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { CardSection } from '../../ui/card.tsx';
import { ShortId } from '../../ui/icon-button.tsx';
import { RelativeTime } from '../../ui/time.tsx';
import {
  useGetVerificationQuery,
  useListLedgerUntilQuery,
  useStartVerificationMutation,
} from './credits.api.ts';
import { useFormats } from './use-formats.ts';

/** The chain of the ledger's entries, and the newest check of it. */
export function ChainCard() {
  const { t } = useTranslation('credits');
  const { verification, error, refetch, running, verify } = useVerification();
  return (
    <CardSection
      title={t('chain.title')}
      actions={
        <Button
          icon={ShieldCheck}
          size="sm"
          pending={running}
          pendingLabel={t('chain.verifying')}
          onClick={verify}
        >
          {t('chain.verify')}
        </Button>
      }
    >
      <p className="-mt-2 mb-4 max-w-[68ch] text-muted">{t('chain.description')}</p>
      {!verification && (
        <NotLoaded query={{ error, refetch }} label={t('chain.loading')} count={3} skeleton="h-6" />
      )}
      {verification && <Chain verification={verification} running={running} />}
    </CardSection>
  );
}

function Chain({ verification, running }: { verification: Verification; running: boolean }) {
  const { t } = useTranslation('credits');
  const { number } = useFormats();
  const { data: [newest] = [] } = useListLedgerUntilQuery({ limit: 1 });
  const { status, brokenAt } = verification;
  return (
    <div aria-live="polite" className="flex flex-col gap-4">
      {status === 'failed' && !running && (
        <Banner tone="danger" title={t('chain.failedTitle')}>
          {brokenAt === null
            ? t('chain.unequal')
            : t('chain.brokenAt', { sequence: number(brokenAt) })}
        </Banner>
      )}
      <dl className="grid gap-4 sm:grid-cols-2 md:grid-cols-4">
        <Fact name={t('chain.head')}>
          {newest ? <ShortId id={newest.hash} copyLabel={t('chain.copyHead')} /> : '–'}
        </Fact>
        <Fact name={t('chain.entries')}>{number(newest?.sequence ?? 0)}</Fact>
        <Fact name={t('chain.last')}>
          <LastCheck verification={verification} running={running} />
        </Fact>
        <Fact name={t('chain.checked')}>
          {verification.finishedAt === null ? '–' : number(verification.entries)}
        </Fact>
      </dl>
      <Balances verification={verification} />
    </div>
  );
}

function LastCheck({ verification, running }: { verification: Verification; running: boolean }) {
  const { t } = useTranslation('credits');
  const { status, finishedAt } = verification;
  if (running) return <StatusBadge status="running" label={t('chain.verifying')} />;
  if (status === null || finishedAt === null) return t('chain.never');
  return (
    <span className="flex flex-wrap items-center gap-2">
      <StatusBadge
        status={status === 'passed' ? 'success' : 'failed'}
        label={status === 'passed' ? t('chain.passed') : t('chain.failed')}
      />
      <RelativeTime at={finishedAt} />
    </span>
  );
}

/** Three ways to one number, and the two sides of the double entry. */
function Balances({
  verification: { available, debits, credits },
}: {
  verification: Verification;
}) {
  const { t } = useTranslation('credits');
  const { number } = useFormats();
  if (!available) return null;
  const lines = [
    [t('chain.byEvents'), available.events],
    [t('chain.byReadModel'), available.readModel],
    [t('chain.byTrialBalance'), available.trialBalance],
  ] as const;
  return (
    <div className="grid gap-x-8 gap-y-2 border-t border-line pt-3 sm:grid-cols-2">
      <dl className="flex flex-col gap-1">
        {lines.map(([name, value]) => (
          <Line key={name} name={name} value={number(value)} />
        ))}
      </dl>
      {debits !== null && credits !== null && (
        <dl className="flex flex-col gap-1">
          <Line name={t('chain.debits')} value={number(debits)} />
          <Line name={t('chain.credits')} value={number(credits)} />
        </dl>
      )}
    </div>
  );
}

function Line({ name, value }: { name: string; value: string }) {
  return (
    <div className="flex justify-between gap-4">
      <dt className="text-muted">{name}</dt>
      <dd className="tabular">{value}</dd>
    </div>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-xs text-muted">{name}</dt>
      <dd className="mt-0.5 min-h-6 tabular">{children}</dd>
    </div>
  );
}

const POLL_MS = 1_000;
/** Ten minutes. A longer check is shown when the page is opened again. */
const POLLS_MAX = 600;

/** The newest check of the ledger: starts one, and polls a running one to its end. */
function useVerification() {
  const { t } = useTranslation('credits');
  const [following, setFollowing] = useState(true);
  const [polls, setPolls] = useState(0);
  const announce = useAnnounce();
  const [start, starting] = useStartVerificationMutation();
  const {
    data: verification,
    error,
    refetch,
    fulfilledTimeStamp,
  } = useGetVerificationQuery(undefined, {
    refetchOnMountOrArgChange: true,
    pollingInterval: following ? POLL_MS : 0,
  });
  const open = verification?.status === 'running' && polls < POLLS_MAX;
  useEffect(() => {
    if (fulfilledTimeStamp !== undefined) setPolls((count) => count + 1);
  }, [fulfilledTimeStamp]);
  useEffect(() => setFollowing(open), [open]);

  const verify = async () => {
    setPolls(0);
    const { error: refusal } = await announce(start(), { failed: t('toasts.verifyFailed') });
    if (!refusal) void refetch();
  };
  return { verification, error, refetch, running: open || starting.isLoading, verify };
}
