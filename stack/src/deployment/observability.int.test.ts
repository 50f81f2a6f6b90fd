import { parser } from '@prometheus-io/lezer-promql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { readFile } from '../testing/compose-file.ts';
import { type DayOfFaults, dayOfFaults } from '../testing/day-of-faults.ts';

const Rules = z.object({
  groups: z.array(
    z.object({
      name: z.string(),
      rules: z.array(
        z.strictObject({
          alert: z.string().regex(/^([A-Z][a-z]+)+$/),
          expr: z.string(),
          for: z
            .string()
            .regex(/^\d+[mh]$/)
            .optional(),
          labels: z.strictObject({ severity: z.enum(['page', 'ticket']) }),
          annotations: z.strictObject({ summary: z.string().min(20), runbook: z.string() }),
        }),
      ),
    }),
  ),
});
const alerts = Rules.parse(parse(readFile('ops/prometheus/alerts.yml'))).groups.flatMap(
  ({ rules }) => rules,
);

const Dashboard = z.object({
  panels: z.array(
    z.object({
      title: z.string(),
      gridPos: z.object({ x: z.int(), y: z.int(), w: z.int(), h: z.int() }),
      targets: z.array(z.object({ expr: z.string() })).default([]),
    }),
  ),
});
const { panels } = Dashboard.parse(JSON.parse(readFile('ops/grafana/tallyhand.json')));

const expressions: (readonly [string, string])[] = [
  ...alerts.map(({ alert, expr }) => [alert, expr] as const),
  ...panels.flatMap(({ title, targets }) =>
    targets.map(({ expr }) => [title, expr.replaceAll('$__rate_interval', '5m')] as const),
  ),
];

type Selected = { readonly metric: string; readonly matchers: readonly string[] };
type Asked = { readonly selectors: readonly Selected[]; readonly grouped: Set<string> };

/** The metrics of an expression; throws if it is invalid. */
function askedIn(expr: string): Asked {
  const selectors: Selected[] = [];
  const grouped = new Set<string>();
  parser.parse(expr).iterate({
    enter({ name, type, from, to }) {
      const text = expr.slice(from, to);
      if (type.isError) throw new SyntaxError(`${expr}: at ${from}`);
      if (name === 'VectorSelector') selectors.push({ metric: '', matchers: [] });
      const selector = selectors.at(-1);
      if (name === 'Identifier' && selector?.metric === '') {
        selectors[selectors.length - 1] = { ...selector, metric: text };
      }
      if (name === 'UnquotedLabelMatcher' && selector) {
        selectors[selectors.length - 1] = { ...selector, matchers: [...selector.matchers, text] };
      }
      if (name === 'GroupingLabels')
        for (const [label] of text.matchAll(/\w+/g)) grouped.add(label);
    },
  });
  return { selectors, grouped };
}

/** Names of Prometheus' own, and labels that it adds. */
const ITS_METRICS = ['up', 'ALERTS'];
/** Of Caddy: proxy.int.test.ts holds them against the proxy itself. */
const IS_THE_PROXYS = /^caddy_/;
const PROXYS_LABELS = ['code', 'upstream', 'le'];
const ITS_LABELS = ['job', 'instance'];

let day: DayOfFaults;
/** The values of each label, by the names of samples. */
const exposed = new Map<string, Map<string, Set<string>>>();
/** Faults that the day does not have. */
const NOT_SEEN = [
  'status="5xx"',
  'outcome="failed"',
  // projections-commands.int.test.ts shows these figures.
  'projection="unreadable-events"',
  'projection!="unreadable-events"',
];

beforeAll(async () => {
  day = await dayOfFaults();
  for (const line of (await day.figures()).split('\n')) {
    const [, name, labels = ''] = /^(\w+)(?:\{(.*)\})? \S+$/.exec(line) ?? [];
    if (!name) continue;
    const known = exposed.get(name) ?? new Map<string, Set<string>>();
    for (const [, label = '', value = ''] of labels.matchAll(/(\w+)="([^"]*)"/g)) {
      known.set(label, (known.get(label) ?? new Set()).add(value));
    }
    exposed.set(name, known);
  }
});
afterAll(() => day[Symbol.asyncDispose]());

/** Whether there are samples that a matcher lets through, or, where it excludes, keeps out. */
function isMet(text: string, labels: ReadonlyMap<string, ReadonlySet<string>>): boolean {
  const [, label = '', operator = '', value = ''] = /^(\w+)(=~|!~|!=|=)"(.*)"$/.exec(text) ?? [];
  const pattern = new RegExp(`^(?:${operator.includes('~') ? value : RegExp.escape(value)})$`);
  return [...(labels.get(label) ?? [])].some((each) => pattern.test(each));
}

describe('alerts and the dashboard', () => {
  it.each(expressions)('%s uses existing metrics: %s', (_, expr) => {
    const { selectors, grouped } = askedIn(expr);
    const ours = selectors.filter(
      ({ metric }) => !ITS_METRICS.includes(metric) && !IS_THE_PROXYS.test(metric),
    );
    expect(ours.map(({ metric }) => metric).filter((metric) => !exposed.has(metric))).toEqual([]);
    const labelsOf = ({ metric }: Selected) =>
      exposed.get(metric) ?? new Map<string, Set<string>>();
    for (const selector of ours) {
      const strange = selector.matchers.filter((text) => !isMet(text, labelsOf(selector)));
      expect(strange.filter((text) => !NOT_SEEN.includes(text))).toEqual([]);
    }
    const others = selectors.some(({ metric }) => IS_THE_PROXYS.test(metric)) ? PROXYS_LABELS : [];
    const every = new Set([
      ...ITS_LABELS,
      ...others,
      ...ours.flatMap((one) => [...labelsOf(one).keys()]),
    ]);
    expect([...grouped].filter((label) => !every.has(label))).toEqual([]);
  });

  it('show all that is measured of the product', () => {
    const shown = new Set(
      expressions.flatMap(([, expr]) => askedIn(expr).selectors.map(({ metric }) => metric)),
    );
    const isShown = (name: string) =>
      shown.has(name) || shown.has(name.replace(/_[a-z]+$/, '_count'));
    const ours = [...exposed.keys()].filter((name) => !/_(bucket|sum)$/.test(name));
    expect(ours.filter((name) => !isShown(name))).toEqual([]);
  });

  it('identify no one: no label has an id, an address or text written by a person', async () => {
    const values = [...(await day.figures()).matchAll(/(\w+)="([^"]*)"/g)];
    const strange = values.filter(([, label, value = '']) =>
      label === 'route'
        ? /\d{3}|@/.test(value)
        : !/^([a-zA-Z0-9_-]{1,60}|\+Inf|[\d.]+)$/.test(value),
    );
    expect(strange.map(([text]) => text)).toEqual([]);
    expect(values.filter(([, , value = '']) => /[0-9a-f]{8}-[0-9a-f]{4}/.test(value))).toEqual([]);
  });

  it('have panels that do not overlap', () => {
    const places = panels.map(({ gridPos: { x, y, w, h } }) => ({
      x,
      y,
      right: x + w,
      end: y + h,
    }));
    for (const [at, one] of places.entries()) {
      expect(one.right).toBeLessThanOrEqual(24);
      const over = places.filter(
        (other, index) =>
          index !== at &&
          one.x < other.right &&
          other.x < one.right &&
          one.y < other.end &&
          other.y < one.end,
      );
      expect(over).toEqual([]);
    }
  });
});

describe('the runbook', () => {
  const sections = readFile('docs/runbook.md').split(/^### /m).slice(1);
  const section = (name: string) => sections.find((text) => text.startsWith(`${name}\n`));

  it.each(alerts)('explains what $alert means, what to do and when it is over', (alert) => {
    expect(alert.annotations.runbook).toBe(`docs/runbook.md#${alert.alert.toLowerCase()}`);
    for (const part of ['**Means**', '**Do**', '**Over**']) {
      expect(section(alert.alert)).toContain(part);
    }
  });

  it('has no removed alert', () => {
    const named = sections.map((text) => /^(\w+)\n/.exec(text)?.[1]).filter((name) => name);
    const known = alerts.map(({ alert }) => alert);
    // A section of one word that is no alert is one of the common calls.
    expect(named.filter((name) => name !== 'Restore' && !known.includes(name ?? ''))).toEqual([]);
  });
});

describe('the log', () => {
  it('reports failures', () => {
    const messages = new Set(day.lines.map((line) => JSON.parse(line).message));
    for (const message of [
      'a mail was not sent',
      'a mailbox could not be polled',
      'the payment provider did not answer',
    ]) {
      expect([...messages]).toContain(message);
    }
  });

  it('has no secret in any line, and figures have none either', async () => {
    const figures = await day.figures();
    expect(day.secrets.length).toBeGreaterThan(10);
    for (const secret of day.secrets) {
      expect(secret.length).toBeGreaterThan(7);
      const forms = [secret, encodeURIComponent(secret), Buffer.from(secret).toString('base64')];
      expect(day.lines.filter((line) => forms.some((form) => line.includes(form)))).toEqual([]);
      expect(figures).not.toContain(secret);
    }
  });
});
