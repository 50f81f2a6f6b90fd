import { describe, expect, it } from 'vitest';
import { withoutDevelopment } from './sbom.js';

const component = (name: string) => ({ 'bom-ref': `${name}@1.0.0`, name });
const needs = (name: string, ...others: string[]) => ({
  ref: `${name}@1.0.0`,
  dependsOn: others.map((other) => `${other}@1.0.0`),
});
const version = '1.0.0';

describe('the bill of materials', () => {
  it("has the product's dependencies, without development packages", () => {
    const bill = {
      metadata: {},
      components: ['stack', 'server', 'tests'].map(component),
      dependencies: [needs('product', 'stack', 'tests'), needs('stack', 'server'), needs('tests')],
    };
    const locked = {
      '': { name: 'product', version, devDependencies: { server: version, tests: version } },
      stack: { name: 'stack', version, dependencies: { server: version } },
      'node_modules/server': { version },
      'node_modules/tests': { version, dev: true },
    };
    expect(withoutDevelopment(bill, locked)).toEqual({
      metadata: {},
      components: ['stack', 'server'].map(component),
      dependencies: [needs('product', 'stack'), needs('stack', 'server')],
    });
  });

  it('keeps a package that tests have in another place, too', () => {
    const bill = { components: [component('shared')], dependencies: [needs('shared')] };
    const locked = {
      'node_modules/shared': { version },
      'node_modules/tests/node_modules/shared': { version, dev: true },
    };
    expect(withoutDevelopment(bill, locked)).toEqual(bill);
  });
});
