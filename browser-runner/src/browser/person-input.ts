import type { LiveInput } from '@tallyhand/contracts/features/sessions/live.messages';
import type { Page } from 'playwright';
import { openPage } from './open-page.ts';
import { cleanName, type Done, done, failed } from './outcome.ts';
import { type Acting, perform, usablePage } from './page-actions.ts';
import type { PageTools } from './page-tools.ts';
import { VIEWPORT } from './screenshots.ts';
import { MASK } from './secrets.ts';

const FRAMES_MAX = 10;
const FOCUSED_SECRET = [
  'input[type=password i]:focus',
  'input[autocomplete*=password i]:focus',
  'input[autocomplete*="one-time-code" i]:focus',
  'input[autocomplete*="cc-" i]:focus',
].join(', ');

/** Repeats the member's input at the position of the picture. */
export async function performInput(input: LiveInput, acting: Acting): Promise<Done> {
  if (input.kind !== 'text') acting.secrets.pause();
  if (input.kind === 'open') {
    return await openPage(input.url, acting);
  }
  if (input.kind === 'back') return await perform({ type: 'back' }, acting);
  const on = await usablePage(acting.pages);
  if (typeof on === 'string') return failed(on);
  const { page, tools } = on;
  switch (input.kind) {
    case 'click': {
      const at = placeOf(input);
      const name = await nameAt(tools, at);
      await page.mouse.click(at.x, at.y);
      return done(name === null ? 'Clicked on the page.' : `Clicked "${name}".`, name);
    }
    case 'scroll': {
      const { x, y } = placeOf(input);
      await page.mouse.move(x, y);
      await page.mouse.wheel(0, Math.max(-5_000, Math.min(5_000, input.deltaY)));
      return done(`Scrolled ${input.deltaY < 0 ? 'up' : 'down'}.`);
    }
    case 'text': {
      const isSecret = await isSecretFocused(page);
      if (isSecret) acting.secrets.typed(input.text, { goesOn: true });
      await page.keyboard.insertText(input.text);
      return { ...done(`Typed "${isSecret ? MASK : input.text}".`), isSecret };
    }
    case 'key':
      await page.keyboard.press(input.key);
      return done(`Pressed ${input.key}.`);
  }
}

function placeOf({ x, y }: { x: number; y: number }) {
  return {
    x: Math.min(VIEWPORT.width - 1, Math.floor(x * VIEWPORT.width)),
    y: Math.min(VIEWPORT.height - 1, Math.floor(y * VIEWPORT.height)),
  };
}

/** The accessible name of the element there, or of the nearest ancestor with one. */
async function nameAt(tools: PageTools, at: { x: number; y: number }): Promise<string | null> {
  try {
    const client = await tools.cdp();
    const { backendNodeId } = await client.send('DOM.getNodeForLocation', at);
    const { nodes } = await client.send('Accessibility.getPartialAXTree', { backendNodeId });
    const named = nodes.find(({ ignored, name, role }) => {
      return !ignored && name?.value && role?.value !== 'RootWebArea';
    });
    return cleanName(named ? String(named.name?.value) : null);
  } catch {
    return null;
  }
}

async function isSecretFocused(page: Page): Promise<boolean> {
  const counts = await Promise.all(
    page
      .frames()
      .slice(0, FRAMES_MAX)
      .map((frame) => frame.locator(FOCUSED_SECRET).count()),
  ).catch(() => [1]);
  return counts.some((count) => count > 0);
}
