import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { expect, it } from 'vitest';
import { sharedProduct } from '../testing/product.ts';
import { openBrowser } from './browser.ts';
import { registered } from './steps.ts';

const browser = openBrowser();

/** The library as one file, as a bundler of a customer makes it. */
async function bundled(): Promise<string> {
  const input = fileURLToPath(import.meta.resolve('@tallyhand/client'));
  const bundle = await rolldown({ input });
  const { output } = await bundle.generate({ format: 'es', minify: true });
  return output[0].code;
}

it('the client library works in a page, by the sign-in of the browser', async () => {
  const { url } = await sharedProduct();
  const page = await browser.newPage(url);
  await registered(page, 'Harbour');
  await page.goto('/dashboard');
  const body = await bundled();
  await page.route('**/client-library.js', (route) =>
    route.fulfill({ contentType: 'text/javascript', body }),
  );
  const seen = await page.evaluate(async (baseUrl) => {
    const { Tallyhand } = (await import(
      `${baseUrl}/client-library.js`
    )) as typeof import('@tallyhand/client');
    const client = new Tallyhand({ baseUrl });
    const agent = await client.agents.create({
      name: 'Support',
      description: 'Answers customers',
      personaConfig: {
        role: 'Support agent',
        personality: 'Patient and kind',
        expertise: ['Returns'],
      },
    });
    const file = new File(['# Returns\n\nWithin 30 days.'], 'returns.md', {
      type: 'text/markdown',
    });
    const { title } = await client.articles.import({ file });
    const events: string[] = [];
    for await (const { event } of client.agents.chatStream(agent.id, { message: 'Hello' })) {
      events.push(event);
    }
    const names: string[] = [];
    for await (const { name } of client.agents.list({ limit: 1 })) names.push(name);
    const key = new Tallyhand({ baseUrl, apiKey: 'th_wrong' });
    const code = await key.agents.list().then(String, (error: { code: string }) => error.code);
    return { title, first: events[0], last: events.at(-1), names, code };
  }, new URL(page.url()).origin);
  expect(seen).toEqual({
    title: 'Returns',
    first: 'started',
    last: 'reply',
    names: ['Support'],
    // A key counts instead of the sign-in.
    code: 'not-signed-in',
  });
});
