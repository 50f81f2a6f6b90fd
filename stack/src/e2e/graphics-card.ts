import type { Page } from 'playwright';

/** As on a machine with a graphics card: what draws here is slow, and pages are not told so. */
export const withGraphicsCard = (page: Page): Promise<unknown> =>
  page.addInitScript(`{
    const before = HTMLCanvasElement.prototype.getContext;
    HTMLCanvasElement.prototype.getContext = function (kind, options) {
      const rest = options && { ...options, failIfMajorPerformanceCaveat: false };
      return before.call(this, kind, rest);
    };
  }`);
