import type { Agent } from '@tallyhand/contracts/features/agents/agents.endpoints';
import {
  COMPARED_MAX,
  COMPARED_MIN,
} from '@tallyhand/contracts/features/tasks/comparisons.endpoints';
import { ExecuteInput } from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import { Plus, X } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useParams } from 'react-router-dom';
import { useContractForm, useFieldMessage, useSubmit } from '../../app/form.ts';
import { FormFailure } from '../../app/form-failure.tsx';
import { LoadFailed, NotLoaded } from '../../app/loaded.tsx';
import { Page } from '../../app/page.tsx';
import { useSearchParam } from '../../app/use-address.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Card, CardSection } from '../../ui/card.tsx';
import { Field, Select, Textarea } from '../../ui/field.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { Link } from '../../ui/link.tsx';
import { Loading, Skeletons } from '../../ui/loading.tsx';
import { runsForm } from '../../ui/run-keys.ts';
import { RelativeTime } from '../../ui/time.tsx';
import { useGetAgentQuery } from '../chat/chat.api.ts';
import { useListConnectionsQuery } from '../models/models.api.ts';
import { useWorkPrices } from '../models/work-price.ts';
import { useGetOrganizationQuery } from '../organizations/organizations.api.ts';
import { TaskStatus } from '../tasks/task-links.tsx';
import { useCompareVariantsMutation, useListComparisonsQuery } from '../tasks/tasks.api.ts';
import { useAgentVersion } from './agent-version.ts';
import { type Column, firstColumns, OWN_MODEL, repeatedIn, variantOf } from './compare.ts';
import { ComparedAnswers, useVariantName } from './compare-answers.tsx';
import { isMissing, MissingAgent } from './missing-agent.tsx';
import { BUILT_IN, choiceOf, optionsOf } from './model-options.ts';

const LISTED = 10;
const VERSIONS_LISTED = 200;
const Instruction = ExecuteInput.pick({ input: true });

/** `/agents/{id}/compare`: one instruction on several versions and models, side by side. */
export function ComparePage() {
  const { t } = useTranslation('compare');
  const { id = '' } = useParams();
  const { data: agent, error, refetch } = useGetAgentQuery(id);
  const [comparisonId, show] = useSearchParam('comparison');
  if (!agent && isMissing(error)) return <MissingAgent title={t('title')} />;
  if (!agent && error) return <LoadFailed error={error} onRetry={refetch} />;
  return (
    <Page
      title={t('title')}
      description={agent && t('description', { name: agent.name })}
      action={agent && <ButtonLink to={`/agents/${agent.id}`}>{t('toAgent')}</ButtonLink>}
    >
      {!agent && (
        <Loading label={t('loading')} className="flex flex-col gap-4">
          <Skeletons count={2} className="h-40 rounded-lg" />
        </Loading>
      )}
      {agent && (
        <>
          {!agent.isActive && <Banner tone="warning">{t('paused', { name: agent.name })}</Banner>}
          <CompareForm agent={agent} show={show} />
          {comparisonId && <ComparedAnswers key={comparisonId} id={comparisonId} agent={agent} />}
          <Earlier agentId={agent.id} shown={comparisonId} />
        </>
      )}
    </Page>
  );
}

function CompareForm({ agent, show }: { agent: Agent; show: (id: string) => void }) {
  const { t } = useTranslation('compare');
  const message = useFieldMessage();
  const [columns, setColumns] = useState(() => firstColumns(agent.version));
  const [compare] = useCompareVariantsMutation();
  const form = useContractForm(Instruction, { input: '' });
  const { submit, pending } = useSubmit(form, {
    send: ({ input }) => compare({ id: agent.id, input, variants: columns.map(variantOf) }),
    failed: t('failed'),
    onDone: ({ comparisonId }) => show(comparisonId),
  });
  const repeated = repeatedIn(columns);
  const { data: organization } = useGetOrganizationQuery();
  const available = organization?.creditBalance ?? 0;
  const price = usePrice(agent, columns);
  const isPoor = price !== undefined && available < price;
  const change = (key: number, changed: Partial<Column>) =>
    setColumns(columns.map((one) => (one.key === key ? { ...one, ...changed } : one)));
  const add = () => {
    const key = Math.max(...columns.map((one) => one.key)) + 1;
    setColumns([...columns, { key, version: agent.version, option: OWN_MODEL }]);
  };
  return (
    <Card>
      <form noValidate onSubmit={submit} className="flex flex-col gap-4">
        <Field
          label={t('input')}
          help={t('help')}
          error={message(form.formState.errors.input)}
          required
        >
          <Textarea
            rows={3}
            readOnly={pending}
            aria-keyshortcuts="Control+Enter Meta+Enter"
            onKeyDown={runsForm}
            {...form.register('input')}
          />
        </Field>
        <div className="grid grid-cols-1 gap-4 sm:grid-cols-2 lg:grid-cols-4">
          {columns.map((column, at) => (
            <ColumnFields
              key={column.key}
              agent={agent}
              column={column}
              place={at + 1}
              isRepeated={repeated.includes(at)}
              change={(changed) => change(column.key, changed)}
              remove={
                columns.length > COMPARED_MIN
                  ? () => setColumns(columns.filter(({ key }) => key !== column.key))
                  : undefined
              }
            />
          ))}
        </div>
        {isPoor && <Banner tone="warning">{t('noCredits', { price, available })}</Banner>}
        <FormFailure form={form} />
        <div className="phone-bar flex flex-wrap items-center justify-end gap-2">
          {columns.length < COMPARED_MAX && (
            <Button icon={Plus} onClick={add} className="mr-auto">
              {t('add')}
            </Button>
          )}
          <Button
            type="submit"
            variant="primary"
            pending={pending}
            disabled={
              !pending && (!agent.isActive || isPoor || price === undefined || repeated.length > 0)
            }
          >
            {t('submit', { count: price ?? columns.length })}
          </Button>
        </div>
      </form>
    </Card>
  );
}

/** Credits for all columns; undefined until the models of all versions are known. */
function usePrice(agent: Agent, columns: readonly Column[]): number | undefined {
  const priceOf = useWorkPrices();
  const versionAt = (at: number) => columns[at]?.version ?? agent.version;
  // Hooks, one for each possible column.
  const versions = [
    useAgentVersion(agent, versionAt(0)),
    useAgentVersion(agent, versionAt(1)),
    useAgentVersion(agent, versionAt(2)),
    useAgentVersion(agent, versionAt(3)),
  ];
  let sum = 0;
  for (const [at, { option }] of columns.entries()) {
    const then = versions[at];
    const model = option === OWN_MODEL ? then?.model : choiceOf(option);
    if (!priceOf || model === undefined) return undefined;
    sum += priceOf('task', model);
  }
  return sum;
}

function ColumnFields({
  agent,
  column: { version, option },
  place,
  isRepeated,
  change,
  remove,
}: {
  agent: Agent;
  column: Column;
  place: number;
  isRepeated: boolean;
  change: (changed: Partial<Column>) => void;
  /** Absent while there are only as many as a comparison needs. */
  remove: (() => void) | undefined;
}) {
  const { t } = useTranslation('compare');
  const { t: words } = useTranslation('agents');
  const { t: rules } = useTranslation('validation');
  const { data: connections = [] } = useListConnectionsQuery();
  const oldest = Math.max(1, agent.version - VERSIONS_LISTED + 1);
  const versions = Array.from({ length: agent.version - oldest + 1 }, (_, at) => {
    const one = agent.version - at;
    const label = t(one === agent.version ? 'currentVersion' : 'version', { version: one });
    return { value: String(one), label };
  });
  const models = [
    { value: OWN_MODEL, label: t('ownModel') },
    { value: '', label: words('form.model.standard') },
    { value: BUILT_IN, label: words('form.model.builtIn') },
    ...optionsOf(connections, []),
  ];
  return (
    <fieldset className="flex min-w-0 flex-col gap-3 rounded-md border border-line p-3">
      <legend className="sr-only">{t('answer', { place })}</legend>
      <div className="flex min-h-8 items-center justify-between gap-2">
        <span aria-hidden className="text-xs font-medium text-muted">
          {t('answer', { place })}
        </span>
        {remove && <IconButton icon={X} label={t('remove', { place })} onClick={remove} />}
      </div>
      <Field label={t('versionLabel')}>
        <Select
          value={String(version)}
          options={versions}
          onChange={({ target }) => change({ version: Number(target.value) })}
        />
      </Field>
      <Field
        label={words('form.model.label')}
        error={isRepeated ? rules('Each answer needs another version or model') : undefined}
      >
        <Select
          value={option}
          options={models}
          onChange={({ target }) => change({ option: target.value })}
        />
      </Field>
    </fieldset>
  );
}

/** The latest comparisons of the agent. */
function Earlier({ agentId, shown }: { agentId: string; shown: string }) {
  const { t } = useTranslation('compare');
  const nameOf = useVariantName();
  const query = useListComparisonsQuery({ id: agentId, limit: LISTED });
  return (
    <CardSection title={t('earlier')}>
      {!query.data && (
        <NotLoaded query={query} label={t('loading')} count={3} skeleton="my-3 h-6" />
      )}
      {query.data?.length === 0 && <p className="text-muted">{t('none')}</p>}
      <ul className="-mx-2 flex flex-col">
        {query.data?.map(({ id, input, createdAt, variants }) => (
          <li key={id} className="border-t border-line first:border-0">
            <Link
              to={`/agents/${agentId}/compare?comparison=${id}`}
              aria-current={id === shown ? 'true' : undefined}
              className="flex min-h-12 flex-col gap-1 rounded-md px-2 py-2 transition-colors duration-150 ease-out hover:bg-sunken aria-[current]:bg-sunken"
            >
              <span className="flex min-w-0 items-baseline gap-2">
                <span className="truncate font-medium">{input}</span>
                <span className="shrink-0 text-xs text-muted">
                  <RelativeTime at={createdAt} />
                </span>
              </span>
              <span className="flex flex-wrap gap-x-4 gap-y-1 text-muted">
                {variants.map((variant) => (
                  <span key={variant.taskId} className="inline-flex min-w-0 items-center gap-2">
                    <span className="truncate">{nameOf(variant)}</span>
                    <TaskStatus status={variant.status} />
                  </span>
                ))}
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </CardSection>
  );
}
