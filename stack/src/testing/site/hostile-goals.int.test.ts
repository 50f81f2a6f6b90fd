import type { BrowserHost } from '@tallyhand/browser-runner/session-browser';
import { offlinePlanner } from '@tallyhand/offline-engine/offline-planner';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browse, hostFor } from './browse.ts';
import { type Site, startSite } from './site.ts';

/** Far below a session's hour: no page holds it up for longer than a few steps may take. */
const MS_MAX = 90_000;

let site: Site;
let host: BrowserHost;
beforeAll(async () => {
  site = await startSite();
  host = hostFor(site.origin);
});
afterAll(async () => {
  await host[Symbol.asyncDispose]();
  await site[Symbol.asyncDispose]();
});

describe.concurrent('the offline planner reports its findings, and continues, at a page that', () => {
  it.each([
    ['floods dialogs', 'dialogs', /open no: The page showed one dialog after the other/],
    ['runs without end', 'endless', / no: The page (?:does not answer|was gone)/],
    ['takes all memory', 'memory', / no: (?:The page|This took too long)/],
    ['is never complete', 'half', /open yes: .*It was still loading after 20 seconds/],
    // On a busy machine its title may come too late to be named.
    ['does not let go', 'leaving', /open yes: Opened .*leaving/i],
    ['leads to a private address', 'redirect', /open no: .* leads to a private address/],
    ['is huge', 'huge', /extract yes: Huge/],
    ['is a large download', 'download', /open no: .*(?:cut off|download)/],
  ])('%s', { timeout: MS_MAX }, async (_, name, said) => {
    const goal = `How do I return goods? ${site.origin}/hostile/${name} ${site.origin}/help`;
    const { steps, end } = await browse(host, offlinePlanner(), { goal });
    const told = steps.map(
      (step) => `${step.action} ${step.success ? 'yes' : 'no'}: ${step.output}`,
    );
    expect(told.join('\n')).toMatch(said);
    expect(end).toMatchObject({
      result: 'reached',
      keyFindings: [expect.stringContaining('You can return unused goods within 60 days')],
    });
  });
});
