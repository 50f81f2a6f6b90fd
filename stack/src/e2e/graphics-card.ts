import type { Page } from 'playwright';

/** As on a machine with a graphics card: what draws here is slow, and says so by its name. */
export const withGraphicsCard = (page: Page): Promise<unknown> =>
  page.addInitScript(`{
    const before = WebGL2RenderingContext.prototype.getExtension;
    WebGL2RenderingContext.prototype.getExtension = function (name) {
      return name === 'WEBGL_debug_renderer_info' ? null : before.call(this, name);
    };
  }`);
