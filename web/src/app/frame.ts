/** What stands around every signed-in page: one file, which is asked for with the page itself. */
export { askAhead, RequireUser } from './require-user.tsx';
export { Shell } from './shell.tsx';
export { WithStore } from './with-store.tsx';
