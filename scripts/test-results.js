import { relative } from 'node:path';

/**
 * What a report of vitest's JSON reporter says of each file. `error`: the message of a file that
 * failed outside of its tests, such as while it was loaded.
 *
 * @param {{ testResults: any[] }} report
 * @param {string} root
 */
export function testFilesOf({ testResults }, root) {
  return testResults.map(({ name, status, message, assertionResults }) => {
    const file = relative(root, name);
    const tests = assertionResults.map((test) => ({
      file,
      name: test.fullName,
      status: test.status,
      message: test.failureMessages?.[0] ?? '',
    }));
    const isOutside = status === 'failed' && tests.every((test) => test.status !== 'failed');
    return { file, tests, ...(isOutside ? { error: message } : {}) };
  });
}
