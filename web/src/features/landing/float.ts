import {
  AmbientLight,
  CapsuleGeometry,
  Color,
  DirectionalLight,
  Mesh,
  MeshLambertMaterial,
  PerspectiveCamera,
  Scene,
  WebGLRenderer,
} from 'three';
import { distanceFor, FIELD_OF_VIEW, STROKES, type Stroke } from './strokes.ts';

/** Calm needs no more pictures in a second, and a battery lasts longer. */
const FRAME_MS = 1000 / 30;

/**
 * Animates the strokes on the canvas while they are visible: not when they are scrolled away or the
 * tab is hidden, and as one still picture with reduced motion. Returns a function that ends it.
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

const PIXEL_RATIO_MAX = 2;
const RISE = 0.16;
const SWAY = 0.09;
const TURN = 0.35;

/** The strokes on a canvas, while they are visible. */
type TallyScene = {
  readonly shapes: number;
  /** Draws the strokes as they are after so many seconds. */
  draw(seconds: number): void;
  ink(inks: Inks): void;
  /** Sizes in CSS pixels. */
  resize(width: number, height: number, pixelRatio: number): void;
  dispose(): void;
};

function openScene(canvas: HTMLCanvasElement, context: WebGL2RenderingContext): TallyScene {
  const renderer = new WebGLRenderer({ canvas, context, alpha: true });
  const upright = new MeshLambertMaterial();
  const across = new MeshLambertMaterial();
  const light = new DirectionalLight(0xffffff, 1.5);
  light.position.set(-3, 5, 6);
  const scene = new Scene();
  scene.add(new AmbientLight(0xffffff, 2.1), light);
  const camera = new PerspectiveCamera(FIELD_OF_VIEW, 1, 1, 40);
  const meshes = STROKES.map((stroke) => {
    const shape = new CapsuleGeometry(stroke.radius, stroke.length, 8, 20);
    const mesh = new Mesh(shape, stroke.isAcross ? across : upright);
    scene.add(mesh);
    return mesh;
  });
  return {
    shapes: meshes.length,
    draw(seconds) {
      for (const [index, stroke] of STROKES.entries()) place(meshes[index], stroke, seconds);
      renderer.render(scene, camera);
    },
    ink(inks) {
      upright.color = new Color(inks.text);
      across.color = new Color(inks.accent);
    },
    resize(width, height, pixelRatio) {
      renderer.setPixelRatio(Math.min(pixelRatio, PIXEL_RATIO_MAX));
      renderer.setSize(width, height, false);
      camera.aspect = width / height;
      camera.position.z = distanceFor(camera.aspect);
      camera.updateProjectionMatrix();
    },
    dispose() {
      for (const { geometry } of meshes) geometry.dispose();
      for (const material of [upright, across]) material.dispose();
      renderer.dispose();
      renderer.forceContextLoss();
    },
  };
}

/** Up and down, to and fro, and a little around itself: slowly, each at its own time. */
function place(mesh: Mesh | undefined, { at: [x, y, z], tilt, phase }: Stroke, seconds: number) {
  mesh?.position.set(x, y + Math.sin(seconds * 0.5 + phase) * RISE, z);
  mesh?.rotation.set(
    Math.sin(seconds * 0.31 + phase * 2) * TURN,
    Math.cos(seconds * 0.23 + phase) * TURN,
    tilt + Math.sin(seconds * 0.37 + phase) * SWAY,
  );
}

/** The colours of the strokes, as `#rrggbb`. */
type Inks = { readonly text: string; readonly accent: string };

/**
 * The inks of the theme that is shown. Tokens are written in OKLCH, which WebGL does not know: one
 * pixel of each is painted and read back. `element` has the two as its text and border colours.
 */
function inksOf(element: Element): Inks {
  const { color, borderTopColor } = getComputedStyle(element);
  return { text: asHex(color), accent: asHex(borderTopColor) };
}

function asHex(color: string): string {
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = 1;
  const context = canvas.getContext('2d', { willReadFrequently: true });
  if (!context) return '#808080';
  context.fillStyle = color;
  context.fillRect(0, 0, 1, 1);
  const [red = 0, green = 0, blue = 0] = context.getImageData(0, 0, 1, 1).data;
  return `#${[red, green, blue].map((part) => part.toString(16).padStart(2, '0')).join('')}`;
}
