import { PARTS, type Part } from '../cost/process-costs.ts';
import { type Row, row, rowOfEach, short } from '../table.ts';
import { chart, type Line, type Panel } from './chart.ts';

export type MsByPart = Readonly<Record<Part, number>>;

/** Of one stage; milliseconds unless the name says otherwise. */
export type Figures = {
  readonly events: number;
  readonly ofLarge: number;
  readonly organizations: number;
  readonly startMs: number;
  /** From then on until the check of the whole event store has ended. */
  readonly settleMs: number;
  readonly memoryMb: number;
  /** Processor time of a second without calls, by part. */
  readonly idle: MsByPart;
  readonly readsMs: ReadonlyMap<string, { readonly p50: number; readonly p99: number }>;
  /** Processor time of a task, by part. */
  readonly task: MsByPart;
  readonly taskP50Ms: number;
  /** Of an organization whose ledger must be read from its first event. */
  readonly firstTaskMs: number;
  readonly eventStoreBytes: number;
  readonly databaseBytes: number;
  readonly backupMs: number;
  readonly rebuildMs: number;
};

const size = (events: number) =>
  events < 1_000_000 ? `${short(events / 1_000)} k` : `${short(events / 1_000_000)} M`;

export function rowsOf(figures: readonly Figures[]): Row[] {
  const line = (what: string, of: (one: Figures) => number, unit = '') =>
    rowOfEach(what, figures, of, unit);
  const reads = [...(figures[0]?.readsMs.keys() ?? [])].flatMap((name) => [
    line(`${name} of the large organization: p50`, (one) => one.readsMs.get(name)?.p50 ?? 0, 'ms'),
    line('the same: p99', (one) => one.readsMs.get(name)?.p99 ?? 0, 'ms'),
  ]);
  return [
    row('events in all', figures.map(({ events }) => events.toLocaleString('en')).join('; ')),
    row('events of the large organization', figures.map((one) => short(one.ofLarge)).join('; ')),
    row('organizations added', figures.map((one) => short(one.organizations)).join('; ')),
    ...reads,
    line('a task of it, 16 clients: processor time', (one) => total(one.task), 'ms'),
    ...PARTS.map((part) => line(`the same: ${part}`, ({ task }) => task[part], 'ms')),
    line('the same: p50', (one) => one.taskP50Ms, 'ms'),
    line('its first task, without a snapshot of the ledger', (one) => one.firstTaskMs, 'ms'),
    line('warm start', (one) => one.startMs, 'ms'),
    line('until the check of the whole event store has ended', (one) => one.settleMs / 1000, 's'),
    line('memory when idle (PSS)', (one) => one.memoryMb, 'MB'),
    line('idle, a second: processor time', ({ idle }) => total(idle), 'ms'),
    ...PARTS.map((part) => line(`the same: ${part}`, ({ idle }) => idle[part], 'ms')),
    line('event store on disk, an event', (one) => one.eventStoreBytes / one.events / 1024, 'kB'),
    line('PostgreSQL on disk, an event', (one) => one.databaseBytes / one.events / 1024, 'kB'),
    line('backup: events/s', (one) => (one.events * 1000) / one.backupMs),
    line('rebuild of all read models: events/s', (one) => (one.events * 1000) / one.rebuildMs),
  ];
}

const total = (parts: MsByPart) => Object.values(parts).reduce((sum, ms) => sum + ms, 0);

/** As SVG. */
export function pictureOf(figures: readonly Figures[]): string {
  const values = (of: (one: Figures) => number) => figures.map(of);
  const p99 = (name: string): Line => ({
    name,
    values: values((one) => one.readsMs.get(name)?.p99 ?? 0),
  });
  const panels: Panel[] = [
    {
      title: 'Reads of the large organization: p99, ms',
      lines: ['tasks', 'audit log', 'ledger', 'articles'].map(p99),
    },
    {
      title: 'Other reads of it: p99, ms',
      lines: ['agents', 'members', 'search, found', 'search, nothing'].map(p99),
    },
    {
      title: 'A task of the large organization: processor time, ms',
      lines: PARTS.map((part) => ({
        name: part,
        values: values(({ task }) => task[part]),
      })),
    },
    {
      title: 'Warm start, s',
      lines: [{ name: 'first page', values: values(({ startMs }) => startMs / 1000) }],
    },
    {
      title: 'Memory when idle, MB',
      lines: [{ name: 'all processes', values: values(({ memoryMb }) => memoryMb) }],
    },
    {
      title: 'Backup and rebuild, thousand events a second',
      lines: [
        { name: 'backup', values: values(({ events, backupMs }) => events / backupMs) },
        { name: 'rebuild', values: values(({ events, rebuildMs }) => events / rebuildMs) },
      ],
    },
  ];
  return chart(
    'What the same work costs with larger and larger histories, by the number of events',
    figures.map(({ events }) => size(events)),
    panels,
  );
}
