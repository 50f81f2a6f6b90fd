import { fileURLToPath } from 'node:url';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { contractValues } from './contract-values.ts';
import { pageHeads } from './page-heads.ts';
import { precompress } from './precompress.ts';

const local = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Files that every page of an area needs travel together: fewer requests, cached on their own. */
const chunkOf = (id: string): string | null => {
  if (/node_modules\/(react|react-dom|scheduler)\//.test(id)) return 'react';
  if (/node_modules\/(react-)?i18next\//.test(id)) return 'i18n';
  if (/node_modules\/zod\//.test(id)) return 'zod';
  if (/node_modules\/three\//.test(id)) return 'three';
  if (/node_modules\/(clsx|tailwind-merge)\//.test(id)) return 'look';
  return null;
};

export default defineConfig({
  plugins: [contractValues(), react(), tailwindcss(), pageHeads(), precompress()],
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
    // A data: address would need another exception in the Content-Security-Policy.
    assetsInlineLimit: 0,
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: chunkOf }] } } },
  },
  server: { proxy: { '/api': 'http://127.0.0.1:8080' } },
  preview: { proxy: { '/api': 'http://127.0.0.1:8080' } },
});
