import type { IncomingMessage, ServerResponse } from 'node:http';
import { httpServer } from '@tallyhand/test-kit/http-server';
import { type FormAnswer, formAnswer, SIGNED_IN_COOKIE } from './forms.ts';
import { answerHostile } from './hostile.ts';
import { documentOf, paragraphs, type SitePage } from './layout.ts';
import { newsPage, plansPage, shopPage } from './shop.ts';
import { textPage } from './texts.ts';

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
