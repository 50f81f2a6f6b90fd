import { NotFound } from '@tallyhand/contracts/kernel/problem';
import { problemOf } from '@tallyhand/service-kit/http/problem';
import { describe, expect, it } from 'vitest';
import type { Answered } from './answered.ts';
import { responseEventsOf, responseOf } from './response.ts';

const answered: Answered = {
  taskId: '0193a1b2-0000-7000-8000-000000000001',
  agentId: '0193a1b2-0000-7000-8000-000000000002',
  requestedAt: '2027-01-31T09:30:00.500Z',
  price: 1,
  success: true,
  output: 'Within 30 days.',
  sources: [],
};
const asked = { model: 'Support', metadata: { ticket: '4711' } };
const started = { taskId: answered.taskId };

const eventsOf = (text: string) =>
  text
    .split('\n\n')
    .filter(Boolean)
    .map((one) => {
      const [name = '', data = ''] = one.split('\n');
      return { name: name.replace('event: ', ''), ...JSON.parse(data.replace('data: ', '')) };
    });

describe('the stream of a response', () => {
  it('has the documented events in their order, numbered, live and from a stored answer', () => {
    const response = responseOf(answered, asked);
    const live = responseEventsOf(asked, new Date());
    const stored = responseEventsOf(asked, new Date())('reply', response);
    for (const text of [live('started', started) + live('reply', response), stored]) {
      const events = eventsOf(text);
      expect(events.map(({ type }) => type)).toEqual([
        'response.created',
        'response.in_progress',
        'response.output_item.added',
        'response.content_part.added',
        'response.output_text.delta',
        'response.output_text.done',
        'response.content_part.done',
        'response.output_item.done',
        'response.completed',
      ]);
      expect(events.map(({ name }) => name)).toEqual(events.map(({ type }) => type));
      expect(events.map((one) => one.sequence_number)).toEqual([...events.keys()]);
      expect(events.at(-1)?.response).toEqual(response);
      expect(events[0]?.response).toMatchObject({ id: response.id, status: 'in_progress' });
    }
  });

  it('ends with an error and the failed response if the task fails', () => {
    const live = responseEventsOf(asked, new Date());
    live('started', started);
    const events = eventsOf(live('failed', problemOf(NotFound({ what: 'agent' }), 'c')));
    expect(events).toMatchObject([
      { type: 'error', code: 'not-found', sequence_number: 2 },
      { type: 'response.failed', response: { status: 'failed', error: { code: 'not-found' } } },
    ]);
  });
});
