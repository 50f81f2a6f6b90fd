import { developmentSet } from './retrieval/development-set.ts';
import { keptApartHalf } from './retrieval/kept-apart-half.ts';
import { openLibrary, textsIn } from './retrieval/library.ts';
import { type Score, scoreOf } from './retrieval/score.ts';
import { supportSet } from './retrieval/support-set.ts';
import { tuningHalf } from './retrieval/tuning-half.ts';
import { type Row, row } from './table.ts';

/** Whether the right passage is found, and a question without an answer is recognized. */
export async function measureRetrieval(): Promise<Row[]> {
  return [...(await measureDevelopment()), ...(await measureSupport()), ...(await measureSet())];
}

async function measureDevelopment(): Promise<Row[]> {
  await using library = await openLibrary(await textsIn('development-texts'));
  return rowsOf('development set', await scoreOf(developmentSet, library));
}

async function measureSupport(): Promise<Row[]> {
  await using library = await openLibrary(await textsIn('support-texts'));
  return rowsOf('support set, nine languages', await scoreOf(supportSet, library));
}

async function measureSet(): Promise<Row[]> {
  await using library = await openLibrary(await textsIn('texts'));
  return [
    ...rowsOf('tuning half', await scoreOf(tuningHalf, library)),
    ...rowsOf('half kept apart', await scoreOf(keptApartHalf, library)),
  ];
}

const rowsOf = (half: string, { first, amongThree, quoted, saidSo }: Score): Row[] => [
  row(`retrieval, ${half}: right passage first`, percent(first), '80 %'),
  row('the same: among three', percent(amongThree), '95 %'),
  row('the same: first quote of the offline engine', percent(quoted), '80 %'),
  row('the same: unanswerable recognized', percent(saidSo), '90 %'),
];

const percent = (share: number) => `${(share * 100).toFixed(0)} %`;
