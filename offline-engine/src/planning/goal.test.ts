import { planRequest } from '@tallyhand/agent-runtime/browsing/fixtures/request';
import { describe, expect, it } from 'vitest';
import { readGoal } from './goal.ts';

const goalOf = (goal: string, more = {}) => readGoal(planRequest({ goal, ...more }));

describe('readGoal', () => {
  it.each([
    ['Find the three cheapest plans on these pages', { order: 'cheapest', count: 3 }],
    ['the cheapest 5 tents', { order: 'cheapest', count: 5 }],
    ['Which backpack is the most expensive?', { order: 'dearest', count: 1 }],
    ['Welche sind die drei günstigsten Tarife?', { order: 'cheapest', count: 3 }],
    ['Trouve les deux abonnements les moins chers', { order: 'cheapest', count: 2 }],
    ['Compare the prices of all plans', { order: 'cheapest', count: null }],
    ['What does the tent cost?', null],
    ['Which is the highest mountain?', null],
  ])('ranks: %s', (goal, ranking) => {
    expect(goalOf(goal).ranking).toEqual(ranking);
  });

  it('takes addresses from the goal, the context and the tools, in this order', () => {
    const more = { context: 'See https://b.example', startUrls: ['https://c.example/'] };
    expect(goalOf('Prices at https://a.example/x', more).addresses).toEqual([
      'https://a.example/x',
      'https://b.example/',
      'https://c.example/',
    ]);
  });

  it('knows its subject, without the question words', () => {
    const { subjects } = goalOf('Find the price of the Alpine 40 backpack on https://a.example');
    expect(subjects.map(({ word }) => word)).toEqual(['alpine', '40', 'backpack']);
  });

  it('splits combined requests', () => {
    const { parts } = goalOf('What are the opening hours and what is the telephone number?');
    expect(parts.map(({ words }) => words)).toEqual([
      ['opening', 'hours'],
      ['telephone', 'number'],
    ]);
  });

  it.each([
    ['Send a message to the shop', 'send'],
    ['Find the cheapest tent and order it', 'order'],
    ['Bitte bestelle ein Zelt', 'bestelle'],
    ['Find out how to order a tent', null],
    ['What does the order form ask for?', null],
  ])('recognizes steps for people only: %s', (goal, personal) => {
    expect(goalOf(goal).personal).toBe(personal);
  });
});
