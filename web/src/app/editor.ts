import { useEffectEvent, useLayoutEffect, useState } from 'react';
import type { FieldValues } from 'react-hook-form';
import type { VersionedKind } from '../features/audit/audit.api.ts';
import type { Merge } from '../features/audit/three-way-merge.ts';
import type { Seen } from './change-seen.ts';
import { type Form, type Submission, type Submitting, useSubmit } from './form.ts';
import { asProblem } from './problem.ts';

/**
 * What the form of a versioned object starts from: the object as it was opened, or as another member
 * left it since, once the user was shown that.
 */
export type Base<Item> = {
  /** Undefined for a new object, or until it is loaded. */
  opened: Item | undefined;
  seen: Item | undefined;
  setSeen: (item: Item) => void;
};

/**
 * `item` may follow the server's changes: the form starts from the first one, and keeps what was
 * typed.
 */
export function useBase<Item extends Seen>(item: Item | undefined): Base<Item> {
  const [opened, setOpened] = useState(item);
  const [later, setSeen] = useState<Item>();
  if (!opened && item) setOpened(item);
  return { opened, seen: later ?? opened, setSeen };
}

type Editing<Item, In extends FieldValues, Out extends FieldValues, Data> = Submission<
  In,
  Out,
  Data
> & {
  kind: VersionedKind;
  valuesOf: (item: Item) => In;
  /** The name of a field and of its values, where the object's history has none or another. */
  words?: FieldWords;
  /** The fields that are never shown beside another member's, as secrets. */
  isPrivate?: (name: string) => boolean;
  /**
   * The merged values without what must not be combined with another member's change; the same ones
   * where nothing must be taken out.
   */
  takeOut?: (merged: In, mine: In, seen: Item, theirs: Item) => In;
};

export type FieldWords = {
  field?: Readonly<Record<string, string>>;
  value?: (name: string, value: string) => string | undefined;
};

/**
 * How an editor meets another member's change: `overlapping` where both changed a field, `apart` where
 * they changed different ones, `deleted` if the object is gone.
 */
export type Meeting = 'loading' | 'overlapping' | 'apart' | 'deleted';

/** What the panel with another member's change needs to know about the editor. */
export type Conflict = {
  kind: VersionedKind;
  seen: Seen;
  /** Grows with each meeting; 0 before the first. */
  count: number;
  meeting: Meeting;
  form: Form<FieldValues, FieldValues>;
  words: FieldWords;
  isPrivate: (name: string) => boolean;
  /** Looks for another member's change. */
  begin: () => void;
  /** Bases the form on another member's version, with what the user changed on top. */
  rebase: (
    theirs: Seen,
    merge: <V extends object>(opened: V, mine: V, theirs: V) => Merge<V>,
  ) => Rebased;
  setMeeting: (meeting: Meeting) => void;
  /** Hides the panel. */
  end: () => void;
};

export type Rebased = Merge<FieldValues> & {
  /** What the user typed was taken out, because it must not be combined with the other change. */
  isReduced: boolean;
};

/** The form of a versioned object, or of a new one, with what happens if another member changed it. */
export type Editor = {
  submitting: Submitting;
  /** Undefined for a new object, or until it is loaded. */
  conflict: Conflict | undefined;
};

const MET: readonly string[] = ['version-changed', 'not-found'];

export function useEditor<Item extends Seen, In extends FieldValues, Out extends FieldValues, Data>(
  form: Form<In, Out>,
  { opened, seen, setSeen }: Base<Item>,
  editing: Editing<Item, In, Out, Data>,
): Editor {
  const { kind, valuesOf, words = {}, isPrivate = () => false, takeOut, ...submission } = editing;
  const [count, setCount] = useState(0);
  const [meeting, setMeeting] = useState<Meeting>('loading');
  const start = useEffectEvent((item: Item) => form.reset(valuesOf(item)));
  // Before anything is painted: the fields never show what they don't start with.
  useLayoutEffect(() => {
    if (opened) start(opened);
  }, [opened]);
  const begin = () => {
    setMeeting('loading');
    setCount((before) => before + 1);
  };
  const submitting = useSubmit(form, {
    ...submission,
    onRefused(error) {
      if (!seen || !MET.includes(asProblem(error).code)) {
        return submission.onRefused?.(error) ?? false;
      }
      begin();
      return true;
    },
  });
  const rebase: Conflict['rebase'] = (later, merge) => {
    const theirs = later as Item;
    const before = seen as Item;
    const mine = form.getValues();
    const { values, fields } = merge(valuesOf(before), mine, valuesOf(theirs));
    const reduced = takeOut?.(values, mine, before, theirs) ?? values;
    form.reset(valuesOf(theirs));
    form.reset(reduced, { keepDefaultValues: true });
    setSeen(theirs);
    return { values: reduced, fields, isReduced: reduced !== values };
  };
  const conflict = seen && {
    kind,
    seen,
    count,
    meeting,
    form: form as unknown as Conflict['form'],
    words,
    isPrivate,
    begin,
    rebase,
    setMeeting,
    end: () => setCount(0),
  };
  return { submitting, conflict };
}
