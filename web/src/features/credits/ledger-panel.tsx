import type {
  LedgerEntry,
  LedgerGroup,
} from '@tallyhand/contracts/features/credits/credits.endpoints';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { type OpenRow, useRowSteps } from '../../app/use-open-row.ts';
import { Banner } from '../../ui/banner.tsx';
import { cx } from '../../ui/cx.ts';
import { DialogBody } from '../../ui/dialog.tsx';
import { ShortId } from '../../ui/icon-button.tsx';
import { SidePanel } from '../../ui/side-panel.tsx';
import { ExactTime } from '../../ui/time.tsx';
import { useEntryReason, WorkLink } from './ledger-entry.tsx';
import { changeOf, firstOf, keyOf, lastOf, outcomeOf } from './ledger-groups.ts';
import { useFormats } from './use-formats.ts';

type LedgerPanelProps = {
  /** Undefined if the ledger has no such entry. */
  group: LedgerGroup | undefined;
  opened: OpenRow;
  /** Of the groups in the list. */
  keys: readonly string[];
  pages: Parameters<typeof useRowSteps>[2];
};

/** A reservation with all its entries, or another entry. */
export function LedgerPanel({ group, opened, keys, pages }: LedgerPanelProps) {
  const { t } = useTranslation('credits');
  const key = group ? keyOf(group) : opened.key;
  const steps = useRowSteps({ ...opened, key }, keys, pages);
  return (
    <SidePanel rowKey={key ?? ''} title={t('ledger.details')} steps={steps} close={opened.close}>
      <DialogBody>
        {group ? (
          <Group group={group} current={opened.key} />
        ) : (
          <Banner tone="warning">{t('ledger.notFound')}</Banner>
        )}
      </DialogBody>
    </SidePanel>
  );
}

function Group({ group, current }: { group: LedgerGroup; current: string | undefined }) {
  const { t } = useTranslation('credits');
  const { number, change } = useFormats();
  const { reservationId } = firstOf(group);
  return (
    <>
      <dl className="grid grid-cols-2 gap-4">
        <Fact name={t('ledger.entry')}>{t(`ledger.kinds.${outcomeOf(group).kind}`)}</Fact>
        <Fact name={t('ledger.change')}>
          <span className="tabular">{change(changeOf(group))}</span>
        </Fact>
        <Fact name={t('ledger.balance')}>
          <span className="tabular">{number(lastOf(group).available)}</span>
        </Fact>
        {reservationId && (
          <Fact name={t('ledger.reservation')}>
            <ShortId id={reservationId} copyLabel={t('ledger.copyReservation')} />
          </Fact>
        )}
      </dl>
      <WorkLink entry={outcomeOf(group)} />
      <section>
        <h3 className="mb-1 text-sm font-semibold">{t('ledger.entries')}</h3>
        <ol aria-label={t('ledger.entries')} className="flex flex-col divide-y divide-line">
          {group.entries.map((entry) => (
            <Entry
              key={entry.id}
              entry={entry}
              isNamed={group.entries.length > 1 && String(entry.sequence) === current}
            />
          ))}
        </ol>
      </section>
    </>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-xs text-muted">{name}</dt>
      <dd className="mt-0.5">{children}</dd>
    </div>
  );
}

/** One entry; `isNamed`: the address names it. */
function Entry({ entry, isNamed }: { entry: LedgerEntry; isNamed: boolean }) {
  const { t } = useTranslation('credits');
  const { number, change } = useFormats();
  const reason = useEntryReason()(entry);
  const { kind, sequence, at, availableChange, available, hash } = entry;
  return (
    <li
      aria-current={isNamed ? 'true' : undefined}
      className={cx('-mx-3 rounded-md px-3 py-3', isNamed && 'bg-sunken')}
    >
      <div className="flex justify-between gap-4">
        <p className="min-w-0 font-medium">
          {t(`ledger.kinds.${kind}`)}{' '}
          <span className="tabular text-xs font-normal text-muted">#{number(sequence)}</span>
        </p>
        <p className={cx('tabular', availableChange === 0 && 'text-muted')}>
          {change(availableChange)}
        </p>
      </div>
      <p className="mt-0.5 break-words">{reason}</p>
      <p className="mt-1 flex flex-wrap items-center gap-x-2 text-xs text-muted">
        <ExactTime at={at} />
        <span aria-hidden>·</span>
        <span className="tabular">
          {t('ledger.balance')} {number(available)}
        </span>
        <span aria-hidden>·</span>
        <ShortId id={hash} copyLabel={t('ledger.copyHash')} />
      </p>
    </li>
  );
}
