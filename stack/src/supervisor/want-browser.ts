/** What the application says on its channel to the supervisor when it needs a browser runner. */
export const WANT_BROWSER = 'want a browser';
