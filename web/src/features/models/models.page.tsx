import { MODEL_PROVIDERS } from '@tallyhand/contracts/features/models/model-providers';
import {
  type Connection,
  type ConnectionTest,
  createConnection,
} from '@tallyhand/contracts/features/models/models.endpoints';
import { BrainCircuit, FlaskConical, KeyRound, Plus } from 'lucide-react';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { describeProblem } from '../../app/problem.ts';
import { ResourceCard, ResourceGrid } from '../../app/resource-list.tsx';
import { type ResourceActions, ResourcePage } from '../../app/resource-page.tsx';
import { describeSentence } from '../../app/sentence.ts';
import { Badge, StatusBadge } from '../../ui/badge.tsx';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { MenuItem } from '../../ui/dropdown-menu.tsx';
import { Field, Select } from '../../ui/field.tsx';
import { VersionedItems } from '../audit/versioned-dialogs.tsx';
import { ConnectionDialog } from './connection-dialog.tsx';
import { LocalServersCard } from './local-servers-card.tsx';
import { MeaningSearchCard } from './meaning-search-card.tsx';
import { useListConnectionsQuery, useTestConnectionMutation } from './models.api.ts';

type ConnectionActions = ResourceActions<Connection, 'test'>;

/** The connections to providers of models. */
export function ModelsPage() {
  const { t } = useTranslation('models');
  const query = useListConnectionsQuery();
  return (
    <ResourcePage
      kind="models"
      query={query}
      create={createConnection}
      title={t('title')}
      description={t('description')}
      createLabel={t('add')}
      intro={<LocalServersCard />}
      outro={<MeaningSearchCard />}
      list={(actions) => (
        <ResourceGrid
          query={query}
          label={t('list')}
          loading={t('loading')}
          skeleton="h-40 rounded-lg"
          empty={{
            icon: BrainCircuit,
            title: t('empty.title'),
            description: actions.mayChange ? t('empty.description') : t('empty.forOthers'),
            action: actions.mayChange && (
              <Button icon={Plus} variant="primary" onClick={actions.create}>
                {t('add')}
              </Button>
            ),
          }}
        >
          {(connection) => <ConnectionCard connection={connection} {...actions} />}
        </ResourceGrid>
      )}
      form={(connection, close) => <ConnectionDialog connection={connection} close={close} />}
      dialogs={{
        test: (connection, close) => <TestDialog connection={connection} close={close} />,
      }}
      history={(connection) => ({
        title: connection ? t('history.title', { name: connection.name }) : t('history.untitled'),
        description: t('history.description'),
      })}
    />
  );
}

type CardProps = ConnectionActions & { connection: Connection };

function ConnectionCard({ connection, mayChange, open, showHistory }: CardProps) {
  const { t } = useTranslation('models');
  const { name, provider, baseUrl, models, apiKey, version } = connection;
  const menu = (
    <VersionedItems
      kind="models"
      onEdit={mayChange ? () => open('edit', connection) : undefined}
      onHistory={() => showHistory(connection.id)}
      onDelete={mayChange ? () => open('delete', connection) : undefined}
    >
      {mayChange && (
        <MenuItem icon={FlaskConical} onSelect={() => open('test', connection)}>
          {t('menu.test')}
        </MenuItem>
      )}
    </VersionedItems>
  );
  return (
    <ResourceCard
      name={name}
      subtitle={
        <p className="truncate text-xs text-muted" title={baseUrl}>
          {new URL(baseUrl).host}
        </p>
      }
      menu={menu}
    >
      <p className="line-clamp-2 flex-1 break-words text-muted" title={models.join(', ')}>
        {t('card.default', { model: models[0] })}
      </p>
      <p
        className={`flex items-center gap-2 text-xs ${apiKey === 'required' ? 'text-warning' : 'text-muted'}`}
      >
        <KeyRound aria-hidden className="size-3.5 shrink-0" />
        {t(`card.key.${apiKey}`)}
      </p>
      <div className="flex items-center justify-between gap-2 border-t border-line pt-3 text-xs text-muted">
        <Badge>{providerName(provider, t('form.otherProvider'))}</Badge>
        <span>
          {t('card.models', { count: models.length })} · {t('card.version', { version })}
        </span>
      </div>
    </ResourceCard>
  );
}

const providerName = (provider: string, other: string) =>
  provider in MODEL_PROVIDERS && provider !== 'other'
    ? MODEL_PROVIDERS[provider as keyof typeof MODEL_PROVIDERS].name
    : other;

/** Makes real calls with a model of the connection. Closing stops them. */
function TestDialog({ connection, close }: { connection: Connection; close: () => void }) {
  const { t } = useTranslation('models');
  const [model, setModel] = useState(connection.models[0] ?? '');
  const [test, { data: result, error, isLoading: pending }] = useTestConnectionMutation();
  const running = useRef<ReturnType<typeof test>>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!pending) running.current = test({ id: connection.id, model });
  };
  return (
    <FormDialog
      title={t('test.title', { name: connection.name })}
      description={t('test.description')}
      submit={submit}
      submitLabel={t('test.submit')}
      pending={pending}
      pendingLabel={t('test.running')}
      close={close}
    >
      <Field label={t('test.model')}>
        <Select
          name="model"
          value={model}
          options={connection.models.map((value) => ({ value, label: value }))}
          onChange={(event) => setModel(event.target.value)}
        />
      </Field>
      <div aria-live="polite" className="flex flex-col gap-3">
        {error && !pending && <Banner tone="danger">{describeProblem(t, error)}</Banner>}
        {result && !pending && <TestResult result={result} />}
      </div>
    </FormDialog>
  );
}

const ABILITIES = ['streaming', 'tools', 'jsonSchema', 'images', 'embeddings'] as const;

function TestResult({ result }: { result: ConnectionTest }) {
  const { t } = useTranslation('models');
  const { works, latencyMs, abilities, failure } = result;
  const said = (ability: boolean | null) => {
    if (ability === null) return t('test.unknown');
    return ability ? t('test.yes') : t('test.no');
  };
  return (
    <section
      aria-label={t('test.result')}
      className="flex flex-col gap-3 rounded-lg border border-line bg-surface p-4"
    >
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-muted">
        <StatusBadge
          status={works ? 'success' : 'failed'}
          label={works ? t('test.works') : t('test.failed')}
        />
        {works && <span className="tabular">{t('test.latency', { ms: latencyMs })}</span>}
      </div>
      {failure && <p className="break-words">{describeSentence(t, failure, failure.text)}</p>}
      {works && (
        <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1">
          {ABILITIES.map((ability) => (
            <div key={ability} className="contents">
              <dt className="text-muted">{t(`test.abilities.${ability}`)}</dt>
              <dd>{said(abilities[ability])}</dd>
            </div>
          ))}
        </dl>
      )}
    </section>
  );
}
