import { describe, expect, it } from 'vitest';
import { counter, level } from './counter.ts';
import { histogram } from './histogram.ts';
import { gauge, instrumentMetrics, metricsText } from './instruments.ts';

/** The samples that the process reports under this name. */
const exposed = (name: string) =>
  metricsText(instrumentMetrics().filter((metric) => metric.name === name));

describe('the text of figures', () => {
  it('has help, type and a line for each set of labels', () => {
    const samples = [{ value: 3 }, { labels: { queue: 'tasks', state: 'active' }, value: 0.5 }];
    expect(metricsText([{ name: 'jobs', help: 'Jobs.', type: 'gauge', samples }])).toBe(
      '# HELP jobs Jobs.\n# TYPE jobs gauge\njobs 3\njobs{queue="tasks",state="active"} 0.5\n',
    );
  });

  it('escapes characters that would end a label or a line', () => {
    const samples = [{ labels: { route: 'a"b\\c\nd' }, value: 1 }];
    const text = metricsText([{ name: 'n', help: 'Two\nlines', type: 'counter', samples }]);
    expect(text).toContain('# HELP n Two\\nlines\n');
    expect(text).toContain('n{route="a\\"b\\\\c\\nd"} 1\n');
  });
});

describe('a histogram', () => {
  it('counts a value in its bucket and in all above', () => {
    const durations = histogram({ name: 'd', help: 'Durations.', bounds: [0.1, 1] });
    for (const value of [0.1, 0.5, 7]) durations.observe({ route: '/' }, value);
    expect(exposed('d')).toBe(
      [
        '# HELP d Durations.',
        '# TYPE d histogram',
        'd_bucket{route="/",le="0.1"} 1',
        'd_bucket{route="/",le="1"} 2',
        'd_bucket{route="/",le="+Inf"} 3',
        'd_sum{route="/"} 7.6',
        'd_count{route="/"} 3',
        '',
      ].join('\n'),
    );
  });
});

describe('a counter', () => {
  it('reports known values from the start, and adds up by label sets', () => {
    const mails = counter({ name: 'mails', help: 'Mails.', known: [{ state: 'sent' }] });
    expect(exposed('mails')).toContain('# TYPE mails counter\nmails{state="sent"} 0\n');
    mails.add({ state: 'failed' }, 2);
    mails.add({ state: 'failed' });
    expect(exposed('mails')).toContain('mails{state="sent"} 0\nmails{state="failed"} 3\n');
  });

  it('keeps a limited number of label sets, and continues to count those', () => {
    const many = counter({ name: 'many', help: 'Many.' });
    for (let at = 0; at < 2_100; at += 1) many.add({ at: String(at) });
    many.add({ at: '0' });
    expect(exposed('many').match(/^many\{/gm)).toHaveLength(2_000);
    expect(exposed('many')).toContain('many{at="0"} 2\n');
  });
});

describe('a level', () => {
  it('goes up and down', () => {
    const open = level({ name: 'open', help: 'Open.', known: [{}] });
    open.add({}, 1);
    open.add({}, 1);
    open.add({}, -1);
    expect(exposed('open')).toBe('# HELP open Open.\n# TYPE open gauge\nopen 1\n');
  });
});

describe('a gauge', () => {
  it('is computed at each scrape, and no name is used twice', () => {
    let value = 1;
    const options = { name: 'size', help: 'Size.', read: () => [{ value }] };
    gauge(options);
    value = 2;
    expect(exposed('size')).toContain('\nsize 2\n');
    expect(() => gauge(options)).toThrow('size is declared twice');
  });
});
