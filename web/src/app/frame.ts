/** The frame of every signed-in page, as one file that is loaded along with the page. */
export { askAhead, RequireUser } from './require-user.tsx';
export { Shell, shellReads } from './shell.tsx';
export { WithStore } from './with-store.tsx';
