import { WEB_PATHS } from '@tallyhand/contracts/web-paths';

const patterns = WEB_PATHS.map((path) => path.replace(':id', '[^/]+'));
/** Without regard to case or a last slash, as the router of the web app matches. */
const PAGE = new RegExp(`^(?:${patterns.join('|')})/?$`, 'i');

/** Whether the web app has a page at this path, percent-encoded as requested. */
export function isWebPath(path: string): boolean {
  try {
    return PAGE.test(decodeURIComponent(path));
  } catch {
    return false;
  }
}
