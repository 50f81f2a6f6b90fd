import { describe, expect, it } from 'vitest';
import { histogram } from './histogram.ts';
import { metricsText } from './text-format.ts';

describe('the text of figures', () => {
  it('has help, type and a line for each set of labels', () => {
    const samples = [{ value: 3 }, { labels: { queue: 'tasks', state: 'active' }, value: 0.5 }];
    expect(metricsText([{ name: 'jobs', help: 'Jobs.', type: 'gauge', samples }])).toBe(
      '# HELP jobs Jobs.\n# TYPE jobs gauge\njobs 3\njobs{queue="tasks",state="active"} 0.5\n',
    );
  });

  it('escapes what would end a label or a line', () => {
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
    expect(metricsText([durations.metric()])).toBe(
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
