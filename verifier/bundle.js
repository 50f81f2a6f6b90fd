import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { noticesOf } from '../scripts/notices.js';

/*
 * Bundles the verifier of audit exports twice: as a command in one file (dist/), and as a page in one
 * file (built/), which needs no server. Plain JavaScript, so that the system's Node runs it.
 */

const folder = fileURLToPath(new URL('.', import.meta.url));
const local = (...path) => join(folder, ...path);
const page = (name) => local('src', 'page', name);
const kit = (...path) => local('..', 'service-kit', 'src', ...path);
const read = (path) => readFileSync(path, 'utf8');

/** Every warning is a fault. */
const onLog = (level, { message }) => {
  if (level === 'warn') throw new Error(message);
};

async function bundled(input, options, output) {
  const bundle = await rolldown({ input, onLog, ...options });
  const generated = await bundle.generate({ codeSplitting: false, comments: false, ...output });
  await bundle.close();
  const [chunk, ...others] = generated.output;
  if (others.length > 0) throw new Error(`${input} does not fit into one file`);
  return { code: chunk.code, moduleIds: chunk.moduleIds };
}

const command = await bundled(
  local('src', 'audit-verify.main.ts'),
  { platform: 'node', transform: { target: 'node20.0' } },
  { format: 'es' },
);
rmSync(local('dist'), { recursive: true, force: true });
mkdirSync(local('dist'));
writeFileSync(local('dist', 'tallyhand-audit-verify.js'), `#!/usr/bin/env node\n${command.code}`);
writeFileSync(local('dist', 'THIRD-PARTY-NOTICES.txt'), noticesOf(command.moduleIds));

/** What runs on Node elsewhere, and its counterpart in a page. */
const INSTEAD = new Map([[kit('platform', 'node.ts'), page('platform.ts')]]);
const WITHOUT_TIMESTAMPS = new Map([
  ...INSTEAD,
  [kit('timestamps', 'timestamps.ts'), page('timestamps.ts')],
]);

/** Zod's compiled checks need `new Function`, which the policy of the page refuses. */
const NO_COMPILING = 'globalThis.__zod_globalConfig = { jitless: true };\n';

function script(name, instead) {
  const replace = {
    name: 'platform',
    async resolveId(source, importer, options) {
      const resolved = await this.resolve(source, importer, { skipSelf: true, ...options });
      return instead.get(resolved?.id ?? '') ?? resolved;
    },
  };
  return bundled(
    page(name),
    {
      platform: 'browser',
      plugins: [replace],
      transform: { target: 'es2022', inject: { Buffer: ['buffer', 'Buffer'] } },
    },
    { format: 'iife', minify: true, banner: NO_COMPILING },
  );
}

const timestamps = await script('timestamps.main.ts', INSTEAD);
const worker = await script('worker.main.ts', WITHOUT_TIMESTAMPS);
const around = await script('page.main.ts', INSTEAD);

/** In a script element nothing may look like its end. */
const embedded = ({ code }) =>
  code.replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--').trim();
const hashOf = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** The colors of the product. */
const colors = [
  ...read(local('..', 'web', 'src', 'ui', 'tokens.css')).matchAll(/^:root[^{]*\{[^}]*\}/gm),
];
if (colors.length !== 3) throw new Error('tokens.css has other colors than for light and dark');
const style = `${colors.map(([text]) => text).join('\n')}\n${read(page('page.css'))}`;
const icon = readFileSync(local('..', 'web', 'public', 'favicon.svg')).toString('base64');
const pageScript = embedded(around);

const policy = {
  'default-src': "'none'",
  'base-uri': "'none'",
  'connect-src': "'none'",
  'form-action': "'none'",
  'img-src': 'data:',
  'script-src': hashOf(pageScript),
  'style-src': hashOf(style),
  'worker-src': 'blob:',
  'require-trusted-types-for': "'script'",
  'trusted-types': 'verifier',
};
const PLACE = /%(\w+)%|\/\*([A-Z]+)\*\//g;
const parts = {
  ...JSON.parse(read(page(join('locales', 'en.json')))),
  POLICY: Object.entries(policy)
    .map(([name, sources]) => `${name} ${sources}`)
    .join('; '),
  VERSION: JSON.parse(read(local('package.json'))).version,
  ICON: `data:image/svg+xml;base64,${icon}`,
  STYLE: style,
  TIMESTAMPS: embedded(timestamps),
  WORKER: embedded(worker),
  PAGE: pageScript,
};
const notices = noticesOf([timestamps, worker, around].flatMap(({ moduleIds }) => moduleIds));
const html = read(page('page.html')).replace(
  PLACE,
  (_, inText, inScript) => parts[inText ?? inScript],
);
mkdirSync(local('built'), { recursive: true });
writeFileSync(
  local('built', 'tallyhand-audit-verify.html'),
  `${html}<!--\n${notices.replaceAll('--', '- -')}\n-->\n`,
);
