import type { ComponentType } from 'react';

/** Names of what draws without a graphics card: Chromium's, Mesa's and that of Windows. */
const SOFTWARE = /swiftshader|llvmpipe|software|basic render/i;

/** What draws in three dimensions, where it is fast; the little that was made to find out goes again. */
function fastContext(canvas: HTMLCanvasElement): WebGL2RenderingContext | null {
  const context = canvas.getContext('webgl2', {
    alpha: true,
    antialias: true,
    failIfMajorPerformanceCaveat: true,
  });
  const names = context?.getExtension('WEBGL_debug_renderer_info');
  if (!context || !names) return context;
  if (!SOFTWARE.test(String(context.getParameter(names.UNMASKED_RENDERER_WEBGL)))) return context;
  context.getExtension('WEBGL_lose_context')?.loseContext();
  return null;
}

/**
 * Draws the strokes in three dimensions until the page is left; gives a still drawing to show instead
 * where that would be slow.
 */
export async function drawBackdrop(
  host: Element,
  left: AbortSignal,
): Promise<ComponentType | undefined> {
  const canvas = document.createElement('canvas');
  canvas.className = 'size-full border-accent text-text animate-fade';
  const context = fastContext(canvas);
  if (!context) return (await import('./flat-strokes.tsx')).FlatStrokes;
  const { float } = await import('./float.ts');
  if (left.aborted) return undefined;
  host.append(canvas);
  const end = float(canvas, context);
  left.addEventListener('abort', () => {
    end();
    canvas.remove();
  });
  return undefined;
}
