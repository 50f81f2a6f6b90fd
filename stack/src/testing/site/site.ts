import type { IncomingMessage, ServerResponse } from 'node:http';
import { httpServer } from '@tallyhand/test-kit/http-server';
import { type FormAnswer, formAnswer, SIGNED_IN_COOKIE } from './forms.ts';
import { answerHostile } from './hostile.ts';
import { documentOf, link, list, paragraphs, type SitePage, table } from './layout.ts';
import { newsPage, plansPage, shopPage } from './shop.ts';

const HELP: readonly (readonly [heading: string, ...texts: string[]])[] = [
  [
    'Returns',
    'You can return unused goods within 60 days. Bring them to a shop or send them by post.',
    'We pay the money back within five working days after the parcel has arrived.',
  ],
  [
    'Shipping',
    'Standard delivery costs €4.90 and is free from €80. Parcels take two to four working days.',
    'Express delivery costs €12.50 and comes on the next working day.',
  ],
  [
    'Warranty',
    'All goods have a warranty of three years. Seams of tents are covered for five years.',
  ],
  [
    'Waxing jackets',
    'Wash the jacket at 30 degrees without softener before you wax it.',
    'Warm the wax in your hands, rub it in evenly, and dry the jacket with a hair dryer.',
  ],
  [
    'Gift cards',
    'Gift cards are valid for four years. They can not be paid out in cash.',
    'A lost gift card is replaced when you have its receipt.',
  ],
];

const ENGLISH: Readonly<Record<string, SitePage>> = {
  '/': {
    title: 'Fjellhus Outdoor',
    main: `<h1>Fjellhus Outdoor</h1>
    ${paragraphs('Everything for days outdoors, to buy and to rent, since 1974.')}
    ${list([
      link('/shop', 'To the shop'),
      link('/plans', 'Rental plans'),
      link('/news', 'What is new'),
      link('/help', 'Returns, shipping and warranty'),
    ])}`,
  },
  '/help': {
    title: 'Help',
    main: `<h1>Help</h1>${HELP.map(
      ([heading, ...texts]) => `<section><h2>${heading}</h2>${paragraphs(...texts)}</section>`,
    ).join('')}`,
  },
};

const GERMAN: Readonly<Record<string, SitePage>> = {
  '/de': {
    title: 'Fjellhus auf Deutsch',
    main: `<h1>Willkommen bei Fjellhus</h1>
    ${paragraphs('Alles für Tage im Freien, zum Kaufen und zum Mieten.')}
    ${list([link('/de/versand', 'Versand und Lieferung'), link('/de/rueckgabe', 'Rückgabe')])}`,
  },
  '/de/versand': {
    title: 'Versand und Lieferung',
    main: `<h1>Versand und Lieferung</h1>
    ${paragraphs('Der Versand nach Deutschland kostet 6,90 €. Ab 100 € ist er kostenlos.')}
    ${table([
      ['Lieferzeit', '3 bis 5 Werktage'],
      ['Expressversand', '14,50 €'],
    ])}`,
  },
  '/de/rueckgabe': {
    title: 'Rückgabe',
    main: `<h1>Rückgabe</h1>
    ${paragraphs(
      'Unbenutzte Ware können Sie innerhalb von 60 Tagen zurückgeben.',
      'Das Rücksendeetikett liegt dem Paket bei; die Rücksendung ist kostenlos.',
    )}`,
  },
};

const FRENCH: Readonly<Record<string, SitePage>> = {
  '/fr': {
    title: 'Fjellhus en français',
    main: `<h1>Bienvenue chez Fjellhus</h1>
    ${paragraphs('Tout pour vos journées en plein air, à acheter et à louer.')}
    ${list([link('/fr/livraison', 'Livraison'), link('/fr/retours', 'Retours')])}`,
  },
  '/fr/livraison': {
    title: 'Livraison',
    main: `<h1>Livraison</h1>
    ${paragraphs(
      'La livraison en France coûte 7,50 € et elle est offerte à partir de 90 €.',
      'Les colis arrivent en quatre à six jours ouvrables.',
    )}`,
  },
  '/fr/retours': {
    title: 'Retours',
    main: `<h1>Retours</h1>
    ${paragraphs('Vous pouvez renvoyer les articles neufs pendant 60 jours.')}`,
  },
};

/** Pages that are the same for everybody. */
function textPage(path: string): SitePage | undefined {
  if (Object.hasOwn(GERMAN, path)) return { language: 'de', ...GERMAN[path] } as SitePage;
  if (Object.hasOwn(FRENCH, path)) return { language: 'fr', ...FRENCH[path] } as SitePage;
  return Object.hasOwn(ENGLISH, path) ? ENGLISH[path] : undefined;
}

export type SiteRequest = { method: string; path: string; form: string };

export type Site = AsyncDisposable & {
  /** Its first page. */
  url: string;
  origin: string;
  /** All that was asked of it, in its order. */
  requests: SiteRequest[];
};

const formBytesMax = 100_000;

/**
 * A small site as real ones are: shop, search, plans, news, help, forms, sign-in, three languages,
 * and a hostile corner below /hostile/. The same for every visitor, with nothing from elsewhere.
 */
export async function startSite(): Promise<Site> {
  const requests: SiteRequest[] = [];
  const server = await httpServer((request, response) => {
    answer(request, response, requests).catch(() => response.destroy());
  });
  return { ...server, url: `${server.origin}/`, requests };
}

async function answer(request: IncomingMessage, response: ServerResponse, requests: SiteRequest[]) {
  const { method = 'GET', headers } = request;
  const { pathname: path, search, searchParams } = new URL(request.url ?? '/', 'http://site');
  const form = method === 'POST' ? await readForm(request) : '';
  requests.push({ method, path: `${path}${search}`, form });
  if (answerHostile(path, response)) return;
  const isSignedIn = (headers.cookie ?? '').split('; ').includes(SIGNED_IN_COOKIE);
  const sent = { path, isSignedIn, form: new URLSearchParams(form) };
  const found =
    formAnswer(method, sent) ??
    textPage(path) ??
    plansPage(path) ??
    newsPage(path, searchParams) ??
    shopPage(path, searchParams) ??
    (path === '/moving' ? moving : missing);
  send(response, found);
}

function send(response: ServerResponse, answered: FormAnswer) {
  if ('location' in answered) {
    const { location, cookie } = answered;
    response.writeHead(303, { location, ...(cookie && { 'set-cookie': cookie }) }).end();
    return;
  }
  response.writeHead(answered.status ?? 200, { 'content-type': 'text/html; charset=utf-8' });
  response.end(documentOf(answered));
}

async function readForm(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) {
    text += String(chunk);
    if (text.length > formBytesMax) throw new RangeError('The form is too long');
  }
  return text;
}

const missing: SitePage = {
  title: 'Not found',
  main: `<h1>This page does not exist</h1>${paragraphs('Try the search.')}`,
  status: 404,
};

/** Moves all the time, for measurements of what a viewer sees. */
const moving: SitePage = {
  title: 'Moving',
  main: `<h1>Moving</h1><p id="count" style="font-size:96px">0</p><script>
    let count = 0;
    const tick = () => {
      document.getElementById('count').textContent = String(count++);
      requestAnimationFrame(tick);
    };
    tick();
  </script>`,
};
