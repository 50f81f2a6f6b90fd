import { DefaultReporter } from 'vitest/node';

/**
 * Prints failures, and at the end the sums and what some tests lacked: nothing about passing tests.
 */
export class QuietReporter extends DefaultReporter {
  constructor() {
    super({ summary: false });
  }

  printTestModule(module) {
    if (module.state() === 'failed') super.printTestModule(module);
  }

  onTestRunEnd(modules, errors, reason) {
    super.onTestRunEnd(modules, errors, reason);
    const left = leftOut(modules.flatMap((module) => [...module.children.allTests()]));
    const files = process.env.TEST_FILES_LEFT_OUT;
    const all = [...(left === '' ? [] : [left]), ...(files ? [`${files} long files`] : [])];
    if (all.length > 0) this.log(`   Left out  ${all.join('; ')}\n`);
  }
}

/** How many tests were left out, for each thing that they lack, the most first. */
export function leftOut(tests) {
  const counts = new Map();
  for (const test of tests) {
    if (test.result().state !== 'skipped') continue;
    const lacks = lackOf(test) ?? 'a place in the sample';
    counts.set(lacks, (counts.get(lacks) ?? 0) + 1);
  }
  const sorted = [...counts].toSorted(([, a], [, b]) => b - a);
  return sorted.map(([lacks, count]) => `${count} for want of ${lacks}`).join(', ');
}

function lackOf(test) {
  for (let at = test; at; at = at.parent) {
    const { lacks } = at.meta?.() ?? {};
    if (lacks) return lacks;
  }
  return undefined;
}
