import type { AgentModel } from '@tallyhand/contracts/features/agents/agents.fields';
import { listConnections } from '@tallyhand/contracts/features/models/models.endpoints';
import { mayCall } from '@tallyhand/contracts/kernel/access';
import type { HistoryEntry } from '@tallyhand/contracts/kernel/changes';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { cx } from '../../ui/cx.ts';
import { useModelName } from '../agents/model-options.ts';
import { useCurrentUser } from '../identity/identity.api.ts';
import { useListArticlesQuery } from '../knowledge/knowledge.api.ts';
import { useListConnectionsQuery } from '../models/models.api.ts';
import { useListPlaybooksQuery } from '../playbooks/playbooks.api.ts';
import { useListToolsQuery } from '../tools/tools.api.ts';
import type { VersionedKind } from './audit.api.ts';
import { type HistoryRow, historyRows, linesOf, shortened } from './history-rows.ts';

type Change = HistoryEntry['changes'][number];

/** Longer texts come cut from the server. */
const TEXT_MAX = 2_000;
const isLong = (value: unknown) => typeof value === 'string' && value.length >= TEXT_MAX;

/** The fields of an entry, each with what went and what came. */
export function HistoryChanges({
  kind,
  changes,
}: {
  kind: VersionedKind;
  changes: readonly Change[];
}) {
  const { fieldName, valueName, named } = useHistoryWords(kind);
  return (
    <dl className="flex flex-col gap-3">
      {changes.map(({ field, before, after }) => {
        const lines = (value: Change['after']) =>
          linesOf(named(field, value), (text) => valueName(field, text), fieldName);
        return (
          <div key={field} className="min-w-0">
            <dt className="text-xs font-medium text-muted">{fieldName(field)}</dt>
            <dd className="mt-1">
              <Comparison
                rows={historyRows(lines(before), lines(after))}
                isCut={isLong(before) || isLong(after)}
              />
            </dd>
          </div>
        );
      })}
    </dl>
  );
}

/** What went and what came. Shortened at first where it is long. */
export function Comparison({
  rows,
  isCut = false,
}: {
  rows: readonly HistoryRow[];
  /** The server sent only the beginning of the text. */
  isCut?: boolean;
}) {
  const { t } = useTranslation('audit');
  const [whole, setWhole] = useState(false);
  const short = shortened(rows);
  return (
    <>
      <div className="overflow-hidden rounded-md border border-line">
        {(whole ? rows : short.rows).map((row) => (
          <Row key={row.key} row={row} />
        ))}
      </div>
      {whole && isCut && <p className="mt-1 text-xs text-muted">{t('cut')}</p>}
      {short.isCut && (
        <button
          type="button"
          aria-expanded={whole}
          onClick={() => setWhole(!whole)}
          className="mt-1 min-h-6 rounded-sm text-xs font-medium text-accent underline-offset-4 hover:underline"
        >
          {whole ? t('showLess') : t('showAll')}
        </button>
      )}
    </>
  );
}

const styles = {
  ' ': { mark: '', line: 'text-muted', own: '' },
  '-': { mark: '−', line: 'wash-danger', own: 'bg-danger/15' },
  '+': { mark: '+', line: 'wash-success', own: 'bg-success/15' },
};

/** A deleted or inserted line differs by more than its color. */
function Row({ row }: { row: HistoryRow }) {
  const { t } = useTranslation('audit');
  if (row.sign === 'gap') {
    return (
      <p className="bg-sunken px-2 py-0.5 text-center text-xs text-muted">
        {t('gap', { count: row.count })}
      </p>
    );
  }
  const { mark, line, own } = styles[row.sign];
  const [start, changed, end] = row.text;
  const isWhole = start === '' && end === '';
  const Line = row.sign === '-' ? 'del' : row.sign === '+' ? 'ins' : 'span';
  return (
    <div className={cx('flex gap-2 px-2 py-0.5', line)}>
      <span aria-hidden className="w-3 shrink-0 text-center font-mono select-none">
        {mark}
      </span>
      <Line className="min-h-5 min-w-0 flex-1 break-words whitespace-pre-wrap no-underline">
        {start}
        {changed !== '' && <span className={cx('rounded-sm', !isWhole && own)}>{changed}</span>}
        {end}
      </Line>
    </div>
  );
}

const SHORT_ID_LENGTH = 8;

/** How the fields of a history and their values are called in the chosen language. */
export function useHistoryWords(kind: VersionedKind) {
  const { t } = useTranslation(['audit', 'agents']);
  // Only an agent's history speaks of other objects, by their ids.
  const skip = kind !== 'agents';
  const articles = useListArticlesQuery(undefined, { skip });
  const playbooks = useListPlaybooksQuery(undefined, { skip });
  const tools = useListToolsQuery(undefined, { skip });
  const { role } = useCurrentUser();
  const isHidden = skip || !mayCall(role, listConnections);
  const connections = useListConnectionsQuery(undefined, { skip: isHidden });
  const modelName = useModelName({ skip: isHidden });
  const names: Readonly<Record<string, ReadonlyMap<string, string> | undefined>> = {
    articles: articles.data && new Map(articles.data.map(({ id, title }) => [id, title])),
    playbooks: playbooks.data && new Map(playbooks.data.map(({ id, title }) => [id, title])),
    tools: tools.data && new Map(tools.data.map(({ id, name }) => [id, name])),
  };
  const modelInWords = (chosen: AgentModel): Change['after'] => {
    const { connectionId: id, model, fallback, temperature, maxOutputTokens, ...rest } = chosen;
    const effort = rest.reasoningEffort;
    const known = connections.data?.find((connection) => connection.id === id);
    const unknown = id && t('unknown', { id: id.slice(-SHORT_ID_LENGTH) });
    const parts = [
      [t('log.fields.connectionId'), known?.name ?? unknown],
      [t('fields.model'), id === null ? t('agents:form.model.builtIn') : model],
      [t('agents:form.model.fallback'), fallback && modelName(fallback)],
      [t('agents:form.model.temperature'), temperature],
      [t('agents:form.model.maxOutput'), maxOutputTokens],
      [t('agents:form.model.effort'), effort && t(`agents:form.model.efforts.${effort}`)],
    ] as const;
    const said = parts.flatMap(([name, one]) =>
      one === null || one === undefined ? [] : [[name, String(one)]],
    );
    return Object.fromEntries(said);
  };
  return {
    /** The model of an agent and the policies of a tool, in words. */
    named: (field: string, value: Change['after']): Change['after'] => {
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
      if (field === 'policies') {
        const { changes, operations } = value;
        const own = typeof operations === 'object' && operations !== null ? operations : {};
        return Object.fromEntries(
          [[t('policies.changes'), changes], ...Object.entries(own)].map(([name, policy]) => [
            name,
            t(`policies.values.${policy}` as 'policies.values.ask', { defaultValue: policy }),
          ]),
        );
      }
      return 'connectionId' in value ? modelInWords(value as AgentModel) : value;
    },
    /** A field without a translation has its name in the API. */
    fieldName: (field: string) =>
      t(`fields.${field.replace('.', '_')}` as 'fields.title', { defaultValue: field }),
    valueName: (field: string, value: string): string => {
      switch (field) {
        case 'isPublic':
        case 'isActive':
          return t(`values.${value}` as 'values.true', { defaultValue: value });
        case 'formPolicy':
          return t(`policies.values.${value}` as 'policies.values.ask', { defaultValue: value });
        case 'personaConfig.communicationStyle':
          return t(`agents:form.styles.${value}` as 'agents:form.styles.formal', {
            defaultValue: value,
          });
        case 'personaConfig.responseFormat':
          return t(`agents:form.formats.${value}` as 'agents:form.formats.concise', {
            defaultValue: value,
          });
        case 'articles':
        case 'playbooks':
        case 'tools':
          return names[field]?.get(value) ?? t('unknown', { id: value.slice(-SHORT_ID_LENGTH) });
        default:
          return value;
      }
    },
  };
}
