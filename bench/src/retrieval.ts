import type { EngineConfig } from '@tallyhand/agent-runtime/choose-engine';
import { readEnvironment } from '@tallyhand/service-kit/env';
import { developmentSet } from './retrieval/development-set.ts';
import { keptApartHalf } from './retrieval/kept-apart-half.ts';
import { type Library, openLibrary, textsIn } from './retrieval/library.ts';
import { type Score, scoreOf } from './retrieval/score.ts';
import type { Half } from './retrieval/set.ts';
import { supportSet } from './retrieval/support-set.ts';
import { tuningHalf } from './retrieval/tuning-half.ts';
import { type Row, row } from './table.ts';

const { OPENAI_API_KEY, OPENAI_BASE_URL, OPENAI_EMBEDDING_MODEL } = readEnvironment();
const model: EngineConfig = OPENAI_EMBEDDING_MODEL
  ? {
      openAiEmbeddingModel: OPENAI_EMBEDDING_MODEL,
      ...(OPENAI_API_KEY && { openAiApiKey: OPENAI_API_KEY }),
      ...(OPENAI_BASE_URL && { openAiBaseUrl: OPENAI_BASE_URL }),
    }
  : {};

/**
 * Whether the right passage is found, and a question without an answer is recognized. With the
 * embedding model of an endpoint (`OPENAI_*`), words, vectors and both are compared.
 */
export async function measureRetrieval(): Promise<Row[]> {
  return [...(await measureDevelopment()), ...(await measureSupport()), ...(await measureSet())];
}

async function measureDevelopment(): Promise<Row[]> {
  await using library = await openLibrary(await textsIn('development-texts'), model);
  return rowsOf('development set', developmentSet, library);
}

async function measureSupport(): Promise<Row[]> {
  await using library = await openLibrary(await textsIn('support-texts'), model);
  return rowsOf('support set, nine languages', supportSet, library);
}

async function measureSet(): Promise<Row[]> {
  await using library = await openLibrary(await textsIn('texts'), model);
  return [
    ...(await rowsOf('tuning half', tuningHalf, library)),
    ...(await rowsOf('half kept apart', keptApartHalf, library)),
  ];
}

async function rowsOf(name: string, half: Half, library: Library): Promise<Row[]> {
  if (!model.openAiEmbeddingModel) return scoreRows(name, await scoreOf(half, library));
  const rows: Row[] = [];
  for (const by of ['words', 'vectors', 'both'] as const) {
    const said = by === 'both' ? 'words and vectors' : `${by} alone`;
    rows.push(...scoreRows(`${name}, ${said}`, await scoreOf(half, library, by)));
  }
  return rows;
}

const scoreRows = (half: string, { first, amongThree, quoted, saidSo }: Score): Row[] => [
  row(`retrieval, ${half}: right passage first`, percent(first), '80 %'),
  row('the same: among three', percent(amongThree), '95 %'),
  row('the same: first quote of the offline engine', percent(quoted), '80 %'),
  row('the same: unanswerable recognized', percent(saidSo), '90 %'),
];

const percent = (share: number) => `${(share * 100).toFixed(0)} %`;
