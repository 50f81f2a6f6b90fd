import { describe, expect, it } from 'vitest';
import { releasedChangelog, versionFault, withImages, withVersion } from './release-files.js';

describe('the version of a release', () => {
  it.each(['0.2.0', '0.1.1', '1.0.0'])('may be %s after 0.1.0', (version) => {
    expect(versionFault(version, '0.1.0')).toBeNull();
  });
  it.each(['0.1.0', '0.0.9', '1.0', 'v1.0.0', ''])('may not be "%s"', (version) => {
    expect(versionFault(version, '0.1.0')).toEqual(expect.any(String));
  });
});

describe('the files of a release', () => {
  it('have the changelog dated, with an empty section for what comes next', () => {
    const text = '# Changelog\n\n## Unreleased\n\n- A call.\n\n## 0.1.0\n\nThe first.\n';
    expect(releasedChangelog(text, '0.2.0', '2027-01-31')).toBe(
      '# Changelog\n\n## Unreleased\n\n## 0.2.0 (2027-01-31)\n\n- A call.\n\n## 0.1.0\n\nThe first.\n',
    );
  });

  it('are not made when nothing has changed', () => {
    expect(releasedChangelog('## Unreleased\n\n## 0.1.0\n', '0.2.0', '2027-01-31')).toBeNull();
  });

  it('need our own packages in that version', () => {
    const dependencies = { '@tallyhand/contracts': '0.1.0', zod: '0.1.0' };
    const file = JSON.stringify({ version: '0.1.0', dependencies });
    expect(JSON.parse(withVersion(file, '0.2.0', []))).toEqual({
      version: '0.2.0',
      dependencies: { '@tallyhand/contracts': '0.2.0', zod: '0.1.0' },
    });
  });

  it('name the version of our own packages and images only', () => {
    const lock = {
      version: '0.1.0',
      packages: { '': { version: '0.1.0' }, web: {}, 'node_modules/a': { version: '0.1.0' } },
    };
    expect(JSON.parse(withVersion(JSON.stringify(lock), '0.2.0', ['web']))).toEqual({
      version: '0.2.0',
      packages: { '': { version: '0.2.0' }, web: {}, 'node_modules/a': { version: '0.1.0' } },
    });
    expect(withImages('image: tallyhand/web:0.1.0, postgres:0.1.0', '0.1.0', '0.2.0')).toBe(
      'image: tallyhand/web:0.2.0, postgres:0.1.0',
    );
  });
});
