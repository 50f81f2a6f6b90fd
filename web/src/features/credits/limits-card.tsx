import {
  type SpendLimit,
  SpendLimitInput,
} from '@tallyhand/contracts/features/credits/credits.endpoints';
import type { LimitScope } from '@tallyhand/contracts/features/credits/credits.events';
import { Gauge, Plus } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { z } from 'zod';
import { fillingOf } from '../../app/filling.ts';
import { numberOrNull, useContractForm, useFieldMessage, useSubmit } from '../../app/form.ts';
import { ResourceTable } from '../../app/resource-list.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { CardSection } from '../../ui/card.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Field, Input, Select } from '../../ui/field.tsx';
import type { Column } from '../../ui/table.tsx';
import { useListAgentsQuery } from '../agents/agents.api.ts';
import { useListMembersQuery } from '../team/team.api.ts';
import { useListLimitsQuery, useSetLimitMutation } from './credits.api.ts';
import { useFormats } from './use-formats.ts';

type Overlay = { kind: 'add' } | { kind: 'edit'; limit: SpendLimit };

/** What agents and members may spend in a month. */
export function LimitsCard() {
  const { t } = useTranslation('credits');
  const { data: limits } = useListLimitsQuery();
  const [overlay, setOverlay] = useState<Overlay>();
  const close = () => setOverlay(undefined);
  return (
    <CardSection
      title={t('limits.title')}
      actions={
        // The empty list offers it itself.
        fillingOf(limits) === 'filled' && (
          <Button
            icon={Plus}
            size="sm"
            variant="primary"
            onClick={() => setOverlay({ kind: 'add' })}
          >
            {t('limits.add')}
          </Button>
        )
      }
    >
      <p className="-mt-2 mb-3 max-w-[68ch] text-muted">{t('limits.description')}</p>
      <Limits
        add={() => setOverlay({ kind: 'add' })}
        edit={(limit) => setOverlay({ kind: 'edit', limit })}
      />
      {overlay?.kind === 'add' && <AddLimitDialog limits={limits ?? []} close={close} />}
      {overlay?.kind === 'edit' && <EditLimitDialog limit={overlay.limit} close={close} />}
    </CardSection>
  );
}

function Limits({ add, edit }: { add: () => void; edit: (limit: SpendLimit) => void }) {
  const { t } = useTranslation('credits');
  const nameOf = useLimitName();
  return (
    <ResourceTable
      query={useListLimitsQuery()}
      loading={{
        label: t('limits.loading'),
        count: 2,
        skeleton: 'h-8',
      }}
      empty={
        <EmptyState
          icon={Gauge}
          title={t('limits.empty')}
          description={t('limits.emptyDescription')}
          action={
            <Button icon={Plus} variant="primary" onClick={add}>
              {t('limits.add')}
            </Button>
          }
        />
      }
      sortName="limits-sort"
      label={t('limits.title')}
      columns={useColumns()}
      rowKey={({ scope }) => `${scope.kind}.${scope.id}`}
      actionsLabel={t('limits.actions')}
      actions={(limit) => (
        <Button size="sm" variant="ghost" className="-mr-3" onClick={() => edit(limit)}>
          {t('limits.edit')}
          <span className="sr-only"> {t('limits.of', { name: nameOf(limit) })}</span>
        </Button>
      )}
    />
  );
}

function useColumns(): Column<SpendLimit>[] {
  const { t } = useTranslation('credits');
  const { number } = useFormats();
  const nameOf = useLimitName();
  return [
    {
      key: 'name',
      header: t('limits.who'),
      className: 'w-full max-w-0',
      sortBy: { text: nameOf },
      cell: (limit) => (
        <span className="block truncate font-medium" title={nameOf(limit)}>
          {nameOf(limit)}
        </span>
      ),
    },
    {
      key: 'kind',
      header: t('limits.kind'),
      sortBy: { text: ({ scope }) => t(`limits.kinds.${scope.kind}`) },
      cell: ({ scope }) => t(`limits.kinds.${scope.kind}`),
    },
    {
      key: 'limit',
      header: t('limits.monthly'),
      numeric: true,
      sortBy: { number: ({ monthlyCredits }) => monthlyCredits },
      cell: ({ monthlyCredits }) => number(monthlyCredits),
    },
    {
      key: 'used',
      header: t('limits.used'),
      numeric: true,
      sortBy: { number: ({ usedThisMonth }) => usedThisMonth },
      cell: ({ usedThisMonth }) => number(usedThisMonth),
    },
    {
      key: 'standing',
      header: t('limits.standing'),
      numeric: true,
      sortBy: { number: leftOf },
      cell: (limit) => <Standing limit={limit} />,
    },
  ];
}

const leftOf = ({ usedThisMonth, monthlyCredits }: SpendLimit) =>
  Math.max(0, monthlyCredits - usedThisMonth);

function Standing({ limit }: { limit: SpendLimit }) {
  const { t } = useTranslation('credits');
  const { number } = useFormats();
  const left = leftOf(limit);
  if (left === 0) return <Badge tone="warning">{t('limits.reached')}</Badge>;
  return number(left);
}

const { monthlyCredits } = SpendLimitInput.shape;

const Change = z.object({ monthlyCredits });
const Addition = z.object({
  who: z.string().min(1, 'Choose an agent or a member'),
  monthlyCredits: monthlyCredits.unwrap(),
});

function useLimitTexts() {
  const { t } = useTranslation('credits');
  return {
    done: (set: { monthlyCredits: number | null }) =>
      set.monthlyCredits === null ? t('toasts.limitRemoved') : t('toasts.limitSaved'),
    failed: t('toasts.limitFailed'),
  };
}

function EditLimitDialog({ limit, close }: { limit: SpendLimit; close: () => void }) {
  const { t } = useTranslation('credits');
  const message = useFieldMessage();
  const nameOf = useLimitName();
  const form = useContractForm(Change, { monthlyCredits: limit.monthlyCredits });
  const [setLimit] = useSetLimitMutation();
  const submitting = useSubmit(form, {
    send: (change) => setLimit({ ...limit.scope, ...change }),
    ...useLimitTexts(),
    close,
  });
  return (
    <FormDialog
      title={t('limits.editTitle', { name: nameOf(limit) })}
      description={t('limits.help')}
      {...submitting}
      submitLabel={t('limits.save')}
      pendingLabel={t('saving')}
      close={close}
    >
      <Field
        label={t('limits.monthly')}
        help={t('limits.emptyHelp')}
        error={message(form.formState.errors.monthlyCredits)}
      >
        <Input
          inputMode="numeric"
          autoComplete="off"
          {...form.register('monthlyCredits', { setValueAs: numberOrNull })}
        />
      </Field>
    </FormDialog>
  );
}

const scopeOf = (who: string): LimitScope => {
  const [kind, id = ''] = who.split(':');
  return { kind: kind === 'agent' ? 'agent' : 'member', id };
};

/** Agents and members who have no limit yet. */
function useChoices(limits: readonly SpendLimit[]) {
  const { t } = useTranslation('credits');
  const { data: agents = [] } = useListAgentsQuery();
  const { data: members = [] } = useListMembersQuery();
  const taken = new Set(limits.map(({ scope }) => `${scope.kind}:${scope.id}`));
  return [
    { value: '', label: t('limits.choose') },
    ...agents.map(({ id, name }) => ({
      value: `agent:${id}`,
      label: t('limits.agentNamed', { name }),
    })),
    ...members.map(({ id, username }) => ({
      value: `member:${id}`,
      label: t('limits.memberNamed', { name: username }),
    })),
  ].filter(({ value }) => !taken.has(value));
}

function AddLimitDialog({ limits, close }: { limits: readonly SpendLimit[]; close: () => void }) {
  const { t } = useTranslation('credits');
  const message = useFieldMessage();
  const choices = useChoices(limits);
  const form = useContractForm(Addition, { who: '' });
  const { errors } = form.formState;
  const [setLimit] = useSetLimitMutation();
  const submitting = useSubmit(form, {
    send: ({ who, monthlyCredits }) => setLimit({ ...scopeOf(who), monthlyCredits }),
    ...useLimitTexts(),
    close,
  });
  return (
    <FormDialog
      title={t('limits.addTitle')}
      description={t('limits.help')}
      {...submitting}
      submitLabel={t('limits.save')}
      pendingLabel={t('saving')}
      close={close}
    >
      <Field label={t('limits.who')} error={message(errors.who)} required>
        <Select options={choices} {...form.register('who')} />
      </Field>
      <Field label={t('limits.monthly')} error={message(errors.monthlyCredits)} required>
        <Input
          inputMode="numeric"
          autoComplete="off"
          {...form.register('monthlyCredits', { setValueAs: numberOrNull })}
        />
      </Field>
    </FormDialog>
  );
}

/** Gives the name of a limit's agent or member, also after that was deleted. */
function useLimitName() {
  const { t } = useTranslation('credits');
  return ({ name, scope }: SpendLimit) =>
    name ?? (scope.kind === 'agent' ? t('formerAgent') : t('formerMember'));
}
