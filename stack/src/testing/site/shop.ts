import { escaped, link, list, pager, paragraphs, type SitePage, table } from './layout.ts';

type Product = {
  slug: string;
  name: string;
  category: string;
  /** In euro cents. */
  price: number;
  weight: string;
  about: string;
};

const CATEGORIES = { backpacks: 'Backpacks', tents: 'Tents', stoves: 'Stoves' } as const;
const PAGE_SIZE = 4;
export const euros = (cents: number): string => `€${(cents / 100).toFixed(2)}`;

const product = (
  name: string,
  category: keyof typeof CATEGORIES,
  price: number,
  weight: string,
  about: string,
): Product => {
  const slug = name.toLowerCase().replaceAll(' ', '-');
  return { slug, name, category, price, weight, about };
};

export const PRODUCTS: readonly Product[] = [
  product('Alpine 40', 'backpacks', 12_900, '1.4 kg', 'A pack for long days, with a rain cover.'),
  product('Trail 22', 'backpacks', 6_950, '0.7 kg', 'A light pack for short hikes.'),
  product('Summit 60', 'backpacks', 21_500, '2.1 kg', 'Carries heavy loads for a week outdoors.'),
  product('City 18', 'backpacks', 5_490, '0.6 kg', 'For the office, with room for a laptop.'),
  product('Ridge 30', 'backpacks', 9_900, '1.1 kg', 'Two side pockets and a stiff back.'),
  product('Harbour 25', 'backpacks', 4_200, '0.8 kg', 'Made of recycled sails, not waterproof.'),
  product('Polar Dome', 'tents', 54_900, '4.2 kg', 'Stands in storms; sleeps three.'),
  product('Birch Two', 'tents', 23_900, '2.6 kg', 'A tent for two in summer and autumn.'),
  product('Solo Wing', 'tents', 18_900, '1.3 kg', 'For one person, pitched with a pole.'),
  product('Ember One', 'stoves', 4_990, '0.2 kg', 'Boils a litre of water in four minutes.'),
  product('Cinder Duo', 'stoves', 8_990, '0.5 kg', 'Two flames that burn on gas or spirit.'),
];

type Order = { label: string; compare: (a: Product, b: Product) => number };
const ORDERS: Readonly<Record<string, Order>> = {
  name: { label: 'Name', compare: (a, b) => a.name.localeCompare(b.name) },
  price: { label: 'Price: low to high', compare: (a, b) => a.price - b.price },
  'price-down': { label: 'Price: high to low', compare: (a, b) => b.price - a.price },
};

const card = ({ slug, name, price, about }: Product) =>
  `<li><article><h2>${link(`/shop/${slug}`, name)}</h2><p>${escaped(about)}</p>
  <p class="price">${euros(price)}</p></article></li>`;

function categoryPage(category: keyof typeof CATEGORIES, query: URLSearchParams): SitePage {
  const wanted = query.get('sort') ?? '';
  const sort = Object.hasOwn(ORDERS, wanted) ? wanted : 'name';
  const all = PRODUCTS.filter((one) => one.category === category).toSorted(ORDERS[sort]?.compare);
  const pages = Math.ceil(all.length / PAGE_SIZE);
  const page = Math.min(Math.max(1, Number(query.get('page')) || 1), pages);
  const shown = all.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE);
  const options = Object.entries(ORDERS).map(
    ([value, { label }]) =>
      `<option value="${value}"${value === sort ? ' selected' : ''}>${label}</option>`,
  );
  const title = CATEGORIES[category];
  return {
    title,
    main: `<h1>${title}</h1>
    <form method="get"><label>Sort by
      <select name="sort" onchange="this.form.submit()">${options.join('')}</select></label>
    </form>
    <ul class="cards">${shown.map(card).join('')}</ul>
    ${pager(`/shop/${category}?sort=${sort}`, page, pages)}`,
  };
}

const productPage = (one: Product): SitePage => ({
  title: one.name,
  main: `<nav aria-label="Breadcrumb">${link('/shop', 'Shop')} › ${link(`/shop/${one.category}`, one.category)}</nav>
  <h1>${escaped(one.name)}</h1><p>${escaped(one.about)}</p>
  <p class="price">${euros(one.price)}</p>
  ${table([
    ['Weight', one.weight],
    ['Warranty', '3 years'],
    ['Delivery', '2 to 4 working days'],
  ])}
  <form method="post" action="/basket"><button>Add to basket</button></form>`,
});

/** Of the shop and its search; undefined for a path that is none of theirs. */
export function shopPage(path: string, query: URLSearchParams): SitePage | undefined {
  if (path === '/shop') {
    const links = Object.entries(CATEGORIES).map(([slug, name]) => link(`/shop/${slug}`, name));
    return {
      title: 'Shop',
      main: `<h1>Shop</h1>${paragraphs('What you need outdoors.')}${list(links)}`,
    };
  }
  if (path === '/search') return searchPage(query.get('q') ?? '');
  const slug = path.startsWith('/shop/') ? path.slice('/shop/'.length) : '';
  if (slug in CATEGORIES) return categoryPage(slug as keyof typeof CATEGORIES, query);
  const found = PRODUCTS.find((one) => one.slug === slug);
  return found && productPage(found);
}

function searchPage(asked: string): SitePage {
  const words = asked.toLowerCase().split(/\s+/).filter(Boolean);
  const found = PRODUCTS.filter((one) => {
    const text = `${one.name} ${one.category} ${one.about}`.toLowerCase();
    return words.length > 0 && words.every((word) => text.includes(word));
  });
  const results =
    found.length > 0
      ? `<ul class="cards">${found.map(card).join('')}</ul>`
      : paragraphs('No results. Try fewer words.');
  return { title: 'Search results', main: `<h1>Results for “${escaped(asked)}”</h1>${results}` };
}

type Article = { slug: string; title: string; date: string; text: readonly string[] };

/** The newest first. */
const ARTICLES: readonly Article[] = [
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
const NEWS_PER_PAGE = 3;

export function newsPage(path: string, query: URLSearchParams): SitePage | undefined {
  if (path === '/news') {
    const pages = Math.ceil(ARTICLES.length / NEWS_PER_PAGE);
    const page = Math.min(Math.max(1, Number(query.get('page')) || 1), pages);
    const shown = ARTICLES.slice((page - 1) * NEWS_PER_PAGE, page * NEWS_PER_PAGE).map(
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

type Plan = { name: string; price: number; about: string };

/** Rental plans, in euros a month, spread over three pages. */
const PLANS: Readonly<Record<string, readonly Plan[]>> = {
  '/plans': [
    { name: 'Weekend', price: 9, about: 'One item for two days each month.' },
    { name: 'Explorer', price: 19, about: 'Three items at a time.' },
    { name: 'Nomad', price: 39, about: 'Ten items at a time.' },
  ],
  '/plans/families': [
    { name: 'Family Small', price: 14, about: 'For two adults and one child.' },
    { name: 'Family Large', price: 29, about: 'For up to six people.' },
  ],
  '/plans/clubs': [
    { name: 'Youth Club', price: 12, about: 'For clubs with members below 18.' },
    { name: 'Sports Club', price: 59, about: 'For clubs of any size.' },
    { name: 'University', price: 45, about: 'For student unions.' },
  ],
};

const TITLES: Readonly<Record<string, string>> = {
  '/plans': 'Rental plans',
  '/plans/families': 'Plans for families',
  '/plans/clubs': 'Plans for clubs',
};

export function plansPage(path: string): SitePage | undefined {
  const plans = Object.hasOwn(PLANS, path) ? PLANS[path] : undefined;
  const title = TITLES[path];
  if (!plans || !title) return undefined;
  const cards = plans.map(
    ({ name, price, about }) => `<section><h2>${escaped(name)}</h2>
    <p class="price">€${price} per month</p><p>${escaped(about)}</p></section>`,
  );
  const others = Object.keys(PLANS).filter((one) => one !== path);
  return {
    title,
    main: `<h1>${title}</h1><p>All plans can be ended each month.</p>
    <div class="cards">${cards.join('')}</div>
    <p>${others.map((one) => link(one, TITLES[one] ?? one)).join(' · ')}</p>`,
  };
}
