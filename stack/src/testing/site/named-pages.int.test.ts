import type { ServerResponse } from 'node:http';
import { parseAllowedHosts } from '@tallyhand/agent-runtime/guard/allowed-hosts';
import { pdfOf } from '@tallyhand/agent-runtime/import/fixtures/pdf';
import { browserHost } from '@tallyhand/browser-runner/browser/browser-host';
import type { BrowserHost } from '@tallyhand/browser-runner/session-browser';
import { offlinePlanner } from '@tallyhand/offline-engine/offline-planner';
import { sampleName, sampleOf } from '@tallyhand/test-kit/cases';
import { httpServer } from '@tallyhand/test-kit/http-server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browse } from './browse.ts';

const page = (title: string, body: string) =>
  `<!doctype html><html lang="en"><head><title>${title}</title></head><body>${body}</body></html>`;
const HOME = page(
  'Brook Bakery',
  `<nav><a href="/prices">Prices</a> <a href="/contact">Contact</a></nav>
   <main><h1>Welcome to Brook Bakery</h1><h2>Our bread</h2>
   <p>We bake sourdough bread every morning.</p><h2>Our history</h2>
   <p>The bakery was founded in 1987 by two sisters.</p></main>`,
);
const answers: Readonly<Record<string, (response: ServerResponse) => unknown>> = {
  '/': (response) => html(response, HOME),
  '/prices': (response) =>
    html(response, page('Prices', '<h1>Prices</h1><p>A loaf of rye bread costs 4.20 EUR.</p>')),
  '/contact': (response) =>
    html(response, page('Contact', '<h1>Contact</h1><p>Call us: +49 30 1234567.</p>')),
  '/untitled': (response) => html(response, '<p>A page without a title.</p>'),
  '/moved': (response) => response.writeHead(302, { location: '/prices' }).end(),
  '/data.json': (response) => {
    response.setHeader('content-type', 'application/json');
    response.end('{"loaves": 12}');
  },
  '/notes.txt': (response) => {
    response.setHeader('content-type', 'text/plain; charset=utf-8');
    response.end('Flour is delivered on Mondays.');
  },
  '/menu.pdf': async (response) => {
    response.setHeader('content-type', 'application/pdf');
    response.end(await pdfOf((document) => document.text('Menu of the week: pumpkin soup')));
  },
};
function html(response: ServerResponse, body: string) {
  response.setHeader('content-type', 'text/html; charset=utf-8');
  response.end(body);
}

let host: BrowserHost;
const server = await httpServer((request, response) => {
  const answer = answers[request.url ?? '/'];
  if (answer) answer(response);
  else {
    response.statusCode = 404;
    html(response, page('Nothing here', '<h1>Not found</h1>'));
  }
});
const { origin, host: authority } = server;
beforeAll(async () => {
  const allowedHosts = parseAllowedHosts('127.0.0.1,localhost');
  host = browserHost({ policy: { ownOrigins: [], allowedHosts } });
});
afterAll(async () => {
  await host[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

/** `$A` is replaced by the site's origin, `$H` by its host and port. */
async function pursue(goal: string) {
  const text = goal.replaceAll('$A', origin).replaceAll('$H', authority);
  const { end, steps } = await browse(host, offlinePlanner(), { goal: text });
  return { end, steps, found: end?.keyFindings.join('\n') ?? '' };
}

const TITLE = 'Title: Brook Bakery (';
const HEADINGS = 'Headings (3): Welcome to Brook Bakery · Our bread · Our history';
const TEXT = 'We bake sourdough bread every morning.';

describe('a goal that names pages', () => {
  const goals: [goal: string, parts: string[]][] = [
    ['Visit $A/ and report the page title.', [TITLE]],
    ['What is the title of $A?', [TITLE]],
    ['Please open "$A/" and tell me the title of the page!', [TITLE]],
    ['Go to $H, then report its title', [TITLE]],
    ['Open ($A/). Return the exact page title, please.', [TITLE]],
    ['Title and headings of $A/, please', [TITLE, HEADINGS]],
    ['List all headings on $A', [HEADINGS]],
    ['Which headings does $A/ have?', [HEADINGS]],
    ['List all links on $A/.', ['Links (2): Prices <$A/prices> · Contact <$A/contact>']],
    ['How many links are on $A/?', ['Links (2)']],
    ['Read $A/ and give me the main text', [TEXT]],
    ['Summarize $A/', [TITLE, HEADINGS, TEXT]],
    ['What is $A/ about?', [TITLE, TEXT]],
    ['Visit $A', [TITLE, TEXT]],
    ['$A', [TITLE, TEXT]],
    ['$H/prices', ['Title: Prices', '4.20 EUR']],
    ['Visit our new homepage $A/ and report back', [TITLE, TEXT]],
    [
      'Read $A/, then $A/prices, then $A/contact.',
      [TITLE, 'Title: Prices ($A/prices)', 'Title: Contact ($A/contact)', '+49 30 1234567'],
    ],
    ['Report the titles of $A/prices and $A/contact', ['Title: Prices', 'Title: Contact']],
    ['Open $A/prices. What is its title? What does a loaf of rye bread cost?', ['Prices', '4.20']],
    ['What does a loaf of rye bread cost? $A/prices', ['4.20 EUR']],
    ['When was the bakery founded? See $A/', ['1987']],
    ['Report the title of $A/untitled', ['The page has no title.']],
    ['What does $A/data.json contain?', ['application/json', '"loaves": 12']],
    ['Read $A/notes.txt', ['text/plain', 'Flour is delivered on Mondays.']],
    ['Summarize the document $A/menu.pdf', ['no web page but a document', 'pumpkin soup']],
    ['Report the page title of $A/missing', ['404 Not Found', 'Title: Nothing here']],
    ['Visit $A/moved and report the title', ['Redirected from: $A/moved', 'Title: Prices']],
    ['Öffne $A/ und nenne mir den Titel der Seite.', [TITLE]],
    ['Fasse $A/ kurz zusammen', [TITLE, TEXT]],
    ['Besuche „$A/“ und liste alle Überschriften auf.', [HEADINGS]],
    ['Abre $A/ y dime el título de la página.', [TITLE]],
    ['¿Qué enlaces hay en $A/?', ['Links (2)']],
    ['Ouvre $A/ et donne-moi le titre de la page.', [TITLE]],
    ['Quels sont les liens de la page $A/ ?', ['Links (2)']],
    ['$A/を開いて、ページのタイトルを教えてください。', [TITLE]],
    ['$A/ の見出しを一覧にしてください', [HEADINGS]],
    ['打开$A/并报告页面标题。', [TITLE]],
    ['$A/ 페이지의 제목을 알려 주세요', [TITLE]],
    ['Apri $A/ e dimmi il titolo della pagina', [TITLE]],
    ['Abra $A/ e diga o título da página', [TITLE]],
    ['Открой $A/ и назови заголовок страницы', [TITLE]],
  ];

  it.each(sampleOf(goals, 3))(
    `ends with their content: %s (${sampleName()})`,
    async (goal, parts) => {
      const { end, found, steps } = await pursue(goal);
      expect(end, JSON.stringify(steps)).toMatchObject({ result: 'reached' });
      for (const part of parts) expect(found).toContain(part.replaceAll('$A', origin));
    },
  );

  it.each([
    [
      'Visit http://10.0.0.1/ and report the page title.',
      'http://10.0.0.1/',
      /10\.0\.0\.1.*not allowed|private/i,
    ],
    ['Report the title of http://127.0.0.1:9/', 'http://127.0.0.1:9/', /127\.0\.0\.1/],
    ['Report the title of http://nowhere.invalid/', 'http://nowhere.invalid/', /nowhere\.invalid/],
  ])('reports which page could not be opened, and why: %s', async (goal, address, why) => {
    const { end } = await pursue(goal);
    expect(end).toMatchObject({ result: 'not-reached', keyFindings: [] });
    expect(end?.summary).toContain(address);
    expect(end?.summary).toMatch(why);
    expect(end?.nextSteps.join()).toContain(address);
  });

  it('reports those that could be opened, and which could not', async () => {
    const { end, found } = await pursue('Report the titles of $A/prices and http://10.0.0.1/x');
    expect(end).toMatchObject({ result: 'reached' });
    expect(found).toContain('Title: Prices');
    expect(end?.summary).toContain('Failed: open http://10.0.0.1/x');
  });

  it('quotes how the page begins when it does not answer a question', async () => {
    const { end, found } = await pursue('What does a wedding cake for 80 guests cost? $A/prices');
    expect(end).toMatchObject({ result: 'uncertain' });
    expect(end?.summary).toContain('The pages don’t contain an answer.');
    expect(end?.summary).toContain('No reliable answer was found.');
    expect(found).toContain('Text: Prices A loaf of rye bread costs 4.20 EUR.');
  });

  it('keeps a partial answer, and reports that the rest is uncertain', async () => {
    const { end, found } = await pursue(
      'What does a loaf of rye bread cost? Which university did the baker attend? $A/prices',
    );
    expect(end).toMatchObject({ result: 'uncertain' });
    expect(found).toContain('4.20 EUR');
    expect(end?.summary).toContain('No reliable answer was found.');
  });

  it('leaves steps for people to people', async () => {
    const { end } = await pursue('Order two loaves at $A/prices and report the title');
    expect(end).toMatchObject({ result: 'not-reached' });
  });
});
