import type { LiveInput } from '@tallyhand/contracts/features/sessions/live.messages';

export const TEXT_MAX = 4_000;

type KeyInput = Extract<LiveInput, { kind: 'key' }>;

const KEYS: readonly KeyInput['key'][] = [
  'Enter',
  'Tab',
  'Backspace',
  'Delete',
  'Escape',
  'Home',
  'End',
  'PageUp',
  'PageDown',
  'ArrowUp',
  'ArrowDown',
  'ArrowLeft',
  'ArrowRight',
];

type Pressed = { key: string; ctrlKey: boolean; metaKey: boolean; altKey: boolean };

/** What a key does in the remote page; undefined for keys of the user's own browser. */
export function inputOfKey({ key, ctrlKey, metaKey, altKey }: Pressed): LiveInput | undefined {
  const named = KEYS.find((it) => it === key);
  if (named && !ctrlKey && !metaKey && !altKey) {
    return { type: 'input', kind: 'key', key: named };
  }
  // With Alt or AltGr a key may make a letter; with the others it is a command.
  const isCharacter = Array.from(key).length === 1;
  if (!isCharacter || metaKey || (ctrlKey && !altKey)) return undefined;
  return { type: 'input', kind: 'text', text: key };
}

type Box = { left: number; top: number; width: number; height: number };
type Point = { clientX: number; clientY: number };

/** A place in the picture as shares of its width and height, from 0 to 1. */
export function placeIn({ left, top, width, height }: Box, { clientX, clientY }: Point) {
  const share = (distance: number, length: number) =>
    length <= 0 ? 0 : Math.min(1, Math.max(0, distance / length));
  return { x: share(clientX - left, width), y: share(clientY - top, height) };
}

/** Adds `https://` to an address that was typed without a scheme. */
export function wholeAddress(typed: string): string {
  const address = typed.trim();
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(address) ? address : `https://${address}`;
}

/** Batches wheel events that follow each other closely. */
export function batchedScroll(send: (deltaY: number) => void, everyMs: number) {
  let sum = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  return {
    add(deltaY: number) {
      sum += deltaY;
      timer ??= setTimeout(() => {
        const deltaY = sum;
        sum = 0;
        timer = undefined;
        if (deltaY !== 0) send(deltaY);
      }, everyMs);
    },
    end: () => clearTimeout(timer),
  };
}
