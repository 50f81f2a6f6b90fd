import type { Language } from './stop-words.ts';

/**
 * Endings by language, the longest first; `keep` letters must be left. They join the forms of one
 * word ("returned", "returns"); whether the stem is a word of its own does not matter.
 */
const endings: Record<Exclude<Language, 'en'>, { keep: number; list: string[] }> = {
  de: { keep: 4, list: ['ungen', 'ern', 'ung', 'est', 'em', 'en', 'er', 'es', 'e', 'n', 's', 't'] },
  fr: {
    keep: 4,
    list: [
      'issements',
      'issement',
      'ements',
      'ement',
      'ations',
      'ation',
      'aient',
      'euses',
      'euse',
      'antes',
      'ante',
      'ives',
      'ees',
      'ent',
      'ant',
      'ait',
      'ais',
      'eur',
      'aux',
      'ons',
      'ive',
      'ees',
      'ee',
      'es',
      'er',
      'ez',
      'ir',
      'e',
      's',
      'x',
      'r',
    ],
  },
  es: {
    keep: 4,
    list: [
      'aciones',
      'uciones',
      'amientos',
      'imientos',
      'amiento',
      'imiento',
      'acion',
      'ucion',
      'mente',
      'adoras',
      'adores',
      'ador',
      'ando',
      'iendo',
      'ados',
      'adas',
      'idos',
      'idas',
      'aron',
      'ieron',
      'ado',
      'ada',
      'ido',
      'ida',
      'aba',
      'cion',
      'es',
      'os',
      'as',
      'an',
      'en',
      'ar',
      'er',
      'ir',
      'a',
      'e',
      'o',
      's',
    ],
  },
  it: {
    keep: 4,
    list: [
      'azioni',
      'azione',
      'uzioni',
      'uzione',
      'amenti',
      'amento',
      'imenti',
      'imento',
      'mente',
      'ando',
      'endo',
      'ati',
      'ate',
      'ata',
      'ato',
      'iti',
      'ite',
      'ita',
      'ito',
      'uto',
      'are',
      'ere',
      'ire',
      'ano',
      'ono',
      'i',
      'e',
      'a',
      'o',
    ],
  },
  pt: {
    keep: 4,
    list: [
      'acoes',
      'ucoes',
      'amentos',
      'imentos',
      'amento',
      'imento',
      'acao',
      'ucao',
      'mente',
      'ando',
      'endo',
      'indo',
      'ados',
      'adas',
      'idos',
      'idas',
      'ado',
      'ada',
      'ido',
      'ida',
      'aram',
      'oes',
      'aes',
      'coes',
      'cao',
      'ao',
      'ar',
      'er',
      'ir',
      'es',
      'os',
      'as',
      'am',
      'em',
      'a',
      'e',
      'o',
      's',
    ],
  },
  nl: {
    keep: 4,
    list: ['heden', 'ingen', 'heid', 'eren', 'ing', 'en', 'er', 'es', 'e', 'n', 's', 't'],
  },
  ru: {
    keep: 3,
    list: [
      'иями',
      'ениями',
      'ениях',
      'ению',
      'ения',
      'ение',
      'аями',
      'ями',
      'ами',
      'ыми',
      'ими',
      'ого',
      'его',
      'ому',
      'ему',
      'ешь',
      'ите',
      'ать',
      'ять',
      'ить',
      'еть',
      'ует',
      'ают',
      'яют',
      'ает',
      'яет',
      'ется',
      'иях',
      'ях',
      'ах',
      'ов',
      'ев',
      'еи',
      'ии',
      'ам',
      'ям',
      'ом',
      'ем',
      'ых',
      'их',
      'ая',
      'яя',
      'ое',
      'ее',
      'ые',
      'ие',
      'ыи',
      'ую',
      'юю',
      'ия',
      'ию',
      'ут',
      'ют',
      'ат',
      'ят',
      'ет',
      'ит',
      'а',
      'я',
      'о',
      'е',
      'ы',
      'и',
      'у',
      'ю',
      'ь',
      'и',
    ],
  },
};

const irregularEnglish = new Map(
  `bought:buy paid:pay sent:send took:take taken:take gave:give given:give broke:break
    broken:break lost:lose found:find kept:keep held:hold sold:sell made:make went:go
    came:come began:begin begun:begin wrote:write written:write ran:run wore:wear worn:wear
    tore:tear torn:tear chose:choose chosen:choose left:leave met:meet got:get knew:know
    known:know said:say told:tell spent:spend brought:bring caught:catch built:build men:man
    women:woman children:child feet:foot teeth:tooth mice:mouse`
    .split(/\s+/)
    .map((pair) => pair.split(':') as [string, string]),
);

const formsOfStem = new Map<string, string[]>();
for (const [form, base] of irregularEnglish) {
  formsOfStem.set(base, [...(formsOfStem.get(base) ?? [base]), form]);
}

/** An irregular English word in all its forms; none for the stem of a regular one. */
export const irregularFormsOf = (base: string): readonly string[] => formsOfStem.get(base) ?? [];

/** The stem of a lower-case word without accents. Numbers and short words stay as they are. */
export function stem(word: string, language: Language): string {
  if (/\p{N}/u.test(word)) return word;
  if (language === 'en') return stemEnglish(word);
  const { keep, list } = endings[language];
  const ending = list.find((one) => word.length - one.length >= keep && word.endsWith(one));
  return ending ? word.slice(0, -ending.length) : word;
}

function stemEnglish(word: string): string {
  const regular = irregularEnglish.get(word);
  if (regular) return regular;
  if (word.length < 4) return word;
  let base = word;
  if (/(ss|sh|ch|x|z)es$/.test(base)) base = base.slice(0, -2);
  else if (/ies$/.test(base) && base.length > 4) base = `${base.slice(0, -3)}y`;
  else if (/.ied$/.test(base)) base = `${base.slice(0, -3)}y`;
  else if (/[^sui]s$/.test(base)) base = base.slice(0, -1);
  const verbal = /^(.*[aeiouy].*)(?:ing|ed)$/.exec(base)?.[1];
  if (verbal && verbal.length >= 3) base = verbal;
  else if (/..[aeiou].*ly$/.test(base)) base = base.slice(0, -2);
  if (verbal && /([bdfgmnprt])\1$|.{5}ll$/.test(base)) base = base.slice(0, -1);
  if (/(ement|ment|ation|ition|able|ible)$/.test(base) && base.length >= 8) {
    base = base.replace(/(ement|ment|ation|ition|able|ible)$/, '');
  }
  // "delivery" and "deliver", "store" and "stored" meet without their last letter.
  if (base.length >= 4 && /[ey]$/.test(base)) base = base.slice(0, -1);
  return base;
}
