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
      const context = canvas.getContext('webgl2', CONTEXT);
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

const CONTEXT: WebGLContextAttributes = {
  alpha: true,
  antialias: true,
  failIfMajorPerformanceCaveat: true,
};
