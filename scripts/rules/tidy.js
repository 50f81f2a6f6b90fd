/** Rules about the code's form beyond the linter's. Each rule returns the faults of one file. */

const SOURCE_LINES_MAX = 400;
const README_LINES_MAX = 80;
/** The formatter breaks code at 100; comments, titles and SQL, which it leaves, may reach a bit further. */
const COLUMNS_MAX = 110;
const DECISION_HEADINGS = [
  'Status',
  'Context',
  'Decision',
  'Rejected',
  'Consequences',
  'Confirmed by',
];
const FEATURES = new Set(
  `identity organizations team changes credits agents knowledge playbooks tools tasks ratings chat
   sessions settings mailboxes models notifications api-keys webhooks reference search status support
   attachments audit landing mcp openai`.split(/\s+/),
);
/** The roles between a file's name and its ending. */
const ROLES = new Set(
  `api codec commands config d decider e2e endpoints events examples fields fixture gateway histories int
   main messages page prices projection queries reaction refusals routes service suite tables test
   worker`.split(/\s+/),
);
/** Written so that this file does not break its own rules. */
const UNDONE = new RegExp(
  ['TO', 'DO|FIX', 'ME|@ts-', 'ignore|@ts-', 'nocheck|biome-', 'ignore'].join(''),
);
/** What a page shows changes after an action: `expect.poll` waits for it, a single read is a race. */
const READ_ONCE =
  /\bexpect\(\s*(await\b[^;]*?\.(count|inputValue|innerText|textContent|all(Inner|Text)\w+|is[A-Z]\w+|getAttribute)\([^()]*\)|\w+\.url\(\)),?\s*\)/;
/** A joined subquery may be planned to run once for each row: it then takes more rows than its limit. */
const TAKEN_IN_A_JOIN = /\bfrom \((?:(?!\) \w+\n)[^`])*for update/i;
const SKIPPED = /\b(it|test|describe)\.(only|skip|todo)\b/;

const isCode = (file) => /\.(ts|tsx|js|cjs|mjs)$/.test(file);
const isTest = (file) => /\.test\.tsx?$/.test(file);
/** A name to import and a literal can't be broken: lines are measured without them. */
const MODULE_NAME = /^(import|export|\}) .*from '.*$/;
const LITERAL =
  /'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`|(?<=^\s*|[=(,:|] ?)\/(?![/*])(?:[^/\\]|\\.)+\/[a-z]*/g;

function namesOf(file) {
  const faults = [];
  const base = file.split('/').at(-1) ?? '';
  if (isCode(file) && !/^[a-z0-9.-]+$/.test(base)) faults.push('a name that is not kebab-case');
  if (isCode(file) && !base.startsWith('.')) {
    const strange = base
      .split('.')
      .slice(1, -1)
      .find((role) => !ROLES.has(role));
    if (strange) faults.push(`${strange} is no role of a file`);
  }
  if (/^index\.tsx?$/.test(base)) faults.push('an index file: name it after what it holds');
  const feature = /^[a-z-]+\/src\/features\/([^/]+)\//.exec(file)?.[1];
  if (feature && !FEATURES.has(feature)) faults.push(`${feature} is not a feature`);
  return faults;
}

/** Text between literals counts, and so do comments; words of other scripts are data. */
function longLinesOf(text) {
  return text.split('\n').flatMap((line, at) => {
    if (line.length <= COLUMNS_MAX || MODULE_NAME.test(line)) return [];
    const code = line.replace(LITERAL, "''");
    const isData = /^\P{ASCII}/u.test(line.trim());
    return code.length > COLUMNS_MAX && !isData ? [`line ${at + 1} is too long`] : [];
  });
}

function sourceOf(file, text) {
  if (!isCode(file)) return [];
  const faults = [];
  const count = text.split('\n').length;
  if (count > SOURCE_LINES_MAX) faults.push(`${count} lines; at most ${SOURCE_LINES_MAX}`);
  const mayReadEnv =
    /(^|\/)env\.ts$|^(scripts|bench)\/|\.config\.ts$|\.fixture\.ts$/.test(file) ||
    // Programs that readers of the documentation copy.
    /\/guides\/[\w-]+\.js$|\/(request-code|openai-samples)\.ts$/.test(file) ||
    isTest(file);
  if (!mayReadEnv && /\bprocess\.env\b/.test(text)) faults.push('reads process.env outside env.ts');
  const isDecider = file.endsWith('.decider.ts');
  if (isDecider && /Date\.now|new Date\(\)|randomUUID|newId\(/.test(text)) {
    faults.push('a decider that reads a clock or makes an id');
  }
  if (UNDONE.test(text)) faults.push('something left undone or unchecked');
  if (file.endsWith('.e2e.test.ts') && READ_ONCE.test(text)) {
    faults.push('reads a page once, where expect.poll would wait');
  }
  if (TAKEN_IN_A_JOIN.test(text)) {
    faults.push('rows are locked in a joined subquery: use a materialized CTE');
  }
  if (SKIPPED.test(text)) faults.push('a test that is left out');
  return [...faults, ...longLinesOf(text)];
}

function documentsOf(file, text) {
  if (file === 'README.md') {
    const count = text.trimEnd().split('\n').length;
    return count > README_LINES_MAX ? [`${count} lines; at most ${README_LINES_MAX}`] : [];
  }
  if (!/^docs\/decisions\/\d{4}-.*\.md$/.test(file)) return [];
  return DECISION_HEADINGS.filter(
    (heading) => !new RegExp(`^(## |\\*\\*)${heading}`, 'm').test(text),
  ).map((heading) => `has no part "${heading}"`);
}

/** The faults of one file, as sentences. */
export function untidy(file, text) {
  const faults = [...namesOf(file), ...sourceOf(file, text), ...documentsOf(file, text)];
  return faults.map((fault) => `${file}: ${fault}`);
}
