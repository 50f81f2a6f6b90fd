import { hash } from 'node:crypto';
import { embeddingsPeer } from '@tallyhand/agent-runtime/openai/fixtures/embeddings-peer';
import { splitIntoPassages } from '@tallyhand/agent-runtime/passages';
import { termsOf } from '@tallyhand/offline-engine/words/terms';
import { percentile } from './load.ts';
import { developmentSet } from './retrieval/development-set.ts';
import { type Library, openLibrary, textsIn, type Way } from './retrieval/library.ts';
import { ms, type Row, row } from './table.ts';

const PASSAGES = 20_000;
const SENTENCES_AN_ARTICLE = 400;
const ROUNDS = 100;
const WARM_UP = 10;
const MANY_WORDS = 60;

/** How long a question waits for its passages among 20,000 of them, one question at a time. */
export async function measureRetrievalLatency(): Promise<Row[]> {
  const { texts, sentences, passages } = await manyTexts();
  await using endpoint = await embeddingsPeer(vectorOf);
  const model = { openAiBaseUrl: endpoint.baseURL, openAiEmbeddingModel: 'peer' };
  await using library = await openLibrary(texts, model);
  const words = [...wordsByFrequency(sentences)];
  const frequent = words.slice(0, MANY_WORDS);
  const of = (list: readonly string[], count: number, round: number) =>
    Array.from({ length: count }, (_, at) => list[(round * count + at) % list.length]).join(' ');
  const questions = developmentSet.answerable.map(({ question }) => question);
  const kinds: [string, (round: number) => string][] = [
    ['a question', (round) => questions[round % questions.length] ?? ''],
    ['three rare words', (round) => of(words.slice(-3 * ROUNDS), 3, round)],
    ['three frequent words', (round) => of(frequent, 3, round)],
    [`${MANY_WORDS} words`, (round) => of(words.slice(0, 1_000), MANY_WORDS, round)],
  ];
  const rows: Row[] = [];
  for (const [kind, question] of kinds) rows.push(await measured(kind, question, library, 'words'));
  for (const [kind, question] of kinds.slice(0, 1)) {
    rows.push(await measured(`${kind}, vectors alone`, question, library, 'vectors'));
    rows.push(await measured(`${kind}, words and vectors`, question, library, 'both'));
  }
  return [row('passages that are searched', String(passages)), ...rows];
}

async function measured(
  kind: string,
  question: (round: number) => string,
  library: Library,
  by: Way,
): Promise<Row> {
  const times: number[] = [];
  for (let round = -WARM_UP; round < ROUNDS; round += 1) {
    const asked = question(Math.abs(round));
    // Embeds the question.
    if (by !== 'words') await library.find(asked, 'vectors');
    const began = performance.now();
    const found = await library.find(asked, by);
    if (round >= 0) times.push(performance.now() - began);
    if (found.length === 0) throw new Error(`Nothing was found for: ${asked}`);
  }
  const figure = `${ms(percentile(times, 0.5))}, ${ms(percentile(times, 0.99))}`;
  const expected = by === 'vectors' ? 'p99 50 ms' : 'p99 200 ms';
  return row(`search for passages, ${kind}: p50, p99`, figure, expected);
}

/**
 * The sentences of the development texts, in an order that a fixed generator shuffles, as articles
 * until they make enough passages; some of their sentences end in a word that no other has.
 */
async function manyTexts() {
  const all = (await textsIn('development-texts')).map(({ markdown }) => markdown).join('\n');
  const sentences = all.split(/(?<=[.!?])\s+/).filter((one) => one.length > 20);
  const texts: { name: string; markdown: string }[] = [];
  const used: string[] = [];
  let random = 1;
  let passages = 0;
  while (passages < PASSAGES) {
    const name = `Collected pages ${texts.length + 1}`;
    const own = Array.from({ length: SENTENCES_AN_ARTICLE }, (_, at) => {
      random = (random * 1_103_515_245 + 12_345) % 2_147_483_648;
      const sentence = sentences[random % sentences.length] ?? '';
      return at % 100 === 0 ? `${sentence} Item ${rareWord(random)}.` : sentence;
    });
    const content = own.join('\n\n');
    texts.push({ name, markdown: `# ${name}\n\n${content}` });
    used.push(...own);
    passages += splitIntoPassages({ title: name, content }).length;
  }
  return { texts, sentences: used, passages };
}

const DIMENSIONS = 1_536;

/** A direction that follows from the text, as long as those of common models. */
function vectorOf(text: string): number[] {
  let random = hash('sha256', text, 'buffer').readUInt32LE();
  return Array.from({ length: DIMENSIONS }, () => {
    random = (Math.imul(random, 1_664_525) + 1_013_904_223) >>> 0;
    return random / 2 ** 32 - 0.5;
  });
}

/** Letters only, as numbers are not stemmed. */
const rareWord = (number: number) =>
  `q${Array.from(number.toString(26), (digit) => String.fromCharCode(97 + Number.parseInt(digit, 26))).join('')}`;

/** Subject words, the most frequent first. */
function wordsByFrequency(sentences: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const sentence of sentences) {
    for (const term of termsOf(sentence, 'en')) counts.set(term, (counts.get(term) ?? 0) + 1);
  }
  return [...counts].sort(([, a], [, b]) => b - a).map(([word]) => word);
}
