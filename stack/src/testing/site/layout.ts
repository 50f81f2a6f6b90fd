/** What a page of the site is made of. */
export type SitePage = {
  title: string;
  /** HTML of what stands in `main`. */
  main: string;
  language?: 'en' | 'de' | 'fr';
  status?: number;
  head?: string;
};

export const escaped = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');

export const link = (path: string, name: string): string =>
  `<a href="${path}">${escaped(name)}</a>`;

export const list = (items: readonly string[]): string =>
  `<ul>${items.map((item) => `<li>${item}</li>`).join('')}</ul>`;

export const table = (rows: readonly (readonly [name: string, value: string])[]): string =>
  `<table>${rows
    .map(
      ([name, value]) => `<tr><th scope="row">${escaped(name)}</th><td>${escaped(value)}</td></tr>`,
    )
    .join('')}</table>`;

export const paragraphs = (...texts: readonly string[]): string =>
  texts.map((text) => `<p>${escaped(text)}</p>`).join('\n');

/** Links to the pages of a list, as `Previous` and `Next`. */
export function pager(path: string, page: number, pages: number): string {
  const at = (one: number) => `${path}${path.includes('?') ? '&amp;' : '?'}page=${one}`;
  return `<nav aria-label="Pages" class="pager">
    ${page > 1 ? `<a rel="prev" href="${at(page - 1)}">Previous</a>` : ''}
    <span>Page ${page} of ${pages}</span>
    ${page < pages ? `<a rel="next" href="${at(page + 1)}">Next</a>` : ''}
  </nav>`;
}

const MENUS = {
  en: [
    ['/', 'Home'],
    ['/shop', 'Shop'],
    ['/plans', 'Plans'],
    ['/news', 'News'],
    ['/help', 'Help'],
    ['/contact', 'Contact'],
    ['/account', 'My account'],
  ],
  de: [
    ['/de', 'Startseite'],
    ['/de/versand', 'Versand und Lieferung'],
    ['/de/rueckgabe', 'Rückgabe'],
  ],
  fr: [
    ['/fr', 'Accueil'],
    ['/fr/livraison', 'Livraison'],
    ['/fr/retours', 'Retours'],
  ],
} as const;

const FOOTERS = {
  en: `© Fjellhus Outdoor · ${link('/de', 'Deutsch')} · ${link('/fr', 'Français')}`,
  de: `© Fjellhus Outdoor · ${link('/', 'English')}`,
  fr: `© Fjellhus Outdoor · ${link('/', 'English')}`,
};

const STYLE = `
  body { margin: 0; font: 16px/1.5 sans-serif; color: #222; background: #fafaf7 }
  header, footer { padding: 12px 24px; background: #24433a; color: #fff }
  header a, footer a { color: #fff; margin-right: 16px }
  main { max-width: 960px; margin: 0 auto; padding: 24px }
  .cards { display: grid; grid-template-columns: repeat(3, 1fr); gap: 16px; padding: 0 }
  .cards > * { list-style: none; border: 1px solid #ccc; border-radius: 8px; padding: 12px }
  .price { font-weight: bold }
  th { text-align: left; padding-right: 16px }
`;

/** The whole document: header with menu and search, main, footer. */
export function documentOf({ title, main, language = 'en', head = '' }: SitePage): string {
  const menu = MENUS[language].map(([path, name]) => link(path, name)).join('');
  const search = `<form role="search" action="/search" method="get">
    <input type="search" name="q" aria-label="Search the shop" placeholder="Search…">
    <button>Search</button>
  </form>`;
  return `<!doctype html>
<html lang="${language}">
<head><meta charset="utf-8"><title>${escaped(title)} – Fjellhus</title>
<meta name="viewport" content="width=device-width"><style>${STYLE}</style>${head}</head>
<body>
<header><nav aria-label="Main">${menu}</nav>${language === 'en' ? search : ''}</header>
<main>${main}</main>
<footer>${FOOTERS[language]}</footer>
</body></html>`;
}
