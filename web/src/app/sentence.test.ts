import { ToolFailed, WorkCancelled } from '@tallyhand/contracts/features/tasks/work-failures';
import { SignInOld } from '@tallyhand/contracts/features/tools/sign-in-failures';
import { ToolSignInFailed } from '@tallyhand/contracts/features/tools/tools.refusals';
import type { Sentence } from '@tallyhand/contracts/kernel/sentence';
import i18next from 'i18next';
import { beforeAll, describe, expect, it } from 'vitest';
import { describeProblem, problemOf } from './problem.ts';
import { describeSentence, withReason } from './sentence.ts';

beforeAll(async () => {
  const sentences = {
    'sign-in_old': 'Vor mehr als {{minutes}} Minuten begonnen.',
    cancelled: 'Die Arbeit wurde abgebrochen.',
    'tool-failed_said': 'Das Werkzeug „{{tool}}“ ist gescheitert: {{said}}',
    'pages-empty_one': '{{count}} Seite enthält keinen Text.',
    'pages-empty_other': '{{count}} Seiten enthalten keinen Text.',
  };
  const problems = {
    'insufficient-credits': 'Nicht genug Credits: {{requested}} nötig.',
    'tool-sign-in-failed': '{{reason}}',
  };
  await i18next.init({
    lng: 'de',
    resources: { de: { sentences, problems } },
    interpolation: { escapeValue: false },
  });
});

type Said = Omit<Sentence, 'code'> & { readonly code: string | null };
const say = ({ text, ...named }: Said) => describeSentence(i18next.t, named, text);

describe('a sentence of the server', () => {
  it("is in the reader's language by its code, with its parameters", () => {
    expect(say(WorkCancelled({}))).toBe('Die Arbeit wurde abgebrochen.');
    expect(say({ code: 'pages-empty', params: { count: 1 }, text: '' })).toMatch(/^1 Seite /);
    expect(say({ code: 'pages-empty', params: { count: 2 }, text: '' })).toMatch(/^2 Seiten /);
  });

  it('keeps outside text unchanged, whatever it looks like', () => {
    const said = '503 $t(cancelled) {{tool}} <b>';
    expect(say(ToolFailed({ tool: 'Lager', said }))).toBe(
      `Das Werkzeug „Lager“ ist gescheitert: ${said}`,
    );
  });

  it('is that of the refusal that ended the work', () => {
    const refused = { code: 'insufficient-credits', params: { requested: 3 }, text: 'Not enough.' };
    expect(say(refused)).toBe('Nicht genug Credits: 3 nötig.');
  });

  it('is the stored text without a code, with an unknown code, or without a reason', () => {
    const text = 'It went wrong.';
    for (const code of [null, 'of-a-newer-server', 'tool-failed'])
      expect(say({ code, params: {}, text })).toBe(text);
  });
});

describe('the reason of a problem', () => {
  const { text: reason, ...cause } = SignInOld({ minutes: 10 });
  const told = (params: Parameters<typeof ToolSignInFailed>[0]) => {
    const problem = problemOf(409, ToolSignInFailed(params));
    return describeProblem(i18next.t, withReason(i18next.t, problem));
  };

  it('is translated by the code that comes with it', () => {
    expect(told({ reason, cause })).toBe('Vor mehr als 10 Minuten begonnen.');
  });

  it("is the server's own without a code, or with an unknown one", () => {
    expect(told({ reason })).toBe(reason);
    expect(told({ reason, cause: { code: 'of-a-newer-server', params: {} } })).toBe(reason);
  });
});
