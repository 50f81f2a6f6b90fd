const processes = 'command-service|query-service|projector|browser-runner|event-store';
const anySource = '^[a-z-]+/src/';

/** Tests, and code that only they use. */
export const testCode =
  /\.test\.tsx?$|\/(testing|fixtures|faults|conformance)\/|^stack\/src\/(e2e|api-tests)\/|^test-kit\//;
const testPackages = /^(vitest|fast-check|@axe-core\/playwright)(\/|$)/;

const rule = (sentence, from, to, but = /^$/) => ({ sentence, from, to, but });

/**
 * The dependency rules, each a sentence: no file that matches `from` imports what matches `to`,
 * unless that matches `but` too. `$1` in `to` and `but` stand for the groups of `from`.
 */
export const dependencyRules = [
  rule(
    'Processes talk over the network; only stack composes them.',
    `^(${processes})/src/`,
    `^(${processes}|web|stack)/src/`,
    '^$1/src/',
  ),
  rule(
    'Features of a process talk through contracts, and are composed in app/.',
    '^(command-service|query-service|projector|read-models)/src/features/([^/]+)/',
    '^$1/src/features/',
    '^$1/src/features/$2/',
  ),
  rule(
    'kit, kernel and operational code serve every feature alike and know none.',
    '^([a-z-]+)/src/(?:kit|kernel|operational)/',
    '^$1/src/(features|app)/',
  ),
  rule(
    'In the web a feature uses the calls and parts of another, never its pages.',
    '^web/src/features/([^/]+)/',
    '^web/src/features/.*\\.page\\.tsx$',
    '^web/src/features/$1/',
  ),
  rule('The design system knows no feature.', '^web/src/ui/', '^web/src/(features|app)/'),
  rule('Contracts know only zod.', '^contracts/src/', '.', '^(contracts/src/|zod$)'),
  rule(
    'What is stored does not change with a call: events know no endpoint, command or refusal.',
    '^contracts/src/features/.*\\.events\\.ts$',
    '\\.(endpoints|commands|refusals)\\.ts$',
  ),
  rule(
    'A refusal takes nothing from another feature.',
    '^contracts/src/features/([^/]+)/.*\\.refusals\\.ts$',
    '^contracts/src/',
    '^contracts/src/(kernel|features/$1)/',
  ),
  rule(
    'What appends events, or acts for it, shares no code with the read models.',
    '^(command-service|browser-runner)/src/',
    '^read-models/src/',
  ),
  rule(
    'service-kit knows no feature: of the contracts only the kernel.',
    '^service-kit/src/',
    anySource,
    '^(service-kit/src/|contracts/src/kernel/)',
  ),
  rule(
    'The event store serves any client: it knows nothing of the product.',
    '^event-store/src/',
    anySource,
    '^event-store/src/',
  ),
  rule(
    'Read models know no process that writes or reads them.',
    '^read-models/src/',
    anySource,
    '^(read-models|service-kit|contracts)/src/',
  ),
  rule(
    'agent-runtime answers from plain data: it knows no store, no server, no database.',
    '^agent-runtime/src/',
    `${anySource}|^(fastify|pg|@eventstore/.*)$`,
    '^(agent-runtime|contracts)/src/',
  ),
  rule(
    'The offline engine implements what agent-runtime defines, and knows nothing else.',
    '^offline-engine/src/',
    `${anySource}|^(fastify|pg|@eventstore/.*)$`,
    '^(offline-engine|agent-runtime|contracts)/src/',
  ),
  rule(
    'The client library runs without any other package.',
    '^client/src/(?!generator/)',
    '.',
    '^client/src/(?!generator/)',
  ),
  rule(
    'What generates the client library reads only contracts.',
    '^client/src/generator/',
    '.',
    '^(client/src/generator|contracts/src)/|^node:|^rolldown/experimental$',
  ),
  rule(
    'The command line knows the client library, the rules of fields, the text of a step, and how an audit export is verified.',
    '^cli/src/',
    anySource,
    '^(cli|client)/src/|^contracts/src/kernel/entity-tag\\.ts$|' +
      '^contracts/src/features/.*(\\.fields|/tool-binding|/task-progress)\\.ts$|' +
      '^service-kit/src/audit-bundle/(earlier-head|read-stamps|trusted-keys|verify-file)\\.ts$',
  ),
  rule('The web knows only contracts.', '^web/src/', anySource, '^(web|contracts)/src/'),
  rule(
    'Deciders are pure: contracts, their own kind and state, hashes and derived ids.',
    '(\\.decider|-state)\\.ts$',
    '.',
    '^(contracts/src/|command-service/src/(kit/(versioned-object\\.decider|stream-policy)|' +
      'features/[a-z-]+/[a-z]+-state)\\.ts$|' +
      'service-kit/src/crypto/(hash-chain|ids)\\.ts$)',
  ),
  rule(
    'The test kit stands below the services whose tests use it.',
    '^test-kit/src/',
    anySource,
    '^(test-kit|event-store|service-kit|contracts)/src/',
  ),
  rule(
    'No test code in production.',
    '^(?!bench/|test-kit/)',
    `${testCode.source}|${testPackages.source}`,
  ),
];

/**
 * Features of the contracts may take values from each other, but not in a circle. Refusals lead
 * nowhere, so that calls of any feature may name them.
 */
export function featuresOfContracts(dependencies) {
  const featureOf = (file) => /^contracts\/src\/features\/([^/]+)\//.exec(file)?.[1];
  return dependencies
    .filter(({ to }) => !to.endsWith('.refusals.ts'))
    .map(({ from, to }) => ({ from: featureOf(from), to: featureOf(to) }))
    .filter(({ from, to }) => from && to && from !== to);
}

const isTest = (file) => testCode.test(file) && !file.startsWith('test-kit/');

/** Sentences about each dependency that breaks a rule. */
export function brokenRules(dependencies) {
  return dependencyRules.flatMap(({ sentence, from, to, but }) => {
    const importer = new RegExp(from);
    return dependencies.flatMap((dependency) => {
      const match = importer.exec(dependency.from);
      if (!match || isTest(dependency.from)) return [];
      const fill = (pattern) =>
        new RegExp(
          (pattern.source ?? pattern).replace(/\$(\d)/g, (_, n) => match[Number(n)] ?? ''),
        );
      const broken = fill(to).test(dependency.to) && !fill(but).test(dependency.to);
      return broken ? [`${sentence} ${dependency.from} imports ${dependency.to}`] : [];
    });
  });
}

/**
 * Sentences about each package that production code imports and its own package.json does not list
 * as a dependency: `npm start` installs no development packages.
 *
 * @param {readonly { from: string, to: string }[]} dependencies
 * @param {(folder: string) => Record<string, Record<string, string> | undefined>} manifestOf
 */
export function undeclaredPackages(dependencies, manifestOf) {
  return dependencies.flatMap(({ from, to }) => {
    const [folder = ''] = from.split('/');
    const own = /^([a-z-]+)\/src\//.exec(to)?.[1];
    const named = own ? `@tallyhand/${own}` : /^(@[^/]+\/)?[^/]+/.exec(to)?.[0];
    if (testCode.test(from) || /^(bench|cli|client\/src\/generator)\//.test(from)) return [];
    if (!named || to.startsWith(`${folder}/`) || /^(node:|scripts\/|docs\/)/.test(to)) return [];
    const { dependencies: listed } = manifestOf(folder);
    return listed?.[named] ? [] : [`${from} imports ${named}, which npm start does not install.`];
  });
}
