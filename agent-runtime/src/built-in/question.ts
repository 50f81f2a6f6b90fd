import { sentenceSpans } from '../sentences.ts';
import { stem } from './stem.ts';
import type { Language } from './stop-words.ts';
import { fold, subjectsOf, termsOf } from './terms.ts';

/** What kind of words an answer must hold. */
export type Wanted = 'number' | 'time' | 'person' | 'place' | 'contact';

export type Question = {
  text: string;
  /** Subject terms, each once; an answer has to cover them. */
  terms: string[];
  /** The same as the person wrote them, in the order of the terms. */
  words: string[];
  /** Terms of what was said around the question: they help to choose between passages, no more. */
  context: string[];
  wanted: Wanted | null;
};

const inputLengthMax = 32_000;
const questionsMax = 4;
const statementsMax = 12;
const termsMax = 24;
const wordShownMax = 40;
/** An instruction with more subjects than this is read sentence by sentence. */
const termsOfOneInstruction = 10;

/**
 * What the input asks: its sentences with a question mark; else the whole of a short input, or each
 * sentence of a long one. Empty when the input holds no subject words.
 */
export function questionsOf(input: string, language: Language): Question[] {
  const text = input.slice(0, inputLengthMax);
  const sentences = sentenceSpans(text).map((span) => text.slice(span.start, span.end));
  const asked = sentences.filter((sentence) => /[?？؟]/.test(sentence));
  if (asked.length > 0) {
    const said = sentences.filter((sentence) => !asked.includes(sentence)).join('\n');
    const context = unique(termsOf(said, language));
    const questions = [...new Set(asked)]
      .map((one) => questionOf(one, context, language))
      .filter((question) => question.terms.length > 0);
    if (questions.length > 0) return questions.slice(0, questionsMax);
  }
  const whole = questionOf(text, [], language);
  if (whole.terms.length <= termsOfOneInstruction || sentences.length === 1) {
    return whole.terms.length > 0 ? [whole] : [];
  }
  return sentences
    .slice(0, statementsMax)
    .map((one) => questionOf(one, whole.terms, language))
    .filter((question) => question.terms.length > 1);
}

function questionOf(text: string, context: string[], language: Language): Question {
  const subjects = new Map<string, string>();
  for (const { word, term } of subjectsOf(text, language)) {
    if (!subjects.has(term) && subjects.size < termsMax)
      subjects.set(term, word.slice(0, wordShownMax));
  }
  const terms = [...subjects.keys()];
  return { text, terms, words: [...subjects.values()], context, wanted: wantedBy(fold(text)) };
}

function unique(terms: string[]): string[] {
  return [...new Set(terms)].slice(0, termsMax);
}

const timeAsked =
  /\b(when|how (long|soon|often|old|quickly|fast)|what time|wann|wie (lange|oft|alt|schnell)|quand|combien de temps|cuando|cuanto tiempo|quando|quanto tempo)\b|когда|как (долго|часто)|сколько времени|何時|いつ|どのくらい|什么时候|多久|几点|언제/u;
const numberAsked =
  /\b(how (many|much|high|far|big|large|heavy|deep|wide)|wie ?(viel|viele|hoch|weit|gross|schwer)|combien|cuant[oa]s?|quant[oiae]s?|was kostet|(what|which) .{0,40}(cost|price|fee|number))\b|сколько|多少|几|何個|いくつ|いくら|얼마/u;
const personAsked = /\b(who|whom|wer|wem|wen|qui est|quien|chi|quem)\b|\bкто\b|谁|誰|누구/u;

const placeAsked =
  /\b(where|which (shop|place|city|country|town)s?|wo|wohin|ou est|ou sont|ou puis|donde|dove|onde)\b|где|куда|どこ|哪里|어디/u;

const contactAsked =
  /\b(phone|telephone|fax|hotline) number|e-?mail address|telefonnummer|mailadresse|numero de tele|numero di tele|numero de tel|adresse e-?mail|номер телефона|電話番号|电话号码|전화번호/u;

function wantedBy(folded: string): Wanted | null {
  if (contactAsked.test(folded)) return 'contact';
  if (personAsked.test(folded)) return 'person';
  if (timeAsked.test(folded)) return 'time';
  if (placeAsked.test(folded)) return 'place';
  return numberAsked.test(folded) ? 'number' : null;
}

const numberWords =
  /\b(one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|fifty|hundred|thousand|half|once|twice|ein|eine|zwei|drei|vier|funf|sechs|sieben|acht|neun|zehn|hundert|un|une|deux|trois|quatre|cinq|dix|dos|tres|cuatro|cinco|diez|due|tre|quattro|cinque|dieci|dois|duas|quatro|dez)\b|один|два|три|пять|десять|[一二三四五六七八九十百千万]/u;
const freeWords =
  /\b(free|no|nothing|half|kostenlos|gratis|gratuite?|gratuit[oa])\b|бесплатно|無料|免费/u;
const timeWords =
  /\b(days?|weeks?|months?|years?|hours?|minutes?|monday|tuesday|wednesday|thursday|friday|saturday|sunday|january|february|march|april|june|july|august|september|october|november|december|morning|evening|noon|midnight|immediately|always|never|before|after|until|as soon as|daily|weekly|monthly|yearly|annually|tage?n?|wochen?|monate?n?|jahre?n?|stunden?|jours?|semaines?|mois|ans?|annees?|heures?|dias?|semanas?|mes|meses|anos?|horas?|giorn[oi]|settiman[ae]|mes[ei]|ann[oi]|or[ae])\b|дн(я|еи|и)|недел|месяц|год|лет|час|[日週月年時分]|周|小时|天/u;
const name =
  /\p{Lu}[\p{L}'’.-]+ (?:(?:van|von|de|da|di|del) )?\p{Lu}\p{L}+|@|[一-龯]{2,4}(さん|先生|氏)/u;

const placeWords =
  /\b(in|at|on|into|inside|beside|near|under|behind|above|below|between|through|from|to|im|am|an|auf|unter|neben|bei|beim|dans|sur|chez|a|au|aux|en|sous|nel|nella|su|sul|presso|no|na|em)\b|@|\/\/|[вна] |[でに]|在/u;

/**
 * Words of a question that name the kind of its answer: a number is answered by a number, whatever
 * stands beside it.
 */
const kindWords: Record<Wanted, Set<string>> = {
  number: stemmed('number amount cost price fee value sum nummer preis kosten'),
  time: stemmed('date time day week month year hour period deadline datum zeit frist'),
  person: stemmed('name person'),
  contact: stemmed('number address nummer numero adresse'),
  place: stemmed('place address location ort adresse'),
};

function stemmed(list: string): Set<string> {
  return new Set(list.split(' ').flatMap((word) => [stem(word, 'en'), stem(word, 'de')]));
}

export function isKindWord(wanted: Wanted | null, term: string): boolean {
  return wanted !== null && kindWords[wanted].has(term);
}

/** Whether a quotation holds the kind of words that the question wants. */
export function holdsWanted(wanted: Wanted | null, quotation: string): boolean {
  if (wanted === null) return true;
  if (wanted === 'contact') return /@|\/\/|\+?\d[\d ()/-]{4,}\d/.test(quotation);
  if (wanted === 'person') return name.test(quotation);
  // The number before a list item says nothing.
  const folded = fold(quotation.replace(/^\s*\d{1,3}[.)]\s/gm, ''));
  if (wanted === 'place') return placeWords.test(folded);
  const counted = /\p{N}/u.test(folded) || numberWords.test(folded);
  return counted || (wanted === 'number' ? freeWords : timeWords).test(folded);
}
