import type { Answer, AnswerRequest } from '@tallyhand/agent-runtime/engine';
import {
  agentWith,
  handbookPassages,
  passagesOf,
  requestOf,
} from '@tallyhand/agent-runtime/fixtures/handbook';
import type { Persona } from '@tallyhand/contracts/features/agents/agents.fields';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import questions from './fixtures/questions.json' with { type: 'json' };
import { offlineEngine } from './offline-engine.ts';

/**
 * Questions on the handbook. The weights were chosen with a look at those of `tuning`, not at those of
 * `apart`.
 */
const { answerable, unanswerable } = questions;
const passages = handbookPassages();
const noAnswer =
  'I couldn’t find an answer to this question in the articles assigned to this agent.';
const notSure = 'I’m not sure. The articles don’t clearly answer this question.';

function ask(input: string, request: Partial<AnswerRequest> = {}): Promise<Answer> {
  return offlineEngine().answer(requestOf({ input, passages, ...request }));
}

describe('the offline engine on a handbook of six pages', () => {
  it.each(['tuning', 'apart'] as const)('quotes the right words first (%s)', async (set) => {
    const missed: string[] = [];
    for (const { question, article, quoted } of answerable[set]) {
      const [first] = (await ask(question)).sources;
      if (first?.articleId !== article || !first.quote.includes(quoted)) missed.push(question);
    }
    expect(missed.length / answerable[set].length, missed.join('\n')).toBeLessThanOrEqual(0.2);
  });

  it.each(['tuning', 'apart'] as const)('says when there is no answer (%s)', async (set) => {
    const wrong: string[] = [];
    for (const question of unanswerable[set]) {
      const answer = await ask(question);
      const isSaid = answer.output.startsWith(noAnswer) || answer.output.startsWith(notSure);
      if (answer.sources.length > 0 || !isSaid) wrong.push(question);
    }
    expect(wrong.length / unanswerable[set].length, wrong.join('\n')).toBeLessThanOrEqual(0.1);
  });

  it('quotes literally, in the answer as in the sources', async () => {
    for (const { question } of [...answerable.tuning, ...answerable.apart]) {
      for (const source of (await ask(question)).sources) {
        const passage = passages.find(
          (one) => one.articleId === source.articleId && one.ordinal === source.ordinal,
        );
        expect(passage?.text).toContain(source.quote);
      }
    }
  });

  it('quotes a row with its table, and an item with the lead-in of its list', async () => {
    const kayak = await ask('How high is the deposit for a kayak?');
    expect(kayak.sources[0]?.quote).toContain('| Item | One day | One week | Deposit |');
    const ropes = await ask('Can I send back climbing ropes?');
    expect(ropes.sources[0]?.quote).toContain('we cannot take back:');
  });

  it('answers each of several questions, and names those it cannot answer', async () => {
    const answer = await ask('How long are gift cards valid? And do you sell bicycles?');
    expect(answer.output).toContain('valid for three years');
    expect(answer.output).toContain(noAnswer);
    expect(answer.sources.map((one) => one.articleId)).toEqual(['shops-and-contact']);
  });

  it('names what it searched when no article has a word of the question', async () => {
    const answer = await ask('What is a zyzzyva?');
    expect(answer.output).toContain('“Returns and refunds”');
    expect(answer.output).not.toContain('closest');
    expect(answer.reasoning).toContain('zyzzyva');
  });

  it.each([
    'Do you repair bicycles of club members in Norway?',
    'Who was the first emperor of Rome?',
  ])('quotes the nearest passages when it is not sure of an answer: %s', async (question) => {
    const { sources, output } = await ask(question);
    expect(sources).toEqual([]);
    expect(output).toMatch(/^I’m not sure\. .* The closest passages? (?:is|are):\n\n> /);
    expect(output).toMatch(/\n\n— “[^”]+”/);
  });

  it('answers a question with misspelled words by the others', async () => {
    const answer = await ask('Does the waranty cover wear and taer of the pruduct?');
    expect(answer.sources[0]?.articleId).toBe('warranty');
  });
});

describe('the offline engine in other languages', () => {
  it.each([
    [
      'German',
      'Die Rückgabefrist beträgt 30 Tage.\n\nDer Versand kostet 5 Euro.\n\nUnser Laden öffnet um neun Uhr.',
      'Wie lange ist die Rückgabefrist?',
      '30 Tage',
    ],
    [
      'French',
      'Le délai de retour est de 30 jours.\n\nLa livraison coûte 5 euros.\n\nLe magasin ouvre à neuf heures.',
      'Combien coûte la livraison ?',
      '5 euros',
    ],
    [
      'Spanish',
      'El plazo de devolución es de 30 días.\n\nEl envío cuesta 5 euros.\n\nLa tienda abre a las nueve.',
      '¿Cuánto cuesta el envío?',
      '5 euros',
    ],
    [
      'Russian',
      'Срок возврата составляет 30 дней.\n\nДоставка стоит 5 евро.\n\nМагазин открывается в девять часов.',
      'Сколько стоит доставка?',
      '5 евро',
    ],
    [
      'Japanese',
      '返品の期限は三十日です。送料は五百円です。営業時間は九時からです。',
      '返品の期限はいつですか？',
      '三十日',
    ],
    ['Chinese', '退货期限为三十天。运费是五元。商店九点开门。', '退货期限是多久？', '三十天'],
  ])('answers in %s', async (_, content, question, quoted) => {
    const answer = await ask(question, { passages: passagesOf('notes', content) });
    expect(answer.sources[0]?.quote).toContain(quoted);
  });
});

describe('the form of an answer', () => {
  const question = 'How long are gift cards valid?';

  it('follows the response format', async () => {
    const output = async (responseFormat: Persona['responseFormat']) =>
      (await ask(question, { agent: agentWith({ responseFormat }) })).output;
    expect(await output('concise')).toMatch(
      /^> [\s\S]*\n\n— “Shops, contact and payment” \(Gift cards\)$/,
    );
    expect(await output('structured')).toContain('- **“Shops, contact and payment” (Gift cards)**');
    expect(await output('conversational')).toContain('The article “Shops, contact and payment”');
    expect(await output('detailed')).toContain('From “Shops, contact and payment” (Gift cards):');
  });

  it('opens in the communication style', async () => {
    const styles = ['formal', 'casual', 'friendly', 'professional'] as const;
    const outputs = await Promise.all(
      styles.map(
        async (communicationStyle) =>
          (await ask(question, { agent: agentWith({ communicationStyle }) })).output,
      ),
    );
    expect(new Set(outputs.map((output) => output.split('\n')[0])).size).toBe(styles.length);
  });

  it('names the engine and its method of search', async () => {
    const answer = await ask(question);
    expect(answer.model).toBe('built-in engine');
    expect(answer.reasoning).toMatch(
      /^Best match: “.+”, passage \d+ \(\d+% confidence\)\. Searched \d+ passages for: gift, cards, valid\.$/,
    );
  });
});

describe('hostile and empty input', () => {
  it('reports that there is nothing to search', async () => {
    const answer = await ask('Where?', { passages: [] });
    expect(answer.output).toContain('No articles assigned to this agent match');
    expect(answer.sources).toEqual([]);
  });

  it.each([
    '',
    ' ',
    '\0',
    '?',
    '🏕️🏕️',
    'what is it',
    '.*+?^$()|[]{}\\',
    'null',
    '____',
    '?'.repeat(32_000),
  ])('answers %j without sources', async (input) => {
    const answer = await ask(input);
    expect(answer.output.startsWith(noAnswer)).toBe(true);
    expect(answer.sources).toEqual([]);
  });

  it('never throws, and quotes only existing text', async () => {
    const words = fc.constantFrom(
      'return',
      'tent',
      '?',
      '\n',
      'deposit',
      '|',
      'é',
      '返品',
      '🧗',
      '.',
      '10',
    );
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(words).map((all) => all.join(' ')),
    );
    await fc.assert(
      fc.asyncProperty(text, text, async (input, content) => {
        const own = [...passages.slice(0, 5), { ...requestPassage, text: content }];
        for (const source of (await ask(input, { passages: own })).sources) {
          expect(own.some((one) => one.text.includes(source.quote))).toBe(true);
        }
      }),
      { numRuns: 60 },
    );
  });

  it.each([
    ['distinct words', Array.from({ length: 5_000 }, (_, at) => `word${at}`).join(' ')],
    ['questions', 'How long is the deposit of a kayak held back? '.repeat(700)],
    ['one word', 'a'.repeat(32_000)],
    ['dense characters', '返品期限配送料金'.repeat(4_000)],
  ])('answers 32,000 characters of %s from thousands of passages', async (_, input) => {
    const many = Array.from(
      { length: 5_000 },
      (_each, at) => passages[at % passages.length],
    ).flatMap((one) => one ?? []);
    // Work that grows with question times passages would not end within the test's own limit.
    const answer = await ask(input.slice(0, 32_000), { passages: many });
    expect(answer.output).not.toBe('');
  });

  it('answers from passages that were never cut', async () => {
    const huge = Array.from({ length: 60 }, (_, at) => ({
      ...requestPassage,
      ordinal: at,
      text: `return ${at} `.repeat(40_000),
    }));
    const answer = await ask('How do I return it?', { passages: huge });
    expect(answer.output).not.toBe('');
  });

  it('ends as cancelled when the request is aborted', async () => {
    const answer = ask('How long are gift cards valid?', { signal: AbortSignal.abort() });
    await expect(answer).rejects.toMatchObject({ name: 'EngineFailure', code: 'cancelled' });
  });
});

describe('the closest quote', () => {
  it('is the part of a passage that an answer was made from', () => {
    const [returns] = passagesOf(
      'returns',
      'We are open on Mondays.\n\nYou have 60 days to return it.',
    );
    if (!returns) throw new Error('no passage');
    const quote = offlineEngine().closestQuote(returns, 'Returning takes 60 days at most.');
    expect(quote).toBe('You have 60 days to return it.');
    expect(offlineEngine().closestQuote(returns, '???')).toBe('We are open on Mondays.');
  });
});

const requestPassage = {
  articleId: 'other',
  articleVersion: 1,
  articleTitle: 'Other',
  ordinal: 0,
  heading: null,
};

describe('attached files', () => {
  it('are searched like articles, and named as sources', async () => {
    const attached = passagesOf('offer', '# Offer\n\nThe tent is delivered within nine days.').map(
      (passage) => ({ ...passage, isAttachment: true as const }),
    );
    const answer = await ask('Within how many days is the tent delivered?', { passages: attached });
    expect(answer.output).toContain('nine days');
    expect(answer.sources).toMatchObject([{ articleId: 'offer', isAttachment: true }]);
  });

  it('are refused if they are images', async () => {
    const images = [{ name: 'a.png', base64: '' }];
    const refused = { sentence: { code: 'model-rejected', params: { reason: 'images' } } };
    await expect(ask('What is this?', { images })).rejects.toMatchObject(refused);
    expect(offlineEngine().seesImages).toBe(false);
  });
});
