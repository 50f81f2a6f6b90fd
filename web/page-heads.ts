import { readdirSync, readFileSync } from 'node:fs';
import { basename, extname } from 'node:path';
import {
  MEMBER_PATHS,
  STATIC_PATHS,
  TEXT_PAGES,
  VERIFIER_PATH,
} from '@tallyhand/contracts/web-paths';
import type { Plugin, Rolldown } from 'vite';
import { llmsTxt, markdownOf } from './llms-txt.ts';

/** The server replaces it by its own address (stack/src/application/web-assets.ts). */
const ORIGIN = '%PUBLIC_URL%';
const CARD = { path: '/card.png', width: 1200, height: 630 };
const NAME = 'Tallyhand';

type Head = { readonly path: string; readonly title: string; readonly description: string };

const WORDS = 'app/further-words.ts';
const ROUTES = 'app/routes.tsx';
/** What all pages of members load. */
const MEMBER_FRAME = [ROUTES, 'app/frame.ts', WORDS];
/** What public pages load; the landing page comes without the router. */
const LANDING_FRAME = ['landing.page.tsx'];
const PUBLIC_FRAME = [ROUTES, 'public-layout.tsx', WORDS];

const words = (file: string) =>
  JSON.parse(readFileSync(new URL(`./src/locales/en/${file}.json`, import.meta.url), 'utf8'));

const GUIDES = new URL('./src/features/support/guides/', import.meta.url);
const SHOWN_ADDRESS = 'https://tallyhand.example.com';

/** The programs of a guide, by the endings of their files. */
function programsOf(sample: string): Readonly<Record<string, string>> {
  const files = readdirSync(GUIDES).filter((file) => file.startsWith(`${sample}.`));
  return Object.fromEntries(
    files.map((file) => {
      const text = readFileSync(new URL(file, GUIDES), 'utf8');
      return [extname(file).slice(1), text.replaceAll(SHOWN_ADDRESS, ORIGIN)];
    }),
  );
}

/** The verifier of audit exports: one file, which loads nothing and is served as it is built. */
const VERIFIER = new URL('../verifier/built/tallyhand-audit-verify.html', import.meta.url);

/** The public pages, with the texts that they show. */
function heads(): readonly Head[] {
  const { title, description } = words('landing');
  const support = words('support');
  const reference = words('reference');
  const texts = [...TEXT_PAGES, ...STATIC_PATHS.map((path) => path.slice(1))];
  return [
    { path: '/', title, description },
    ...texts.map((page) => ({ ...words(`pages/${page}`), path: `/${page}` })),
    { path: '/contact', title: support.tab, description: support.description },
    { path: '/status', ...support.status },
    { path: '/api', ...reference },
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
${[...pages.map(({ path }) => path), VERIFIER_PATH]
  .map((path) => `  <url><loc>${ORIGIN}${path}</loc></url>`)
  .join('\n')}
</urlset>
`;

/**
 * Writes each public page with its own head to `pages/`, with the verifier of audit exports,
 * robots.txt, sitemap.xml, llms.txt and the documentation as Markdown, and each member's page, which
 * lets the browser load all of its files at once. The file of a page is named after the last part of
 * its path. All other pages are index.html.
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
        const early = preloads(bundle, head.path === '/' ? LANDING_FRAME : PUBLIC_FRAME);
        write(`${head.path.slice(1) || 'index'}.html`, withHead(early(page), head));
      }
      write(`${VERIFIER_PATH.slice(1)}.html`, readFileSync(VERIFIER, 'utf8'));
      write('robots.txt', robots);
      write('sitemap.xml', sitemap(pages));
      const documentation = words('pages/documentation');
      const [{ description: summary = '' } = {}, ...others] = pages;
      write('llms.txt', llmsTxt({ origin: ORIGIN, summary, documentation, pages: others }));
      write('documentation.md', markdownOf(documentation, ORIGIN, programsOf));
      const unlisted = page.replace(
        '  </head>',
        () => '    <meta name="robots" content="noindex" />\n  </head>',
      );
      for (const path of MEMBER_PATHS.filter((each) => /^\/\w+$/.test(each))) {
        const early = preloads(bundle, [...MEMBER_FRAME, `${basename(path)}.page.tsx`]);
        write(`${path.slice(1)}.html`, early(unlisted));
      }
      index.source = preloads(bundle, MEMBER_FRAME)(unlisted);
    },
  };
}

/** Adds a `modulepreload` link for each file that the source files need, except those it has. */
function preloads(bundle: Rolldown.OutputBundle, sources: readonly string[]) {
  const files = new Set(sources.flatMap((source) => filesOf(bundle, source)));
  return (page: string) => {
    const links = [...files]
      .filter((file) => !page.includes(`"/${file}"`))
      .map((file) => `    <link rel="modulepreload" crossorigin href="/${file}">\n`);
    return page.replace('  </head>', () => `${links.join('')}  </head>`);
  };
}

/** The chunks that a dynamic import of the source file loads. */
function filesOf(bundle: Rolldown.OutputBundle, source: string): readonly string[] {
  const chunks = Object.values(bundle).filter((file) => file.type === 'chunk');
  const isOf = (id: string) => id.endsWith(`/${source}`);
  // A page is a chunk by itself, or has one before the one that it shares.
  const entry =
    chunks.find(({ facadeModuleId }) => facadeModuleId && isOf(facadeModuleId)) ??
    chunks.find(({ moduleIds }) => moduleIds.some(isOf));
  if (!entry) throw new Error(`${source} is in no file of the build`);
  const found = new Set([entry.fileName]);
  for (const file of found) {
    const chunk = bundle[file];
    if (chunk?.type === 'chunk') for (const name of chunk.imports) found.add(name);
  }
  return [...found];
}
