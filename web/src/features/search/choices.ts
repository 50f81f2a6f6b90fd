import type {
  SearchGroup,
  SearchKind,
} from '@tallyhand/contracts/features/search/search.endpoints';
import { addressOf } from '../audit/audited-address.ts';

export type ChoiceKind = SearchKind | 'page' | 'action';

/** Something that the palette leads to. */
export type Choice = {
  readonly kind: ChoiceKind;
  /** Its address, which also identifies it. */
  readonly to: string;
  readonly title: string;
  readonly detail: string | null;
};

export type ChoiceGroup = {
  readonly kind: ChoiceKind | 'recent';
  readonly choices: readonly Choice[];
};

/** A page, or something to do there. */
export const choice = (kind: 'page' | 'action', to: string, title: string): Choice => ({
  kind,
  to,
  title,
  detail: null,
});

/** Those whose title holds all words of a text. */
export function matching(choices: readonly Choice[], text: string): readonly Choice[] {
  const words = text.toLowerCase().split(/\s+/);
  return choices.filter(({ title }) => words.every((word) => title.toLowerCase().includes(word)));
}

/** What the server found, as choices. */
export const groupsOf = (found: readonly SearchGroup[]): ChoiceGroup[] =>
  found.map(({ kind, hits }) => ({
    kind,
    choices: hits.map(({ id, title, detail }) => ({ kind, title, detail, to: placeOf(kind, id) })),
  }));

/** Several members share a page, each at a different place. */
function placeOf(kind: SearchKind, id: string): string {
  if (kind === 'member') return `/team#${id}`;
  return addressOf({ kind, id, name: null }) ?? '/dashboard';
}

/** `at`: where it begins in the whole. */
type Piece = { readonly at: number; readonly text: string; readonly isMatch: boolean };

/** A title in pieces, so that what was typed stands out in it. */
export function piecesOf(title: string, typed: string): Piece[] {
  const words = typed.split(/\s+/).filter(Boolean);
  if (words.length === 0) return [{ at: 0, text: title, isMatch: false }];
  const escaped = words.map((word) => word.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'));
  const pieces = title.split(new RegExp(`(${escaped.join('|')})`, 'giu'));
  let end = 0;
  return pieces.flatMap((text, place) => {
    const at = end;
    end += text.length;
    // What a group captures stands at every second place.
    return text === '' ? [] : [{ at, text, isMatch: place % 2 === 1 }];
  });
}
