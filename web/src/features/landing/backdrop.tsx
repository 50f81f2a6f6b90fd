import { type ComponentType, useEffect, useRef, useState } from 'react';
import { whenUsable } from './when-usable.ts';

/**
 * Strokes in ink that float beside the words: a still drawing where the machine would have to work
 * hard for each picture, without a graphics card. Nothing waits for them, and nothing needs them.
 */
export function Backdrop({ className }: { className: string }) {
  const host = useRef<HTMLDivElement>(null);
  const [Flat, setFlat] = useState<ComponentType | null>(null);
  useEffect(() => {
    const canvas = document.createElement('canvas');
    canvas.className = 'size-full border-accent text-text animate-fade';
    let end: (() => void) | undefined;
    const begin = async () => {
      const context = fastContext(canvas);
      if (!context) {
        const { FlatStrokes } = await import('./flat-strokes.tsx');
        return setFlat(() => FlatStrokes);
      }
      const { float } = await import('./float.ts');
      if (!host.current) return;
      host.current.append(canvas);
      end = float(canvas, context);
    };
    const forget = whenUsable(() => void begin());
    return () => {
      forget();
      end?.();
      canvas.remove();
    };
  }, []);
  return (
    <div ref={host} aria-hidden className={`pointer-events-none ${className}`}>
      {Flat && <Flat />}
    </div>
  );
}

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
