import { escaped, link, pager, paragraphs, type SitePage } from './layout.ts';

type Article = { slug: string; title: string; date: string; text: readonly string[] };

/** The newest first. */
export const ARTICLES: readonly Article[] = [
  {
    slug: 'repair-workshop',
    title: 'Our repair workshop opens in Bergen',
    date: '2026-09-14',
    text: [
      'The new workshop opens on 3 October at Strandgaten 12.',
      'It mends zips, poles and seams while you wait. Repairs below €15 are free for members.',
    ],
  },
  {
    slug: 'winter-catalogue',
    title: 'The winter catalogue is out',
    date: '2026-09-01',
    text: ['It has 84 pages and can be picked up in every shop.'],
  },
  {
    slug: 'recycled-sails',
    title: 'Backpacks made of old sails',
    date: '2026-07-22',
    text: ['Last year we turned 1,300 square metres of sails into 900 bags.'],
  },
  {
    slug: 'new-boss',
    title: 'Ingrid Solheim leads Fjellhus',
    date: '2026-05-02',
    text: ['Ingrid Solheim became managing director on 1 May. She follows Per Dahl.'],
  },
  {
    slug: 'stove-recall',
    title: 'Recall of the Ember One stove of 2024',
    date: '2026-03-11',
    text: [
      'Stoves with serial numbers from E24-100 to E24-480 may leak gas.',
      'Send them back free of charge and you get a new one within ten days.',
    ],
  },
];
const PAGE_SIZE = 3;

export function newsPage(path: string, query: URLSearchParams): SitePage | undefined {
  if (path === '/news') {
    const pages = Math.ceil(ARTICLES.length / PAGE_SIZE);
    const page = Math.min(Math.max(1, Number(query.get('page')) || 1), pages);
    const shown = ARTICLES.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE).map(
      ({ slug, title, date }) =>
        `<article><h2>${link(`/news/${slug}`, title)}</h2><time datetime="${date}">${date}</time></article>`,
    );
    const main = `<h1>News</h1>${shown.join('')}${pager('/news', page, pages)}`;
    return { title: 'News', main };
  }
  const found = ARTICLES.find(({ slug }) => path === `/news/${slug}`);
  if (!found) return undefined;
  const { title, date, text } = found;
  const main = `<article><h1>${escaped(title)}</h1><p>${date}</p>${paragraphs(...text)}</article>`;
  return { title, main };
}
