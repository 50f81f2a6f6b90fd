import { useEffect, useRef } from 'react';
import { whenUsable } from './when-usable.ts';

/** Strokes in ink that float beside the words. Nothing waits for them, and nothing needs them. */
export function Backdrop({ className }: { className: string }) {
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const canvas = document.createElement('canvas');
    canvas.className = 'size-full border-accent text-text animate-fade';
    let end: (() => void) | undefined;
    const begin = async () => {
      const context = canvas.getContext('webgl2', { alpha: true, antialias: true });
      if (!context) return;
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
  return <div ref={host} aria-hidden className={`pointer-events-none ${className}`} />;
}
