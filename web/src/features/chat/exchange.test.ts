import { describe, expect, it } from 'vitest';
import { type Exchange, messagesShown } from './exchange.ts';

const at = '2026-11-21T08:00:00.000Z';
const kept = (id: string, role: 'user' | 'agent', content = id) => ({
  id,
  role,
  content,
  sources: [],
  toolCalls: [],
  approvals: [],
  stopped: false,
  rating: null,
  attachments: [],
  createdAt: at,
});
const exchange = (rest: Partial<Exchange> = {}): Exchange => ({
  conversationId: 'c',
  at,
  written: '',
  isOver: false,
  ...rest,
});
const reply = (messageId: string, response: string) => ({
  conversationId: 'c',
  messageId,
  response,
  sources: [],
  toolCalls: [],
  stopped: false,
});
const contents = (...given: Parameters<typeof messagesShown>) =>
  messagesShown(...given).map(({ content }) => content);

const before = [kept('q1', 'user'), kept('a1', 'agent')];
const sent = { said: 'q2', messageId: 'q2' };

describe('messagesShown', () => {
  it('shows the message at once, and the reply as far as it is written', () => {
    expect(contents(before, exchange({ said: 'q2' }))).toEqual(['q1', 'a1', 'q2']);
    const written = exchange({ ...sent, written: 'a t' });
    expect(contents(before, written)).toEqual(['q1', 'a1', 'q2', 'a t']);
  });
  it('shows nothing twice, whenever it becomes known that it is kept', () => {
    const later = [...before, kept('q2', 'user')];
    const written = exchange({ ...sent, written: 'a t' });
    expect(contents(later, written)).toEqual(['q1', 'a1', 'q2', 'a t']);
    const whole = [...later, kept('a2', 'agent')];
    expect(contents(whole, written)).toEqual(['q1', 'a1', 'q2', 'a t']);
    const over = exchange({ ...sent, isOver: true, reply: reply('a2', 'a2') });
    for (const known of [before, later, whole]) {
      expect(contents(known, over)).toEqual(['q1', 'a1', 'q2', 'a2']);
    }
  });
  it('hides the reply that another one replaces', () => {
    const again = exchange({ messageId: 'q1' });
    expect(contents(before, again)).toEqual(['q1']);
    expect(contents(before, { ...again, written: 'b' })).toEqual(['q1', 'b']);
    const over = { ...again, isOver: true, reply: reply('b1', 'b1') };
    expect(contents(before, over)).toEqual(['q1', 'b1']);
    expect(contents([kept('q1', 'user'), kept('b1', 'agent')], over)).toEqual(['q1', 'b1']);
  });
  it('restores it when the other one failed, and keeps the message', () => {
    expect(contents(before, exchange({ messageId: 'q1', isOver: true }))).toEqual(['q1', 'a1']);
    const failed = exchange({ ...sent, isOver: true, written: 'a t' });
    expect(contents(before, failed)).toEqual(['q1', 'a1', 'q2']);
  });
});
