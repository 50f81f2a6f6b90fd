import type { Plugin } from 'vite';
import { tarballOf } from '../scripts/tarball.js';

/**
 * Writes the packages for programs and shells to `downloads/`: with their version, and under a name
 * that stays. The pages know them as `import.meta.env.DOWNLOADS`.
 */
export function downloads(): Plugin {
  const tarballs = (['client', 'cli', 'verifier'] as const).map(tarballOf);
  // The page of the reference offers what calls the API.
  const callers = tarballs.filter(({ name }) => name !== '@tallyhand/audit-verify');
  const shown = callers.map(({ name, version, stableFile, integrity }) => ({
    name,
    version,
    path: `/downloads/${stableFile}`,
    integrity,
  }));
  return {
    name: 'downloads',
    apply: 'build',
    config: () => ({ define: { 'import.meta.env.DOWNLOADS': JSON.stringify(shown) } }),
    generateBundle() {
      for (const { file, stableFile, bytes } of tarballs) {
        for (const name of [file, stableFile]) {
          this.emitFile({ type: 'asset', fileName: `downloads/${name}`, source: bytes });
        }
      }
    },
  };
}
