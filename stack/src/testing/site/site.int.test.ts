import { describe, expect, it } from 'vitest';
import { VISITOR } from './forms.ts';
import { DOWNLOAD_BYTES } from './hostile.ts';
import { startSite } from './site.ts';

describe('the test site', () => {
  it('serves every page that it links to, and requests nothing from elsewhere', async () => {
    await using site = await startSite();
    const seen = new Set<string>();
    const open = ['/', '/de', '/fr'];
    for (let path = open.pop(); path !== undefined; path = open.pop()) {
      if (seen.has(path)) continue;
      seen.add(path);
      const response = await fetch(`${site.origin}${path}`);
      const html = await response.text();
      expect([path, response.status]).toEqual([path, 200]);
      expect(html).not.toMatch(/(?:src|href)="(?:https?:)?\/\//);
      const links = [...html.matchAll(/href="(\/[^"]*)"/g)].map(([, href = '']) => href);
      open.push(...links.map((href) => href.replaceAll('&amp;', '&')));
    }
    expect(seen.size).toBeGreaterThan(30);
  });

  it('admits anyone with the password', async () => {
    await using site = await startSite();
    const post = (password: string) =>
      fetch(`${site.origin}/login`, {
        method: 'POST',
        body: new URLSearchParams({ name: VISITOR.name, password }),
        redirect: 'manual',
      });
    expect((await post('wrong')).status).toBe(403);
    const cookie = (await post(VISITOR.password)).headers.get('set-cookie')?.split(';')[0] ?? '';
    const account = await fetch(`${site.origin}/account`, { headers: { cookie } });
    expect(await account.text()).toContain('1,240');
    const stranger = await fetch(`${site.origin}/account`, { redirect: 'manual' });
    expect(stranger.headers.get('location')).toBe('/login');
  });

  it('stops a download with its client', async () => {
    await using site = await startSite();
    const stop = new AbortController();
    const response = await fetch(`${site.origin}/hostile/download`, { signal: stop.signal });
    expect(Number(response.headers.get('content-length'))).toBe(DOWNLOAD_BYTES);
    await response.body?.getReader().read();
    stop.abort();
    expect((await fetch(site.url)).status).toBe(200);
  });
});
