import type { WebhookDelivery } from '@tallyhand/contracts/features/webhooks/webhooks.endpoints';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { type OpenRow, useRowSteps } from '../../app/use-open-row.ts';
import { type Status, StatusBadge } from '../../ui/badge.tsx';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { DialogBody, DialogFooter } from '../../ui/dialog.tsx';
import { ShortId } from '../../ui/icon-button.tsx';
import { scrollable } from '../../ui/scrollable.ts';
import { SidePanel } from '../../ui/side-panel.tsx';
import { ExactTime } from '../../ui/time.tsx';
import { useAuditWords } from '../audit/audit-words.ts';

export const badgeStatus: Record<WebhookDelivery['state'], Status> = {
  waiting: 'waiting',
  sending: 'running',
  delivered: 'success',
  failed: 'failed',
};

type DeliveryPanelProps = {
  /** Undefined if it is not in the list. */
  delivery: WebhookDelivery | undefined;
  /** Sends it once more; undefined if the webhook is off. */
  again: ((id: string) => unknown) | undefined;
  opened: OpenRow;
  /** Of the deliveries in the list. */
  keys: readonly string[];
  pages: Parameters<typeof useRowSteps>[2];
};

/** One delivery, with its attempts and the last response. */
export function DeliveryPanel({ delivery, again, opened, keys, pages }: DeliveryPanelProps) {
  const { t } = useTranslation('developers');
  const steps = useRowSteps(opened, keys, pages);
  return (
    <SidePanel
      rowKey={opened.key ?? ''}
      title={t('deliveries.details')}
      steps={steps}
      close={opened.close}
    >
      <DialogBody>
        {delivery ? (
          <Delivery delivery={delivery} />
        ) : (
          <Banner tone="warning">{t('deliveries.notFound')}</Banner>
        )}
      </DialogBody>
      {delivery && again && (
        <DialogFooter>
          <Button onClick={() => void again(delivery.id)}>{t('deliveries.again')}</Button>
        </DialogFooter>
      )}
    </SidePanel>
  );
}

function Delivery({ delivery }: { delivery: WebhookDelivery }) {
  const { t } = useTranslation('developers');
  const words = useAuditWords();
  const { id, type, state, log, answer, createdAt, nextAt, endedAt } = delivery;
  return (
    <>
      <dl className="grid grid-cols-2 gap-4">
        <Fact name={t('deliveries.event')}>
          {words.event(type)}
          {words.event(type) !== type && (
            <code className="block font-mono text-xs break-words text-muted">{type}</code>
          )}
        </Fact>
        <Fact name={t('deliveries.state')}>
          <StatusBadge status={badgeStatus[state]} label={t(`deliveries.states.${state}`)} />
        </Fact>
        <Fact name={t('deliveries.made')}>
          <ExactTime at={createdAt} />
        </Fact>
        {nextAt && (
          <Fact name={t('deliveries.next')}>
            <ExactTime at={nextAt} />
          </Fact>
        )}
        {endedAt && (
          <Fact name={t('deliveries.ended')}>
            <ExactTime at={endedAt} />
          </Fact>
        )}
        <Fact name={t('deliveries.id')}>
          <ShortId id={id} copyLabel={t('deliveries.copyId')} />
        </Fact>
      </dl>
      {log.length > 0 && <Attempts log={log} />}
      {answer && (
        <div>
          <h3 className="mb-1 text-sm font-semibold">{t('deliveries.answer')}</h3>
          <section
            aria-label={t('deliveries.answer')}
            {...scrollable}
            className="max-h-64 overflow-auto rounded-md bg-sunken p-3"
          >
            <pre className="font-mono text-xs break-words whitespace-pre-wrap">{answer}</pre>
          </section>
        </div>
      )}
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

/** The response and how long it took. */
export function useAttemptWords() {
  const { t } = useTranslation('developers');
  return ({ status, ms }: WebhookDelivery['log'][number]) =>
    `${status ?? t('deliveries.none')} · ${t('deliveries.ms', { ms })}`;
}

/** The newest first. */
function Attempts({ log }: Pick<WebhookDelivery, 'log'>) {
  const { t } = useTranslation('developers');
  const wordsOf = useAttemptWords();
  return (
    <section>
      <h3 className="mb-1 text-sm font-semibold">{t('deliveries.attempts')}</h3>
      <ol aria-label={t('deliveries.attempts')} className="flex flex-col divide-y divide-line">
        {log.toReversed().map((attempt) => (
          <li key={attempt.at} className="py-2">
            <p className="flex flex-wrap justify-between gap-x-4">
              <span className="tabular">{wordsOf(attempt)}</span>
              <span className="text-xs text-muted">
                <ExactTime at={attempt.at} />
              </span>
            </p>
            {attempt.error && <p className="mt-0.5 break-words text-muted">{attempt.error}</p>}
          </li>
        ))}
      </ol>
    </section>
  );
}
