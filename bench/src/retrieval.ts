import { developmentSet } from './retrieval/development-set.ts';
import { type EmbeddingEndpoint, embeddingEndpoint } from './retrieval/embedding-endpoint.ts';
import { keptApartHalf } from './retrieval/kept-apart-half.ts';
import { type Library, openLibrary, textsIn, type Way } from './retrieval/library.ts';
import { vectorByMeaning } from './retrieval/meaning-peer.ts';
import { otherLanguages, otherWords } from './retrieval/meaning-sets.ts';
import { type Score, scoreOf } from './retrieval/score.ts';
import type { Half } from './retrieval/set.ts';
import { supportSet } from './retrieval/support-set.ts';
import { tuningHalf } from './retrieval/tuning-half.ts';
import { type Row, row } from './table.ts';

const WAYS: Readonly<Record<Way, string>> = {
  words: 'words alone',
  vectors: 'vectors alone',
  both: 'words and vectors',
};
const ways = Object.keys(WAYS) as Way[];

/**
 * Whether the right passage is found, and a question without an answer is recognized. Words, vectors
 * and both are compared: with the embedding model that the operator names (`OPENAI_*`) on all
 * questions, otherwise with a local peer on those that its table of meanings was written for.
 */
export async function measureRetrieval(): Promise<Row[]> {
  await using endpoint = await embeddingEndpoint(vectorByMeaning);
  return [
    row('embedding model', endpoint.name),
    ...(await measureSupport(endpoint)),
    ...(await measureDevelopment(endpoint)),
    ...(await measureSet(endpoint)),
  ];
}

async function measureSupport(endpoint: EmbeddingEndpoint): Promise<Row[]> {
  await using library = await openLibrary(await textsIn('support-texts'), endpoint.model);
  return [
    ...(await meaningRows('questions in another language', otherLanguages, library)),
    ...(await meaningRows('questions in other words', otherWords, library)),
    ...(await rowsOf('support set, nine languages', supportSet, library, endpoint)),
  ];
}

async function measureDevelopment(endpoint: EmbeddingEndpoint): Promise<Row[]> {
  await using library = await openLibrary(await textsIn('development-texts'), modelOf(endpoint));
  return await rowsOf('development set', developmentSet, library, endpoint);
}

async function measureSet(endpoint: EmbeddingEndpoint): Promise<Row[]> {
  await using library = await openLibrary(await textsIn('texts'), modelOf(endpoint));
  return [
    ...(await rowsOf('tuning half', tuningHalf, library, endpoint)),
    ...(await rowsOf('half kept apart', keptApartHalf, library, endpoint)),
  ];
}

/** The peer's table has no meanings of these texts. */
const modelOf = ({ isReal, model }: EmbeddingEndpoint) => (isReal ? model : {});

async function meaningRows(name: string, set: Half, library: Library): Promise<Row[]> {
  const rows: Row[] = [];
  for (const way of ways) {
    const { first, amongThree, reciprocalRank } = await scoreOf(set, library, way);
    const figures = [percent(first), percent(amongThree), reciprocalRank.toFixed(2)];
    const what = `retrieval, ${name}, ${WAYS[way]}: recall@1, recall@3, MRR`;
    rows.push(row(what, figures.join(', '), way === 'both' ? '80 %, 95 %' : ''));
  }
  return rows;
}

async function rowsOf(
  name: string,
  half: Half,
  library: Library,
  { isReal }: EmbeddingEndpoint,
): Promise<Row[]> {
  if (!isReal) return scoreRows(name, await scoreOf(half, library, 'words'));
  const rows: Row[] = [];
  for (const way of ways) {
    rows.push(...scoreRows(`${name}, ${WAYS[way]}`, await scoreOf(half, library, way)));
  }
  return rows;
}

const scoreRows = (half: string, score: Score): Row[] => [
  row(`retrieval, ${half}: right passage first`, percent(score.first), '80 %'),
  row('the same: among three', percent(score.amongThree), '95 %'),
  row('the same: mean reciprocal rank', score.reciprocalRank.toFixed(2)),
  row('the same: first quote of the offline engine', percent(score.quoted), '80 %'),
  row('the same: unanswerable recognized', percent(score.saidSo), '90 %'),
];

const percent = (share: number) => `${(share * 100).toFixed(0)} %`;
