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
