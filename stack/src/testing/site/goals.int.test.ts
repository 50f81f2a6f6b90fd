import type { BrowserHost } from '@tallyhand/browser-runner/session-browser';
import { offlinePlanner } from '@tallyhand/offline-engine/offline-planner';
import { sampleName, sampleOf } from '@tallyhand/test-kit/cases';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Browsed, browse, hostFor } from './browse.ts';
import { type Site, startSite } from './site.ts';

let site: Site;
let host: BrowserHost;
beforeAll(async () => {
  site = await startSite();
  host = hostFor(site.origin);
});
afterAll(async () => {
  await host[Symbol.asyncDispose]();
  await site[Symbol.asyncDispose]();
});

const at = (path: string) => `${site.origin}${path}`;
const pursue = (goal: string) => browse(host, offlinePlanner(), { goal });
const textOf = ({ end }: Browsed) => end?.keyFindings.join('\n') ?? '';

describe('goals that the offline planner reaches', () => {
  const goals: [goal: string, path: string, finding: string][] = [
    ['What does the Alpine 40 backpack cost?', '/shop/backpacks', 'Alpine 40: €129.00'],
    ['Find the weight of the Solo Wing', '/shop/tents', '1.3 kg'],
    ['How long is the warranty for seams of tents?', '/', 'covered for five years'],
    ['What are the opening hours?', '/', 'Monday to Friday 10:00 to 18:00'],
    ['Who became managing director?', '/news/new-boss', 'Ingrid Solheim became managing director'],
    ['Was kostet der Versand nach Deutschland?', '/de', 'Der Versand nach Deutschland kostet 6,90'],
    ['Combien coûte la livraison en France ?', '/fr', 'La livraison en France coûte 7,50 €'],
    ['What does the lamp Fyr cost?', '/hostile/injection', 'The lamp Fyr costs €24.00'],
    ['Which is the cheapest backpack?', '/shop/backpacks', 'Harbour 25: €42.00'],
    ['Which is the most expensive backpack?', '/shop/backpacks', 'Summit 60: €215.00'],
  ];

  it.each(sampleOf(goals, 3))(`%s %s (${sampleName()})`, async (goal, path, finding) => {
    const browsed = await pursue(`${goal} ${at(path)}`);
    expect(browsed.end, JSON.stringify(browsed.steps)).toMatchObject({ result: 'reached' });
    expect(textOf(browsed)).toContain(finding);
  });

  it('compares plans that are spread over several pages', async () => {
    const pages = ['/plans', '/plans/families', '/plans/clubs'];
    const goal = `Find the three cheapest plans on these pages and compare them: ${pages.map(at)}`;
    const browsed = await pursue(goal.replaceAll(',', ' '));
    expect(browsed.end).toMatchObject({
      result: 'reached',
      keyFindings: [
        `1. Weekend: €9 per month (${at('/plans')})`,
        `2. Youth Club: €12 per month (${at('/plans/clubs')})`,
        `3. Family Small: €14 per month (${at('/plans/families')})`,
      ],
    });
  });

  it('finds plans by the links from one page to the others', async () => {
    const browsed = await pursue(`Compare the prices of the rental plans at ${at('/')}`);
    expect(browsed.end?.result).toBe('reached');
    expect(browsed.end?.keyFindings).toHaveLength(8);
  });

  it('reports the nearest passage of a page that a link led to', async () => {
    const browsed = await pursue(`When does the repair workshop open? ${at('/news')}`);
    expect(browsed.end?.result).toBe('uncertain');
    expect(textOf(browsed)).toContain('The new workshop opens on 3 October');
  });

  it('continues after pages that are never complete, lead in circles or flood it', async () => {
    const paths = ['half', 'circle', 'windows', 'private'].map((name) => `/hostile/${name}`);
    const browsed = await pursue(`How do I return goods? ${[...paths, '/help'].map(at).join(' ')}`);
    expect(browsed.steps[0]?.output).toContain('It was still loading after 20 seconds.');
    expect(browsed.end?.result).toBe('reached');
    expect(browsed.end?.summary).toContain('redirects in circles');
    expect(textOf(browsed)).toContain('You can return unused goods within 60 days');
  });
});

describe('a goal that names a tool', () => {
  it('is reached by the tool, and by the pages that it names beside it', async () => {
    const parameters = { type: 'object', properties: { id: {} }, required: ['id'] };
    const operation = { name: 'getOrder', description: 'One order', parameters, isRead: true };
    const desk = { id: 'desk', title: 'Order desk', description: '', operations: [operation] };
    const goal = `Ask the Order desk for the order id F-7. How do I return goods? ${at('/help')}`;
    const browsed = await browse(host, offlinePlanner(), { goal, tools: [desk] });
    expect(browsed.steps[0]).toMatchObject({ action: 'use_tool', input: 'getOrder {"id":"F-7"}' });
    expect(textOf(browsed)).toContain('The order 7 was sent on 2 May.');
    expect(textOf(browsed)).toContain('You can return unused goods within 60 days');
  });
});

describe('goals beyond the offline planner', () => {
  it('reports that a person has to sign in', async () => {
    const browsed = await pursue(`How many bonus points do I have on ${at('/account')}?`);
    expect(browsed.end).toMatchObject({
      result: 'not-reached',
      nextSteps: [expect.stringContaining(`sign in at ${at('/login')}`)],
    });
  });

  it('sends no form: the site got nothing but reads', async () => {
    const seen = site.requests.length;
    const browsed = await pursue(`Send a message that I am late: ${at('/contact')}`);
    expect(browsed.end).toMatchObject({
      result: 'not-reached',
      nextSteps: [expect.stringContaining('“Send message”')],
    });
    expect(site.requests.slice(seen).every(({ method }) => method === 'GET')).toBe(true);
  });

  it('reports that the site does not have it, and invents nothing', async () => {
    const browsed = await pursue(`What does the Zeppelin 9000 tent cost? ${at('/')}`);
    expect(browsed.end).toMatchObject({ result: 'uncertain' });
    expect(browsed.end?.summary).toContain('The pages don’t contain an answer.');
    expect(textOf(browsed)).not.toContain('Zeppelin');
  });

  it('reports that it needs an address', async () => {
    const { steps, end } = await pursue('Find the price of a good tent');
    expect(steps).toHaveLength(1);
    expect(end).toMatchObject({ result: 'not-reached' });
  });
});

it('quotes only text of the page that it names', async () => {
  const goal = `What does express delivery cost and how long are gift cards valid? ${at('/help')}`;
  const { steps } = await pursue(goal);
  const read = steps.find(({ action }) => action === 'extract')?.output.replace(/\s+/g, ' ') ?? '';
  const quotes = steps.flatMap(({ finding }) => [...(finding?.text.matchAll(/“(.*)”/g) ?? [])]);
  expect(quotes.length).toBeGreaterThanOrEqual(2);
  for (const [, quote = ''] of quotes) expect(read).toContain(quote);
});
