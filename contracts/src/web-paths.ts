/** Every page of the web app: its routes are built from this, and so is what the server answers. */

/** Pages of text alone, each with words of its own; also their paths. */
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

/** Further pages in the public frame. */
export const STATIC_PATHS = ['/pricing', '/help'] as const;
/** Public pages that ask the server for something. */
export const ASKING_PATHS = ['/api', '/contact', '/status'] as const;
/** Pages with a frame of their own; `:id` stands for any one part of a path. */
export const FRAMELESS_PATHS = ['/auth', '/agent/:id'] as const;
/** Pages for members. */
export const MEMBER_PATHS = [
  '/dashboard',
  '/agents',
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
