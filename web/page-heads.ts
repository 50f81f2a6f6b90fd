import { readFileSync } from 'node:fs';
import type { Plugin } from 'vite';
import { preloads } from './preloads.ts';

/** The server puts its own address in this one's place (stack/src/application/web-pages.ts). */
const ORIGIN = '%PUBLIC_URL%';
const CARD = { path: '/card.png', width: 1200, height: 630 };
const NAME = 'Tallyhand';

type Head = { readonly path: string; readonly title: string; readonly description: string };

/** What stands around all signed-in pages, and where their words are. */
const APP = ['app/frame.ts', 'app/member-words.ts'];
/** The page at each address of the sidebar: what its file is called below features. */
const APP_PAGES: Readonly<Record<string, string>> = {
  dashboard: 'organizations/dashboard',
  agents: 'agents/agents',
  autonomous: 'sessions/sessions',
  tasks: 'tasks/tasks',
  knowledge: 'knowledge/knowledge',
  tools: 'tools/tools',
  billing: 'credits/billing',
  team: 'team/team',
  developers: 'api-keys/developers',
  audit: 'audit/audit',
  settings: 'settings/settings',
};
/** What the public ones begin with. Without words: in which language, the page finds out itself. */
const LANDING = ['features/landing/landing.page.tsx'];
const TEXT = ['features/support/public-layout.tsx'];

const words = (file: string) =>
  JSON.parse(readFileSync(new URL(`./src/locales/en/${file}.json`, import.meta.url), 'utf8'));

/** The public pages, with the texts that they show. */
function heads(): readonly Head[] {
  const { title, description } = words('landing');
  const support = words('support');
  const developers = words('developers');
  const texts = [
    'features',
    'pricing',
    'documentation',
    'about',
    'blog',
    'careers',
    'help',
    'security',
    'privacy',
  ];
  return [
    { path: '/', title, description },
    ...texts.map((page) => ({ ...words(`pages/${page}`), path: `/${page}` })),
    { path: '/contact', title: support.tab, description: support.description },
    { path: '/status', ...support.status },
    { path: '/api', title: developers.reference, description: developers.api.description },
  ];
}

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');

/** The page with its own head: for search engines and previews, which need not run a script. */
function withHead(page: string, { path, title, description }: Head): string {
  const named = title === NAME ? NAME : `${title} · ${NAME}`;
  const address = `${ORIGIN}${path}`;
  const properties = {
    'og:type': 'website',
    'og:site_name': NAME,
    'og:title': named,
    'og:description': description,
    'og:url': address,
    'og:image': `${ORIGIN}${CARD.path}`,
    'og:image:width': String(CARD.width),
    'og:image:height': String(CARD.height),
  };
  const tags = [
    `<link rel="canonical" href="${address}" />`,
    '<meta name="twitter:card" content="summary_large_image" />',
    ...Object.entries(properties).map(
      ([property, content]) => `<meta property="${property}" content="${escaped(content)}" />`,
    ),
  ];
  return page
    .replace(/<title>[^<]*<\/title>/, () => `<title>${escaped(named)}</title>`)
    .replace(/(name="description"\s+content=")[^"]*/, (_, start) => start + escaped(description))
    .replace('  </head>', () => `    ${tags.join('\n    ')}\n  </head>`);
}

const robots = `User-agent: *
Allow: /api/openapi.json
Allow: /api/status
Disallow: /api/

Sitemap: ${ORIGIN}/sitemap.xml
`;

const sitemap = (pages: readonly Head[]) => `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${pages.map(({ path }) => `  <url><loc>${ORIGIN}${path}</loc></url>`).join('\n')}
</urlset>
`;

/**
 * Writes each public page with its own head to `pages/`, with robots.txt and sitemap.xml, and those
 * of the sidebar, which let the browser ask for all their files at once; what is left, index.html,
 * stands for every other page.
 */
export function pageHeads(): Plugin {
  return {
    name: 'page-heads',
    apply: 'build',
    enforce: 'post',
    generateBundle(_, bundle) {
      const index = bundle['index.html'];
      if (index?.type !== 'asset') throw new Error('There is no index.html to write pages from');
      const page = String(index.source);
      const pages = heads();
      const write = (name: string, source: string) =>
        this.emitFile({ type: 'asset', fileName: `pages/${name}`, source });
      for (const head of pages) {
        const early = preloads(bundle, head.path === '/' ? LANDING : TEXT);
        write(`${head.path.slice(1) || 'index'}.html`, withHead(early(page), head));
      }
      write('robots.txt', robots);
      write('sitemap.xml', sitemap(pages));
      const unlisted = page.replace(
        '  </head>',
        () => '    <meta name="robots" content="noindex" />\n  </head>',
      );
      for (const [path, name] of Object.entries(APP_PAGES)) {
        const early = preloads(bundle, [...APP, `features/${name}.page.tsx`]);
        write(`${path}.html`, early(unlisted));
      }
      index.source = preloads(bundle, APP)(unlisted);
    },
  };
}
