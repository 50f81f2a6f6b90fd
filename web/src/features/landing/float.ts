import { inksOf } from './inks.ts';
import { openScene } from './scene.ts';

/** Calm needs no more pictures in a second, and a battery lasts longer. */
const FRAME_MS = 1000 / 30;

/**
 * Lets the strokes float on the canvas while they are seen: not when they are scrolled away or the
 * tab is hidden, and as one still picture for whoever wants less motion. Gives how to end it.
 */
export function float(canvas: HTMLCanvasElement, context: WebGL2RenderingContext): () => void {
  const scene = openScene(canvas, context);
  const lessMotion = matchMedia('(prefers-reduced-motion: reduce)');
  const dark = matchMedia('(prefers-color-scheme: dark)');
  let isNear = true;
  let request = 0;
  let drawnAt = 0;
  let seconds = 0;

  const step = (now: number) => {
    request = requestAnimationFrame(step);
    const passed = now - drawnAt;
    if (passed < FRAME_MS) return;
    // A pause is no jump: the strokes go on from where they stood.
    seconds += Math.min(passed, 2 * FRAME_MS) / 1000;
    drawnAt = now;
    scene.draw(seconds);
  };
  const goOnOrStop = () => {
    const isMoving = isNear && !document.hidden && !lessMotion.matches;
    canvas.dataset.motion = isMoving ? 'floating' : 'still';
    cancelAnimationFrame(request);
    if (isMoving) request = requestAnimationFrame(step);
    else scene.draw(seconds);
  };
  const recolour = () => {
    scene.ink(inksOf(canvas));
    scene.draw(seconds);
  };
  const sizes = new ResizeObserver(() => {
    scene.resize(canvas.clientWidth, canvas.clientHeight, devicePixelRatio);
    scene.draw(seconds);
  });
  const places = new IntersectionObserver(([entry]) => {
    isNear = entry?.isIntersecting ?? true;
    goOnOrStop();
  });
  const theme = new MutationObserver(recolour);

  scene.resize(canvas.clientWidth, canvas.clientHeight, devicePixelRatio);
  recolour();
  canvas.dataset.shapes = String(scene.shapes);
  goOnOrStop();
  sizes.observe(canvas);
  places.observe(canvas);
  theme.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  dark.addEventListener('change', recolour);
  lessMotion.addEventListener('change', goOnOrStop);
  document.addEventListener('visibilitychange', goOnOrStop);
  return () => {
    cancelAnimationFrame(request);
    for (const observer of [sizes, places, theme]) observer.disconnect();
    dark.removeEventListener('change', recolour);
    lessMotion.removeEventListener('change', goOnOrStop);
    document.removeEventListener('visibilitychange', goOnOrStop);
    scene.dispose();
  };
}
