import {
  LegalHold,
  type Retention,
  RetentionRule,
} from '@tallyhand/contracts/features/organizations/retention.endpoints';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ConfirmAction } from '../../app/confirm-action.tsx';
import { numberOrNull, useContractForm, useFieldMessage, useSubmit } from '../../app/form.ts';
import { Loaded } from '../../app/loaded.tsx';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { CardSection } from '../../ui/card.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { Field, Input, Textarea } from '../../ui/field.tsx';
import { exactTime } from '../../ui/time.tsx';
import {
  useChangeRetentionMutation,
  useGetRetentionQuery,
  useLiftLegalHoldMutation,
  usePlaceLegalHoldMutation,
} from './team.api.ts';
import { useMembers } from './use-members.ts';

type Asked = 'rule' | 'hold' | 'lift';

/** When personal data of former members is erased, and the legal hold that delays it. */
export function RetentionCard() {
  const { t } = useTranslation('team');
  const query = useGetRetentionQuery();
  const [asked, setAsked] = useState<Asked | null>(null);
  const [lift] = useLiftLegalHoldMutation();
  const close = () => setAsked(null);
  const { data } = query;
  return (
    <CardSection
      title={t('retention.title')}
      actions={
        data && (
          <Button size="sm" onClick={() => setAsked('rule')}>
            {t('retention.change')}
          </Button>
        )
      }
    >
      <p className="-mt-2 mb-3 max-w-[68ch] text-muted">{t('retention.description')}</p>
      <Loaded query={query} loading={{ label: t('retention.loading'), count: 1, skeleton: 'h-12' }}>
        {(retention) => <State retention={retention} ask={setAsked} />}
      </Loaded>
      {asked === 'rule' && data && <RuleDialog days={data.days} close={close} />}
      {asked === 'hold' && <HoldDialog close={close} />}
      {asked === 'lift' && (
        <ConfirmAction
          title={t('retention.lift.title')}
          description={t('retention.lift.description')}
          confirmLabel={t('retention.lift.confirm')}
          run={lift}
          announcement={{ done: t('retention.lift.done'), failed: t('retention.lift.failed') }}
          close={close}
        />
      )}
    </CardSection>
  );
}

function State({ retention, ask }: { retention: Retention; ask: (asked: Asked) => void }) {
  const { t, i18n } = useTranslation('team');
  const { days, hold, waiting, nextDueAt } = retention;
  const placedBy = useMembers()?.find(({ id }) => id === hold?.placedBy)?.username;
  const time = (at: string) => exactTime(at, i18n.language);
  return (
    <div className="flex flex-col items-start gap-3">
      <p>{days === null ? t('retention.never') : t('retention.after', { count: days })}</p>
      {waiting > 0 && (
        <p className="text-muted">
          {t('retention.waiting', { count: waiting })}
          {nextDueAt && ` ${t('retention.next', { time: time(nextDueAt) })}`}
        </p>
      )}
      {hold && (
        <Banner tone="warning" title={t('retention.hold.stands', { time: time(hold.placedAt) })}>
          <span className="break-words">{hold.reason}</span>
          {placedBy && ` · ${placedBy}`}
        </Banner>
      )}
      <Button size="sm" onClick={() => ask(hold ? 'lift' : 'hold')}>
        {t(hold ? 'retention.lift.open' : 'retention.hold.open')}
      </Button>
    </div>
  );
}

function RuleDialog({ days, close }: { days: number | null; close: () => void }) {
  const { t } = useTranslation('team');
  const message = useFieldMessage();
  const form = useContractForm(RetentionRule, { days });
  const [change] = useChangeRetentionMutation();
  const submitting = useSubmit(form, {
    send: change,
    done: t('retention.saved'),
    failed: t('retention.failed'),
    close,
  });
  return (
    <FormDialog
      title={t('retention.title')}
      description={t('retention.help')}
      {...submitting}
      submitLabel={t('retention.save')}
      pendingLabel={t('retention.saving')}
      close={close}
    >
      <Field
        label={t('retention.days')}
        help={t('retention.daysHelp')}
        error={message(form.formState.errors.days)}
      >
        <Input
          inputMode="numeric"
          autoComplete="off"
          {...form.register('days', { setValueAs: numberOrNull })}
        />
      </Field>
    </FormDialog>
  );
}

function HoldDialog({ close }: { close: () => void }) {
  const { t } = useTranslation('team');
  const message = useFieldMessage();
  const form = useContractForm(LegalHold, { reason: '' });
  const [place] = usePlaceLegalHoldMutation();
  const submitting = useSubmit(form, {
    send: place,
    done: t('retention.hold.done'),
    failed: t('retention.hold.failed'),
    close,
  });
  return (
    <FormDialog
      title={t('retention.hold.open')}
      description={t('retention.hold.description')}
      {...submitting}
      submitLabel={t('retention.hold.confirm')}
      pendingLabel={t('retention.saving')}
      close={close}
    >
      <Field
        label={t('retention.hold.reason')}
        help={t('retention.hold.reasonHelp')}
        error={message(form.formState.errors.reason)}
        required
      >
        <Textarea {...form.register('reason')} />
      </Field>
    </FormDialog>
  );
}
