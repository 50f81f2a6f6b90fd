/** The message of the application to the supervisor when it needs a browser runner. */
export const WANT_BROWSER = 'want a browser';
