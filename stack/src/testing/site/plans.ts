import { escaped, link, type SitePage } from './layout.ts';

type Plan = { name: string; price: number; about: string };

/** Rental plans, in euros a month, spread over three pages. */
export const PLANS: Readonly<Record<string, readonly Plan[]>> = {
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
