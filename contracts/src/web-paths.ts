/** Every page of the web app. The app's routes and the server's answers are derived from it. */

/** Pages of static text; also their paths. */
export const TEXT_PAGES = [
  'features',
  'documentation',
  'about',
  'blog',
  'careers',
  'security',
  'privacy',
] as const;
export const TEXT_PATHS = TEXT_PAGES.map((page) => `/${page}` as const);

/** Further pages in the public layout. */
export const STATIC_PATHS = ['/pricing', '/help'] as const;
/** Public pages that call the server. */
export const ASKING_PATHS = ['/api', '/contact', '/status'] as const;
/** Pages with their own layout. */
export const FRAMELESS_PATHS = ['/auth'] as const;
/** Pages whose address members share: visitors are asked to sign in, where others are sent to. */
export const SHARED_PATHS = ['/agent/:id'] as const;
/** Pages for members; `:id` stands for any one part of a path. */
export const MEMBER_PATHS = [
  '/dashboard',
  '/agents',
  '/agents/:id',
  '/agents/:id/execute',
  '/agents/:id/compare',
  '/autonomous',
  '/tasks',
  '/approvals',
  '/knowledge',
  '/tools',
  '/tools/signed-in',
  '/billing',
  '/billing/test-checkout/:id',
  '/team',
  '/team/outbox',
  '/support',
  '/developers',
  '/audit',
  '/histories',
  '/settings',
  '/settings/models',
] as const;

/** Verifies audit exports: one file that is not part of the app, and works without a server. */
export const VERIFIER_PATH = '/verify';

/** Leads to the operator's forum, or to the support form. */
export const COMMUNITY_PATH = '/community';

export const PUBLIC_PATHS = [...TEXT_PATHS, ...STATIC_PATHS, ...ASKING_PATHS];
export const WEB_PATHS = [
  '/',
  ...PUBLIC_PATHS,
  ...FRAMELESS_PATHS,
  ...SHARED_PATHS,
  ...MEMBER_PATHS,
];

/** The public history of the keys that sign audit logs. */
export const AUDIT_KEYS_PATH = '/.well-known/tallyhand-audit-keys.json';

/** Addresses that begin so are calls and never pages; those that read go to the query service. */
const CALL_PREFIXES = ['/api/', '/v1/'];
export const isCallPath = (path: string): boolean =>
  path === AUDIT_KEYS_PATH || CALL_PREFIXES.some((prefix) => path.startsWith(prefix));
