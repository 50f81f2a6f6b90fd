/** Where the browser does not tell when it is idle: what was asked for before has then come. */
const LATER_MS = 300;

/** Runs once the page has loaded and the browser has nothing better to do. Gives how to forget it. */
export function whenUsable(run: () => void): () => void {
  const ending = new AbortController();
  const { signal } = ending;
  const later = () => {
    const once = () => !signal.aborted && run();
    if ('requestIdleCallback' in window) window.requestIdleCallback(once);
    else setTimeout(once, LATER_MS);
  };
  if (document.readyState === 'complete') later();
  else window.addEventListener('load', later, { once: true, signal });
  return () => ending.abort();
}
