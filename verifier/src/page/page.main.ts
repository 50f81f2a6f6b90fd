import { type Language, languageFor, languages } from '@tallyhand/contracts/languages';
import de from './locales/de.json' with { type: 'json' };
import en from './locales/en.json' with { type: 'json' };
import es from './locales/es.json' with { type: 'json' };
import fr from './locales/fr.json' with { type: 'json' };
import it from './locales/it.json' with { type: 'json' };
import ja from './locales/ja.json' with { type: 'json' };
import ko from './locales/ko.json' with { type: 'json' };
import pt from './locales/pt.json' with { type: 'json' };
import ru from './locales/ru.json' with { type: 'json' };
import zh from './locales/zh.json' with { type: 'json' };
import type { FieldFault, VerifyRequest, WorkerMessage } from './request.ts';

/* The page around the verifier. It is one file without any other: nothing is loaded and nothing sent. */

type TextName = keyof typeof en;

/** They have all the texts of English: the compiler compares them. */
const texts: Readonly<Record<Language, Readonly<Record<TextName, string>>>> = {
  de,
  en,
  es,
  fr,
  it,
  ja,
  ko,
  pt,
  ru,
  zh,
};

const byId = <T extends HTMLElement>(id: string) => document.getElementById(id) as T;
const input = (id: string) => byId<HTMLInputElement>(id);
const form = byId<HTMLFormElement>('form');
const languageSelect = byId<HTMLSelectElement>('language');

const stored = (name: string): string | null => {
  try {
    return localStorage.getItem(name);
  } catch {
    // A file that is opened may have no storage.
    return null;
  }
};

let language: Language = languageFor(stored('tallyhand-language'), navigator.languages);
const t = (name: TextName) => texts[language][name];

/** What was said last, to say it again in another language. */
let shown: (() => void) | null = null;

function showLanguage(): void {
  document.documentElement.lang = language;
  document.title = `${t('title')} · Tallyhand`;
  for (const element of document.querySelectorAll<HTMLElement>('[data-text]')) {
    element.textContent = t(element.dataset.text as TextName);
  }
  shown?.();
}

const FAULTS = ['file', 'key', 'since', 'at-least', 'timestamps'] as const;

function showFault(field: (typeof FAULTS)[number], text: string): void {
  byId(`${field}-fault`).textContent = text;
  input(field).setAttribute('aria-invalid', 'true');
  if (field !== 'file') byId<HTMLDetailsElement>('more').open = true;
  input(field).focus();
}

function clearFaults(): void {
  for (const field of FAULTS) {
    byId(`${field}-fault`).textContent = '';
    input(field).removeAttribute('aria-invalid');
  }
}

type Verdict = 'well' | 'bad' | 'ended';

function showVerdict(kind: Verdict, heading: TextName, lines: readonly string[]): void {
  const show = () => {
    const box = document.createElement('div');
    box.className = `verdict ${kind}`;
    const title = document.createElement('h2');
    title.textContent = t(heading);
    const list = document.createElement('ul');
    // The sentences of the verifier are those of the command, which are English.
    list.lang = 'en';
    for (const line of lines) {
      const item = document.createElement('li');
      item.textContent = line;
      list.append(item);
    }
    box.append(title, ...(lines.length > 0 ? [list] : []));
    byId('result').replaceChildren(box);
  };
  shown = show;
  show();
}

let worker: Worker | null = null;

function setRunning(isRunning: boolean): void {
  byId('progress').hidden = !isRunning;
  byId('cancel').hidden = !isRunning;
  byId('verify').hidden = isRunning;
  input('bar').value = '0';
}

function end(): void {
  worker?.terminate();
  worker = null;
  setRunning(false);
}

type Policy = { createScriptURL(address: string): string };
type Types = { createPolicy(name: string, rules: Policy): Policy };
const plain: Policy = { createScriptURL: (address) => address };
/** Browsers that know trusted types refuse every other script. */
const policy =
  (globalThis as { trustedTypes?: Types }).trustedTypes?.createPolicy('verifier', plain) ?? plain;

/** The scripts are in the page as text, because a page that is a file can't load others. */
function startWorker(ids: readonly string[]): Worker {
  const parts = ids.map((id) => `${byId(id).textContent}\n`);
  const address = URL.createObjectURL(new Blob(parts, { type: 'text/javascript' }));
  const started = new Worker(policy.createScriptURL(address));
  URL.revokeObjectURL(address);
  return started;
}

const chosen = (id: string): File | null => input(id).files?.[0] ?? null;

/** What the form says; null after a fault was shown. */
async function readForm(): Promise<VerifyRequest | null> {
  const file = chosen('file');
  if (!file) {
    showFault('file', t('fileMissing'));
    return null;
  }
  const rows = input('at-least').value.trim();
  if (rows !== '' && !/^\d{1,15}$/.test(rows)) {
    showFault('at-least', t('atLeastFault'));
    return null;
  }
  const [stamps, authority] = [chosen('timestamps'), chosen('authority')];
  if ((stamps === null) !== (authority === null)) {
    showFault('timestamps', t('timestampsFault'));
    return null;
  }
  if (stamps && !globalThis.crypto?.subtle) {
    showFault('timestamps', t('lackingCrypto'));
    return null;
  }
  const keyFile = chosen('key-file');
  const key = keyFile ? await keyFile.text() : input('key').value.trim();
  return {
    file,
    key: key === '' ? null : key,
    since: chosen('since'),
    organizationId: input('organization').value.trim() || null,
    atLeast: rows === '' ? null : Number(rows),
    timestamps: stamps && authority ? { file: stamps, authority: await authority.text() } : null,
  };
}

function showFieldFault({ field, reason }: FieldFault): void {
  const faults = {
    key: t('keyFault'),
    'key-missing': t('keyMissing'),
    since: t('sinceFault'),
    timestamps: t('stampsFault'),
  };
  const text = faults[field];
  showFault(field === 'key-missing' ? 'key' : field, reason === '' ? text : `${text} ${reason}`);
}

function receive(message: WorkerMessage): void {
  if (message.kind === 'progress') {
    input('bar').value = String(100 * message.share);
    return;
  }
  end();
  switch (message.kind) {
    case 'field':
      showFieldFault(message.fault);
      break;
    case 'failure':
      showVerdict('bad', 'failed', [message.reason]);
      break;
    case 'result': {
      const { isWell, lines } = message.result;
      showVerdict(isWell ? 'well' : 'bad', isWell ? 'well' : 'bad', lines);
      break;
    }
  }
}

async function verify(): Promise<void> {
  end();
  clearFaults();
  shown = null;
  byId('result').replaceChildren();
  const request = await readForm();
  if (!request) return;
  setRunning(true);
  const scripts = request.timestamps ? ['timestamps-script'] : [];
  const started = startWorker([...scripts, 'worker-script']);
  worker = started;
  started.addEventListener('message', ({ data }: MessageEvent<WorkerMessage>) => {
    if (worker === started) receive(data);
  });
  started.addEventListener('error', ({ message }) => {
    if (worker === started) receive({ kind: 'failure', reason: message });
  });
  started.postMessage(request);
  byId('cancel').focus();
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  void verify();
});
form.addEventListener('reset', () => {
  end();
  clearFaults();
  shown = null;
  byId('result').replaceChildren();
});
byId('cancel').addEventListener('click', () => {
  end();
  showVerdict('ended', 'cancelled', []);
  byId('verify').focus();
});

const drop = byId('drop');
for (const kind of ['dragover', 'dragleave', 'drop']) {
  // Beside the box, the browser would open the file instead of the page.
  addEventListener(kind, (event) => event.preventDefault());
  drop.addEventListener(kind, () => drop.classList.toggle('over', kind === 'dragover'));
}
addEventListener('drop', ({ dataTransfer }) => {
  if (!dataTransfer || dataTransfer.files.length === 0) return;
  input('file').files = dataTransfer.files;
});

for (const { code, name } of languages) languageSelect.add(new Option(name, code));
languageSelect.value = language;
languageSelect.addEventListener('change', () => {
  language = languageSelect.value as Language;
  showLanguage();
});

const theme = stored('tallyhand-theme');
if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
const isFile = location.protocol === 'file:';
byId('download-text').hidden = isFile;
byId('is-file').hidden = !isFile;
// A file knows no product that it could lead to.
if (isFile) byId('home').removeAttribute('href');
const isLacking = typeof Worker === 'undefined' || typeof DecompressionStream === 'undefined';
byId('lacking').hidden = !isLacking;
showLanguage();
