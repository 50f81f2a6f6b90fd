import { splitIntoPassages } from '@tallyhand/agent-runtime/passages';
import { termsOf } from '@tallyhand/offline-engine/words/terms';
import { percentile } from './load.ts';
import { processorMs, treeOf } from './processes.ts';
import { developmentSet } from './retrieval/development-set.ts';
import { gaussians } from './retrieval/directions.ts';
import { embeddingEndpoint } from './retrieval/embedding-endpoint.ts';
import { type Library, nameOf, openLibrary, textsIn, type Way } from './retrieval/library.ts';
import { ms, type Row, row } from './table.ts';

const PASSAGES = 20_000;
const SENTENCES_AN_ARTICLE = 400;
/** They have as many passages each. */
const OTHER_ORGANIZATIONS = 4;
const ROUNDS = 100;
const WARM_UP = 10;
const MANY_WORDS = 60;
/** Of the passages that are closest by all numbers, this many are looked for among those found. */
const CLOSEST = 10;
const CLOSEST_FOUND_MIN = 0.95;

/** How long a question waits for its passages among 20,000 of them, one question at a time. */
export async function measureRetrievalLatency(): Promise<Row[]> {
  const { texts, sentences, passages } = await manyTexts();
  await using endpoint = await embeddingEndpoint(vectorBySubject);
  await using library = await openLibrary(texts, endpoint.model);
  await library.copyTo(OTHER_ORGANIZATIONS);
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
  for (const [kind, question] of kinds) {
    rows.push(...(await measured(`${kind}, words alone`, question, library, 'words')));
  }
  for (const [kind, question] of kinds.slice(0, 1)) {
    rows.push(...(await measured(`${kind}, vectors alone`, question, library, 'vectors')));
    rows.push(...(await measured(`${kind}, words and vectors`, question, library, 'both')));
  }
  return [
    row('embedding model', endpoint.name),
    row('passages that are searched', String(passages)),
    row('other organizations with as many', String(OTHER_ORGANIZATIONS)),
    row('pgvector', (await library.hasVectorIndex()) ? 'installed' : 'not on this server'),
    ...rows,
    await measureClosest(questions, library),
  ];
}

/** How many of the passages that a comparison of all vectors finds first are found by the search. */
async function measureClosest(questions: readonly string[], library: Library): Promise<Row> {
  const shares: number[] = [];
  for (const question of questions) {
    const found = new Set((await library.find(question, 'vectors')).map(nameOf));
    const closest = await library.closest(question, CLOSEST);
    shares.push(closest.filter((name) => found.has(name)).length / closest.length);
  }
  const mean = shares.reduce((sum, share) => sum + share, 0) / shares.length;
  const figure = `${percent(mean)}, ${percent(Math.min(...shares))}`;
  if (mean < CLOSEST_FOUND_MIN) throw new Error(`Of the closest passages were found: ${figure}`);
  const what = `of the ${CLOSEST} closest of all vectors, found: mean, worst question`;
  return row(what, figure, percent(CLOSEST_FOUND_MIN));
}

const percent = (share: number) => `${(share * 100).toFixed(1)} %`;

async function measured(
  kind: string,
  question: (round: number) => string,
  library: Library,
  by: Way,
): Promise<Row[]> {
  const asked = Array.from({ length: ROUNDS }, (_, round) => question(round));
  // Embeds the questions.
  if (by !== 'words') for (const one of asked) await library.find(one, 'vectors');
  for (const one of asked.slice(0, WARM_UP)) await library.find(one, by);
  const times: number[] = [];
  const before = processorMsSoFar();
  for (const one of asked) {
    const began = performance.now();
    const found = await library.find(one, by);
    times.push(performance.now() - began);
    if (found.length === 0) throw new Error(`Nothing was found for: ${one}`);
  }
  const processor = (processorMsSoFar() - before) / ROUNDS;
  const figure = `${ms(percentile(times, 0.5))}, ${ms(percentile(times, 0.99))}`;
  const expected = by === 'vectors' ? 'p99 50 ms' : 'p99 200 ms';
  return [
    row(`search for passages, ${kind}: p50, p99`, figure, expected),
    row('the same: processor time of the search and PostgreSQL', ms(processor)),
  ];
}

/**
 * What this process and its PostgreSQL have used of processors: unlike times, it hardly changes while
 * the machine is busy.
 */
function processorMsSoFar(): number {
  const { user, system } = process.cpuUsage();
  const below = treeOf(process.pid).slice(1);
  return (user + system) / 1_000 + below.reduce((sum, pid) => sum + processorMs(pid), 0);
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
/** Vectors of real models vary in far fewer directions than they have numbers. */
const DIRECTIONS = 96;
const SUBJECTS = 400;
/** How far texts of one subject are apart. */
const SPREAD = 0.7;
const directions = Array.from({ length: DIRECTIONS }, (_, at) =>
  Float32Array.from(gaussians(`direction ${at}`, DIMENSIONS)),
);
const subjects = Array.from({ length: SUBJECTS }, (_, at) =>
  gaussians(`subject ${at}`, DIRECTIONS),
);

/** A vector that follows from the text: near one of many subjects, and as long as those of models. */
function vectorBySubject(text: string): number[] {
  const own = gaussians(text, DIRECTIONS + 1);
  const subject = subjects[Math.floor(Math.abs(own[DIRECTIONS] ?? 0) * 1e6) % SUBJECTS] ?? [];
  const vector = new Float32Array(DIMENSIONS);
  for (const [at, direction] of directions.entries()) {
    const part = (subject[at] ?? 0) + SPREAD * (own[at] ?? 0);
    for (let number = 0; number < DIMENSIONS; number += 1) {
      vector[number] = (vector[number] ?? 0) + part * (direction[number] ?? 0);
    }
  }
  // More digits make the endpoint's answers long, and change nothing.
  return Array.from(vector, (number) => Math.round(number * 1_000) / 1_000);
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
