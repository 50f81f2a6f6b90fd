const processes = 'command-service|query-service|projector|browser-runner|event-store';
const anySource = '^[a-z-]+/src/';

/** Tests, and what only they stand on. */
export const testCode =
  /\.test\.tsx?$|\/testing\/|\/fixtures\/|^stack\/src\/(e2e|api-tests|faults)\//;

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
    '^(command-service|query-service|projector)/src/features/([^/]+)/',
    '^$1/src/features/',
    '^$1/src/features/$2/',
  ),
  rule(
    'kit, kernel and operational code serve every feature alike and know none.',
    '^([a-z-]+)/src/(?:kit|kernel|operational)/',
    '^$1/src/(features|app)/',
  ),
  rule('Contracts know only zod.', '^contracts/src/', '.', '^(contracts/src/|zod$)'),
  rule(
    'service-kit knows contracts, and no feature of a process.',
    '^service-kit/src/',
    anySource,
    '^(service-kit|contracts)/src/',
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
  rule('The web knows only contracts.', '^web/src/', anySource, '^(web|contracts)/src/'),
  rule(
    'Deciders are pure: contracts, their own kind, and the hash chain.',
    '\\.decider\\.ts$',
    '.',
    '^(contracts/src/|command-service/src/kit/decider\\.ts$|service-kit/src/crypto/hash-chain\\.ts$)',
  ),
  rule('No test code in production.', '^(?!bench/)', testCode.source),
];

/** Sentences about each dependency that breaks a rule. */
export function brokenRules(dependencies) {
  return dependencyRules.flatMap(({ sentence, from, to, but }) => {
    const importer = new RegExp(from);
    return dependencies.flatMap((dependency) => {
      const match = importer.exec(dependency.from);
      if (!match || testCode.test(dependency.from)) return [];
      const fill = (pattern) =>
        new RegExp(
          (pattern.source ?? pattern).replace(/\$(\d)/g, (_, n) => match[Number(n)] ?? ''),
        );
      const broken = fill(to).test(dependency.to) && !fill(but).test(dependency.to);
      return broken ? [`${sentence} ${dependency.from} imports ${dependency.to}`] : [];
    });
  });
}
