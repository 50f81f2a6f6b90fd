import { fileURLToPath } from 'node:url';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { chunkFileNames, chunks } from './chunks.ts';
import { contractData } from './contract-data.ts';
import { pageHeads } from './page-heads.ts';
import { precompress } from './precompress.ts';

const local = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  plugins: [contractData(), react(), tailwindcss(), pageHeads(), precompress()],
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
    rolldownOptions: { output: { chunkFileNames, codeSplitting: { groups: chunks } } },
  },
  server: { proxy: { '/api': 'http://127.0.0.1:8080' } },
  preview: { proxy: { '/api': 'http://127.0.0.1:8080' } },
});
