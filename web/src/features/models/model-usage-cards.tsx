import type { ModelUsageRow } from '@tallyhand/contracts/features/models/models.endpoints';
import { Download } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { NotLoaded } from '../../app/loaded.tsx';
import { useSort } from '../../app/use-sort.ts';
import { CardSection } from '../../ui/card.tsx';
import { ChartSwitch } from '../../ui/chart-switch.tsx';
import { BarList, ColumnChart, type ColumnValue } from '../../ui/charts.tsx';
import { dateFormat, numberFormat } from '../../ui/formats.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { useGetModelUsageQuery } from './models.api.ts';
import { usageCsv } from './usage-csv.ts';
import { costText, hasNoPrice, useCostText } from './usage-lines.tsx';

type Range = { from: string; to: string };
type Group = 'day' | 'agent' | 'member' | 'model';

const BARS_MAX = 8;

/** Tokens and cost of models in these days: by day, agent, member and model. */
export function ModelUsageCards({ range }: { range: Range }) {
  const { currentData: days, error } = useGetModelUsageQuery({ by: 'day', ...range });
  // Nothing where all agents answer with the built-in engine.
  if (!error && !days?.some(({ calls }) => calls > 0)) return null;
  return (
    <>
      <UsageCard by="day" range={range} />
      <div className="grid items-start gap-6 md:grid-cols-3">
        <UsageCard by="agent" range={range} />
        <UsageCard by="member" range={range} />
        <UsageCard by="model" range={range} />
      </div>
    </>
  );
}

function UsageCard({ by, range }: { by: Group; range: Range }) {
  const { t } = useTranslation('usage');
  const [asTable, setAsTable] = useState(false);
  const { currentData: rows, error, refetch } = useGetModelUsageQuery({ by, ...range });
  const title = t(`by.${by}`);
  return (
    <CardSection
      title={title}
      className="min-w-0"
      actions={
        rows && (
          <div className="flex items-center gap-1">
            <IconButton
              icon={Download}
              label={t('csv', { title })}
              onClick={() => download(`model-usage-by-${by}-${range.from}-${range.to}.csv`, rows)}
            />
            <ChartSwitch title={title} asTable={asTable} onChange={setAsTable} />
          </div>
        )
      }
    >
      {!rows && (
        <NotLoaded query={{ error, refetch }} label={t('loading')} count={1} skeleton="h-32" />
      )}
      {rows &&
        (asTable ? (
          <UsageTable by={by} rows={rows} label={title} />
        ) : (
          <Picture by={by} rows={rows} label={title} />
        ))}
    </CardSection>
  );
}

function download(name: string, rows: readonly ModelUsageRow[]) {
  const url = URL.createObjectURL(new Blob([usageCsv(rows)], { type: 'text/csv' }));
  const link = Object.assign(document.createElement('a'), { href: url, download: name });
  link.click();
  URL.revokeObjectURL(url);
}

type Shown = { by: Group; rows: readonly ModelUsageRow[]; label: string };

function useNames(by: Group) {
  const { t, i18n } = useTranslation('usage');
  const day = dateFormat(i18n.language, { day: 'numeric', month: 'short', timeZone: 'UTC' });
  return ({ key, name }: ModelUsageRow): string => {
    if (by === 'day') return day.format(new Date(`${key}T00:00:00Z`));
    if (name) return name;
    if (key === 'none') return by === 'agent' ? t('noAgent') : t('noMember');
    return by === 'agent' ? t('formerAgent') : t('formerMember');
  };
}

const tokensOf = ({ inputTokens, outputTokens }: ModelUsageRow) => inputTokens + outputTokens;

/** By cost; by tokens where nothing has a price. */
function Picture({ by, rows, label }: Shown): ReactNode {
  const { t, i18n } = useTranslation('usage');
  const [pointed, setPointed] = useState<ColumnValue>();
  const nameOf = useNames(by);
  const number = (value: number) => numberFormat(i18n.language).format(value);
  const sum = (of: (row: ModelUsageRow) => number) => rows.reduce((all, row) => all + of(row), 0);
  const cost = sum(({ costMicros }) => costMicros);
  const costOf = useCostText();
  const hasCost = cost > 0;
  const figureOf = (row: ModelUsageRow) => (hasCost ? row.costMicros : tokensOf(row));
  const textOf = (row: ModelUsageRow) => (hasCost ? costOf(row) : number(tokensOf(row)));
  if (by !== 'day') {
    const bars = rows.slice(0, BARS_MAX);
    return (
      <BarList
        label={label}
        bars={bars.map((row) => ({
          key: row.key,
          label: nameOf(row),
          value: figureOf(row),
          figure: textOf(row),
        }))}
      />
    );
  }
  const calls = sum((row) => row.calls);
  const unpricedCalls = sum((row) => row.unpricedCalls);
  const estimatedCalls = sum((row) => row.estimatedCalls);
  const all = { calls, unpricedCalls, estimatedCalls, costMicros: cost };
  const tokens = number(sum(tokensOf));
  const summary = [
    t('sum', { cost: costOf(all), tokens }),
    unpricedCalls > 0 && !hasNoPrice(all) && t('someUnpriced'),
    estimatedCalls > 0 && t('someEstimated'),
  ]
    .filter(Boolean)
    .join(' ');
  const shown = pointed && rows.find(({ key }) => key === pointed.key);
  return (
    <>
      <p className="tabular text-muted">{shown ? `${nameOf(shown)}: ${textOf(shown)}` : summary}</p>
      <ColumnChart
        summary={summary}
        columns={rows.map((row) => ({ key: row.key, label: nameOf(row), value: figureOf(row) }))}
        format={(value) => (hasCost ? costText(i18n.language, value) : number(value))}
        onPoint={setPointed}
      />
    </>
  );
}

function UsageTable({ by, rows, label }: Shown) {
  const { t, i18n } = useTranslation('usage');
  const nameOf = useNames(by);
  const costOf = useCostText();
  const number = (value: number) => numberFormat(i18n.language).format(value);
  const figure = (
    key: 'calls' | 'inputTokens' | 'cachedTokens' | 'outputTokens',
  ): Column<ModelUsageRow> => ({
    key,
    header: t(`columns.${key}`),
    numeric: true,
    sortBy: { number: (row) => row[key] },
    cell: (row) => number(row[key]),
  });
  const columns: Column<ModelUsageRow>[] = [
    {
      key: 'name',
      header: t(`columns.${by}`),
      cell: nameOf,
      sortBy: by === 'day' ? { time: ({ key }) => key } : { text: nameOf },
      className: 'w-full max-w-0 truncate',
    },
    {
      key: 'cost',
      header: t('columns.cost'),
      numeric: true,
      sortBy: { number: ({ costMicros }) => costMicros },
      cell: costOf,
    },
    figure('calls'),
    figure('inputTokens'),
    figure('cachedTokens'),
    figure('outputTokens'),
  ];
  const sort = useSort(`model-${by}-sort`, columns);
  return (
    <Table
      narrow
      label={label}
      columns={columns}
      rows={rows}
      rowKey={({ key }) => key}
      sort={sort}
    />
  );
}
