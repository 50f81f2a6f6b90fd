import { numberWords } from '../words/data.ts';
import { stem } from '../words/language.ts';
import { fold } from '../words/terms.ts';

/** What kind of words an answer must hold. */
export type Wanted = 'contact' | 'age' | 'duration' | 'number';

/** Whole words of scripts with spaces, then parts of words of the others; for folded text. */
function anyOf(whole: string[], parts: string): RegExp {
  return new RegExp(`\\b(?:${whole.join('|')})\\b|${parts}`, 'u');
}

/** The words that ask for each kind. The first that fits counts. */
const ASKING: [Wanted, RegExp][] = [
  [
    'contact',
    anyOf(
      [
        '(?:phone|telephone|fax|hotline) number|e-?mail address',
        '(?:what|which) (?:is|are) .{0,20}\\baddress(?:es)?',
        'telefonnummer|telefoonnummer|mailadresse|numeros? d[ei] tel\\w*|adresse e-?mail',
      ],
      'номер телефона|電話番号|电话号码|전화번호',
    ),
  ],
  [
    'age',
    anyOf(
      ['how old|(?:what|which) age|wie alt|ab welchem alter|quel age|que edad|quanti anni'],
      'сколько лет|何歳|几岁|몇 살',
    ),
  ],
  [
    'duration',
    anyOf(
      [
        'how (?:long|soon|quickly|fast)|what (?:period|term)',
        'wie (?:lange|schnell)|combien de temps|cuanto tiempo|quanto tempo',
      ],
      'как долго|сколько времени|どのくらい|多久|얼마나 오래',
    ),
  ],
  [
    'number',
    anyOf(
      [
        'how (?:many|much|high|far|big|large|heavy|deep|wide|tall|strong)',
        '(?:what|which) .{0,40}(?:cost|price|fee|number)s?',
        'wie ?(?:viel|viele|hoch|weit|gross|schwer|tief|breit)|was kostet|wat kost\\w*',
        'combien|cuant[oa]s?|quant[oiae]s?',
      ],
      'сколько|多少|几|何個|いくつ|いくら|얼마',
    ),
  ],
];

export function wantedBy(question: string): Wanted | null {
  const folded = fold(question);
  return ASKING.find(([, pattern]) => pattern.test(folded))?.[0] ?? null;
}

const NUMBERS = [...numberWords.keys()];
const NUMBER_WORDS = anyOf(
  [...NUMBERS, 'free|kostenlos|gratis|gratuite?|gratuit[oa]'],
  '\\p{N}|один|два|три|пять|десять|бесплатно|[一二三四五六七八九十百千万]|無料|免费|무료',
);
/** A number and, at most two words on, what it counts: times and lengths. */
const MEASURED = new RegExp(
  '(?:[\\p{N}一二三四五六七八九十百千半]|' +
    `\\b(?:${NUMBERS.join('|')}|an?|several|few|some)\\b)[\\s-]*` +
    '(?:[\\p{L}.]+[\\s-]+){0,2}' +
    '(?:(?:second|minute|hour|day|night|week|fortnight|month|year|inch|foot|feet|yard|mile|metre' +
    '|meter|kilomet|sekunde|stunde|tag|woche|monat|jahr|werktag|jour|heure|semaine|annee|hora' +
    '|semana|giorn|settiman)\\p{L}{0,3}\\b' +
    '|(?:ans?|mois|mes(?:es)?|dias?|anos?|mes[ei]|ann[io]|or[ae])\\b' +
    '|мин|час|дн|недел|месяц|год|лет|[日週月年時分]|周|个月|小时|天|일|주|개월|년|시간)' +
    '|\\b(?:immediately|at once|for ever|forever|perpetual|life|until|sofort|lebenslang|bis)\\b',
  'u',
);
const AGES = anyOf(
  [
    'age[sd]? (?:of |at )?\\w+|(?:years?|months?) (?:old|of age)|minors?|adults?|or (?:older|over)',
    '(?:under|over|below|above) (?:the age of )?\\d+',
    '(?:voll|minder)jahrig\\w*|jahre?n?|monate?n?|ans|mois|majeurs?|mineurs?|anos|anni',
  ],
  'лет|год|месяц|[歳才]|岁|살',
);
const REACHED_BY =
  /@|\/\/|\+?\d[\d ()/-]{4,}\d|\b\d+[a-z]? \p{Lu}|\p{L}(?:street|stra(?:ss|ß)e)|\p{Lu}\S* (?:Street|Road|Lane)/u;

/** Whether a quotation holds the kind of words that the question wants. */
export function holdsWanted(wanted: Wanted | null, quotation: string): boolean {
  // The number before a list item means nothing.
  const folded = fold(quotation.replace(/^\s*\d{1,3}[.)]\s/gm, ''));
  switch (wanted) {
    case null:
      return true;
    case 'contact':
      return REACHED_BY.test(quotation);
    case 'age':
      return AGES.test(folded);
    case 'duration':
      return MEASURED.test(folded);
    case 'number':
      return NUMBER_WORDS.test(folded);
  }
}

const NUMBER_TERMS = new Set(NUMBERS.flatMap((word) => [stem(word, 'en'), stem(word, 'de')]));

export const isNumberTerm = (term: string): boolean =>
  /\p{N}/u.test(term) || NUMBER_TERMS.has(term);
