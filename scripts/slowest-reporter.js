const SHOWN = 20;
const seconds = (ms) => `${(ms / 1000).toFixed(1).padStart(7)} s`;

/** A reporter for `npm test -- --slowest`: the files and the tests that took longest. */
export class SlowestReporter {
  onTestRunEnd(modules) {
    const files = modules.map((module) => ({
      name: module.relativeModuleId,
      ms: module.diagnostic().duration,
    }));
    const tests = modules.flatMap((module) =>
      [...module.children.allTests()].map((test) => ({
        name: `${module.relativeModuleId} > ${test.fullName}`,
        ms: test.diagnostic()?.duration ?? 0,
      })),
    );
    for (const [what, all] of Object.entries({ files, tests })) {
      console.log(`\nThe slowest ${what}`);
      for (const { name, ms } of all.toSorted((a, b) => b.ms - a.ms).slice(0, SHOWN)) {
        console.log(`${seconds(ms)}  ${name}`);
      }
    }
  }
}
