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
const TEXT_PATHS = TEXT_PAGES.map((page) => `/${page}` as const);

/** Further pages in the public layout. */
export const STATIC_PATHS = ['/pricing', '/help'] as const;
/** Public pages that call the server. */
export const ASKING_PATHS = ['/api', '/contact', '/status'] as const;
/** Pages with their own layout; `:id` stands for any one part of a path. */
export const FRAMELESS_PATHS = ['/auth', '/agent/:id'] as const;
/** Pages for members. */
export const MEMBER_PATHS = [
  '/dashboard',
  '/agents',
  '/agents/:id',
  '/agents/:id/execute',
  '/autonomous',
  '/tasks',
  '/knowledge',
  '/tools',
  '/billing',
  '/billing/test-checkout/:id',
  '/team',
  '/team/outbox',
  '/support',
  '/developers',
  '/audit',
  '/settings',
] as const;

export const PUBLIC_PATHS = [...TEXT_PATHS, ...STATIC_PATHS, ...ASKING_PATHS];
export const WEB_PATHS = ['/', ...PUBLIC_PATHS, ...FRAMELESS_PATHS, ...MEMBER_PATHS];
