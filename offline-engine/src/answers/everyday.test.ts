import { requestOf } from '@tallyhand/agent-runtime/fixtures/handbook';
import { splitIntoPassages } from '@tallyhand/agent-runtime/passages';
import { describe, expect, it } from 'vitest';
import articles from '../fixtures/everyday.json' with { type: 'json' };
import { offlineEngine } from '../offline-engine.ts';

/** Short articles as small businesses write them, each with its question, and what none answers. */
const { everyday, beyondEveryday } = articles;

const articleOf = (content: string, at: number) => {
  const own = { articleId: `article-${at}`, articleVersion: 1, articleTitle: 'Information' };
  const passages = splitIntoPassages({ title: own.articleTitle, content });
  return passages.map((passage) => ({ ...passage, ...own }));
};
const all = everyday.flatMap(({ article }, at) => articleOf(article, at));
const ask = (input: string, passages: typeof all) =>
  offlineEngine().answer(requestOf({ input, passages }));
const SHOP =
  'The shop is open from nine to five on weekdays. On Saturdays it is open from ten to two.';

describe('everyday questions', () => {
  it('are answered when the article stands alone and says when', async () => {
    const { sources } = await ask('When is the shop open on Saturdays?', articleOf(SHOP, 0));
    expect(sources[0]?.quote).toContain('On Saturdays it is open from ten to two.');
  });

  it('are answered from their article alone, or its words are shown', async () => {
    const unanswered: string[] = [];
    const hidden: string[] = [];
    for (const [at, { article, question, quoted }] of everyday.entries()) {
      const { sources, output } = await ask(question, articleOf(article, at));
      if (!sources[0]?.quote.includes(quoted)) unanswered.push(question);
      if (!output.includes(quoted)) hidden.push(question);
    }
    expect(unanswered.length / everyday.length, unanswered.join('\n')).toBeLessThanOrEqual(0.25);
    expect(hidden.length / everyday.length, hidden.join('\n')).toBeLessThanOrEqual(0.1);
  });

  it('are answered among all the articles', async () => {
    const missed: string[] = [];
    for (const [at, { question, quoted }] of everyday.entries()) {
      const [first] = (await ask(question, all)).sources;
      if (first?.articleId !== `article-${at}` || !first.quote.includes(quoted)) {
        missed.push(question);
      }
    }
    expect(missed.length / everyday.length, missed.join('\n')).toBeLessThanOrEqual(0.25);
  });

  it('are not answered from an article about another thing', async () => {
    const wrong: string[] = [];
    for (const [at, { article }] of everyday.entries()) {
      const passages = articleOf(article, at);
      for (const [other, { question }] of everyday.entries()) {
        if (other === at) continue;
        const [source] = (await ask(question, passages)).sources;
        if (source) wrong.push(`${question} ${source.quote}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  it.each([
    'Does the shop sell open sandwiches?',
    'Does the shop open on holidays?',
    'Can I park at the shop?',
  ])('are unsure where the article lacks their subject: %s', async (question) => {
    const { sources, output } = await ask(question, articleOf(SHOP, 0));
    expect(sources).toEqual([]);
    expect(output).toMatch(/^I’m not sure\. .* The closest passage is:\n\n> The shop is open/s);
  });

  it('are not answered where the articles say nothing of them', async () => {
    const wrong: string[] = [];
    for (const question of beyondEveryday) {
      if ((await ask(question, all)).sources.length > 0) wrong.push(question);
    }
    expect(wrong).toEqual([]);
  });
});

describe('an answer', () => {
  it('is certain, unsure with the nearest passages, or that there is none', async () => {
    const shop = articleOf(SHOP, 0);
    const certain = await ask('When is the shop open on Saturdays?', shop);
    expect(certain.output).not.toMatch(/not sure|find an answer/);
    const unsure = await ask('Is the shop run by a family?', shop);
    expect(unsure.output).toMatch(/^I’m not sure\. .* The closest passage is:\n\n> The shop/s);
    const none = await ask('What is the boiling point of mercury?', shop);
    expect(none.output).toMatch(
      /find an answer to this question in the articles assigned to this agent\. Searched: “Information”\.$/,
    );
    for (const { sources } of [unsure, none]) expect(sources).toEqual([]);
  });
});
