import { fileURLToPath } from 'node:url';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, type Rolldown } from 'vite';
import { contractData } from './contract-data.ts';
import { downloads } from './downloads.ts';
import { minifyEarly } from './minify-early.ts';
import { pageHeads } from './page-heads.ts';
import { precompress } from './precompress.ts';

const local = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** A chunk for the modules that the same pages use; chunks below `bytesMin` join their neighbors. */
const byUse = (name: string, test: RegExp, bytesMin: number): Rolldown.CodeSplittingGroup => ({
  name,
  test,
  minShareCount: 2,
  entriesAware: true,
  entriesAwareMergeThreshold: bytesMin,
});

/** What the server answers, for pages that are served by Vite. */
const SERVER = 'http://127.0.0.1:8080';
const CALLS = { '/api': SERVER, '/v1': SERVER };

/**
 * A module joins the first group that fits, with all that it imports. What one page uses alone
 * stays with that page.
 */
const groups: Rolldown.CodeSplittingGroup[] = [
  { name: 'react', test: /node_modules\/(react|react-dom|scheduler)\// },
  { name: 'base', tags: ['$initial'] },
  byUse('icons', /lucide-react/, 2_400),
  // What public and signed-in pages begin with.
  { name: 'header', test: /\/(logo|switchers|use-title)\.tsx?$/ },
  // All pages but the landing page.
  { name: 'routes', test: /\/app\/(routes\.tsx|further-words\.ts)$/ },
  // The words of the dashboard and its frame, in the language that most start with.
  {
    name: 'words',
    test: /\/locales\/en\/(notifications|organizations|problems|tasks)\.json$/,
  },
  // The first pages that visitors and members see.
  { name: 'frame', test: /\/(frame\.ts|dashboard\.page\.tsx)$/ },
  { name: 'public', test: /\/landing\.page\.tsx$/ },
  // Also loaded by tooltips and toasts, which need no more than this.
  { name: 'overlays', test: /node_modules\/(@radix-ui|@floating-ui)\// },
  { name: 'shared', minShareCount: 6 },
  // Weighs as much as a page.
  { name: 'markdown', test: /\/ui\/markdown\.tsx$/ },
  // The landing page loads it when it is about to be seen.
  { name: 'contact-form', test: /\/contact-form\.tsx$/ },
  byUse('parts', /\/web\/src\//, 500),
];

/** The bundler names a shared chunk after all pages that use it. */
const chunkFileNames = ({ name }: { name: string }) =>
  `assets/${name.replace(/~.*/, '')}-[hash].js`;

export default defineConfig(({ command }) => ({
  plugins: [
    contractData(),
    react(),
    tailwindcss(),
    pageHeads(),
    command === 'build' && downloads(),
    minifyEarly(),
    precompress(),
  ],
  resolve: {
    alias: {
      // The original injects <style> tags, which the Content-Security-Policy refuses.
      'react-style-singleton': local('./src/ui/style-singleton.ts'),
      // Sets `innerHTML` to a plain string, which the Content-Security-Policy refuses.
      'decode-named-character-reference': local('./src/ui/named-character.ts'),
    },
  },
  build: {
    outDir: 'dist',
    sourcemap: false,
    target: 'es2022',
    // All browsers that know that much know how to load modules early.
    modulePreload: { polyfill: false },
    // A data: address would need another exception in the Content-Security-Policy.
    assetsInlineLimit: 0,
    rolldownOptions: { output: { chunkFileNames, codeSplitting: { groups } } },
  },
  server: { proxy: CALLS },
  preview: { proxy: CALLS },
}));
