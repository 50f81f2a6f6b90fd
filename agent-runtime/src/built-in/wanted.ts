import { stem } from './stem.ts';
import { fold } from './terms.ts';

/** What kind of words an answer must hold. */
export type Wanted =
  | 'number'
  | 'money'
  | 'time'
  | 'duration'
  | 'age'
  | 'person'
  | 'name'
  | 'place'
  | 'contact';

/** Whole words of scripts with spaces, then parts of words of the others; for folded text. */
function anyOf(whole: string[], parts: string): RegExp {
  return new RegExp(`\\b(?:${whole.join('|')})\\b|${parts}`, 'u');
}

/** The first that fits counts. */
const asking: [Wanted, RegExp][] = [
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
    'name',
    anyOf(
      [
        '(?:what|which) (?:is|are|was|were) .{0,12}\\bnames?|what .{1,40} (?:called|named)',
        'wie (?:heissen|heisst|hiess)|comment s.appelle\\w*|como se llaman?|come si chiama',
      ],
      'как зовут|как называется|名前は|叫什么|이름',
    ),
  ],
  ['person', anyOf(['who|whom|wer|wem|wen|qui est|quien|chi|quem'], 'кто |谁|誰|누구')],
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
    'time',
    anyOf(
      [
        '(?<=^\\W*|[,;:] |(?:and|but|or|since|until|till|by|from) )when',
        'what (?:time|day|date|year)|which (?:day|date|year)|how often',
        'wann|wie oft|quand',
        'cuando|quando',
      ],
      'когда|как часто|何時|いつ|什么时候|几点|언제',
    ),
  ],
  [
    'place',
    anyOf(
      [
        'where|which (?:shop|place|city|country|town)s?',
        'wo|wohin|ou est|ou sont|ou puis|donde|dove|onde',
      ],
      'где|куда|どこ|哪里|어디',
    ),
  ],
  [
    'money',
    anyOf(
      [
        'how much (?:is|are|was|were|do|does|did|will|would) .{0,60}(?:cost|pay|paid|earn|charge)\\w*',
        'how (?:much|high) (?:is|are|was) .{0,30}(?:fee|price|fare|rent|deposit|surcharge|fine)s?',
        '(?:what|which) .{0,40}(?:cost|price|fee)s?|was kostet|wie ?viel kostet',
        'wie hoch .{0,30}(?:preis|gebuhr|kosten|kaution|miete|beitrag)\\w*',
        'combien (?:coute\\w*|faut-il payer)|cuanto cuestan?|quanto costa(?:no)?|quanto custam?',
        'wat kost\\w*',
      ],
      'сколько стоит|いくら|多少钱|얼마',
    ),
  ],
  [
    'number',
    anyOf(
      [
        'how (?:many|much|high|far|big|large|heavy|deep|wide|tall|strong)',
        '(?:what|which) .{0,40}(?:cost|price|fee|number)',
        'wie ?(?:viel|viele|hoch|weit|gross|schwer|tief|breit)|was kostet',
        'combien|cuant[oa]s?|quant[oiae]s?',
      ],
      'сколько|多少|几|何個|いくつ|いくら|얼마',
    ),
  ],
];

/** A number, of money or of something else. */
export const isAmount = (wanted: Wanted | null): boolean =>
  wanted === 'number' || wanted === 'money';

export function wantedBy(question: string): Wanted | null {
  const folded = fold(question);
  return asking.find(([, pattern]) => pattern.test(folded))?.[0] ?? null;
}

const numbers = [
  'one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|fou?rty|fifty',
  '(?:thir|four|fif|six|seven|eigh|nine)teen|sixty|seventy|eighty|ninety|hundred|thousand|dozen',
  'eine?[nmrs]?|zwei|drei|vier|funf|sechs|sieben|acht|neun|zehn|zwolf|hundert',
  'une?|deux|trois|quatre|cinq|six|sept|huit|dix|douze|cent|dos|tres|cuatro|cinco|diez',
  'due|tre|quattro|cinque|dieci|dois|duas|quatro|dez',
];
const numberWords = anyOf(
  [...numbers, 'once|twice|half|free|no|nothing', 'kostenlos|gratis|gratuite?|gratuit[oa]'],
  'один|два|три|пять|десять|бесплатно|[一二三四五六七八九十百千万]|無料|免费',
);
/** A number and, at most two words on, what it counts: times and lengths. */
const measured = new RegExp(
  '(?:[\\p{N}一二三四五六七八九十百千半]|' +
    `\\b(?:${numbers.join('|')}|an?|several|few|some)\\b)[\\s-]*` +
    '(?:[\\p{L}.]+[\\s-]+){0,2}' +
    '(?:(?:second|minute|hour|day|night|week|fortnight|month|year|inch|foot|feet|yard|mile|metre' +
    '|meter|kilomet|sekunde|stunde|tag|woche|monat|jahr|werktag|jour|heure|semaine|annee|hora' +
    '|semana|giorn|settiman)\\p{L}{0,3}\\b' +
    '|(?:ans?|mois|mes(?:es)?|dias?|anos?|mes[ei]|ann[io]|or[ae])\\b' +
    '|мин|час|дн|недел|месяц|год|лет|[日週月年時分]|周|个月|小时|天|일|주|개월|년|시간)' +
    '|\\b(?:immediately|at once|for ever|forever|perpetual|life|until|sofort|lebenslang|bis)\\b',
  'u',
);
const ageWords = anyOf(
  [
    'age[sd]? (?:of |at )?\\w+|(?:years?|months?) (?:old|of age)|minors?|adults?|or (?:older|over)',
    '(?:under|over|below|above) (?:the age of )?\\d+',
    '(?:voll|minder)jahrig\\w*|jahre?n?|monate?n?|ans|mois|majeurs?|mineurs?|anos|anni',
  ],
  'лет|год|месяц|[歳才]|岁|살',
);
/** A clock's hours in words, which count as a time only after "from", "at" and the like. */
const HOURS = 'one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve';
const timeWords = anyOf(
  [
    'days?|weeks?|months?|years?|hours?|minutes?|daily|weekly|monthly|yearly|annually',
    '(?:mon|tues|wednes|thurs|fri|satur|sun|week|work)days?|weekends?',
    'mornings?|afternoons?|evenings?|noon|midday|midnight|tonight|o.clock',
    `(?:from|at|by|until|till|before|after|between|since|half past|quarter (?:to|past)) (?:${HOURS})`,
    '(?:mon|diens|donners|frei|sams|sonn|werk|feier)tage?n?s?|mittwochs?|wochenende?n?s?|mittags?',
    'lundis?|mardis?|mercredis?|jeudis?|vendredis?|samedis?|dimanches?|midi|minuit|matin|soir',
    'lunes|martes|miercoles|jueves|viernes|sabados?|domingos?|mediodia|medianoche',
    'lunedi|martedi|mercoledi|giovedi|venerdi|sabat[oi]|domenic(?:a|he)|mezzogiorno|mezzanotte',
    '(?:segunda|terca|quarta|quinta|sexta)s?-feiras?|meio-dia|meia-noite',
    '(?:maan|dins|woens|donder|vrij|zater|zon|week)dag(?:en)?|weekend',
    'january|february|march|april|june|july|august|september|october|november|december',
    'immediately|always|never|before|after|until|as soon as|once|twice',
    'tage?n?|wochen?|monate?n?|jahre?n?|stunden?|jours?|semaines?|mois|ans?|annees?|heures?',
    'dias?|semanas?|mes|meses|anos?|horas?|giorn[oi]|settiman[ae]|mes[ei]|ann[oi]|or[ae]',
  ],
  '[月火水木金土]曜|(?:понедельник|вторник|сред[уы]|четверг|пятниц|суббот|воскресень)|[周週]末|星期|요일|дн(?:я|еи|и)|недел|месяц|год|лет|час|[日週月年時分]|周|小时|天',
);
const placeWords = anyOf(
  [
    'in|at|on|into|inside|beside|near|under|behind|above|below|between|through|from|to',
    'im|am|an|auf|unter|neben|bei|beim|dans|sur|chez|aux?|a|en|sous|nel|nella|sul?|presso|na|em',
  ],
  '@|//|[вна] |[でに]|在',
);
const name = /\p{Lu}[\p{L}'’.-]+ (?:(?:van|von|de|da|di|del) )?\p{Lu}\p{L}+|@|(?:さん|先生|氏)/u;
/** How authors of an article refer to themselves: it says who, without a name. */
const ourselves = anyOf(['we|wir|nous|nosotros|noi|nos'], 'мы |我们|私たち|弊社|우리');
/** The people that a company's articles mention without a name. */
const roles = anyOf(
  [
    'customer|buyer|seller|sender|recipient|owner|tenant|landlord|employer|employee|parent|manager',
    'administrator|kunde|kaufer|verkaufer|absender|empfanger|mieter|vermieter|arbeitgeber',
    'client|acheteur|vendeur|locataire|proprietaire|cliente|comprador|vendedor',
  ].map((list) => list.replaceAll('|', '(?:e?s|n)?|')),
  'клиент|покупател|お客様|客户|고객',
);
const reachedBy =
  /@|\/\/|\+?\d[\d ()/-]{4,}\d|\b\d+[a-z]? \p{Lu}|\p{L}(?:street|stra(?:ss|ß)e)|\p{Lu}\S* (?:Street|Road|Lane)/u;

const sums = anyOf(
  [
    '(?:euro|dollar|pound|cent|shilling|franc|rubel|rouble|krone|guilder)(?:e?[ns]|r)?',
    'penn(?:y|ies)|pence|yen|eur|usd|gbp|chf|free(?: of charge)?|gratis|kostenlos\\w*|kostenfrei|unentgeltlich|half',
    'gratuit\\w*|gratuito|gratis|sans frais|centimes?|reais',
  ],
  '[$£€¥₽₩]|рубл|евро|доллар|бесплатн|[円元원]|ユーロ|ドル|유로|달러|無料|免费|무료',
);
const naming = anyOf(
  [
    'names?|named|called|known as|heiss(?:t|en)|hiess|genannt|namens|s.appell\\w+|nomme\\w*',
    'llamad?[oa]?n?|se llama|chiama\\w*|chamad?[oa]?|genaamd|heet',
  ],
  'зовут|называ|という|叫|이름',
);

/** Whether a quotation holds the kind of words that the question wants. */
export function holdsWanted(wanted: Wanted | null, quotation: string): boolean {
  // The number before a list item says nothing.
  const folded = fold(quotation.replace(/^\s*\d{1,3}[.)]\s/gm, ''));
  const counted = /\p{N}/u.test(folded);
  switch (wanted) {
    case null:
      return true;
    case 'person':
      return name.test(quotation) || ourselves.test(folded) || roles.test(folded);
    case 'name':
      return naming.test(folded) || name.test(quotation);
    case 'money':
      return sums.test(folded);
    case 'contact':
      return reachedBy.test(quotation);
    case 'place':
      return placeWords.test(folded);
    case 'number':
      return counted || numberWords.test(folded);
    case 'age':
      return ageWords.test(folded);
    case 'time':
      return counted || timeWords.test(folded);
    case 'duration':
      return measured.test(folded);
  }
}

/**
 * Words of a question that name the kind of its answer: a number is answered by a number, whatever
 * word stands beside it.
 */
const kindWords: Record<Wanted, Set<string>> = {
  number: stemmed('number amount cost price fee value sum nummer preis kosten'),
  time: stemmed('date time day week month year hour period term deadline datum zeit frist'),
  duration: stemmed('time day week month year hour period term deadline zeit frist'),
  age: stemmed('old age year alt alter jahr'),
  money: stemmed('amount cost price fee value sum charge preis kosten betrag cout prix'),
  person: stemmed('name person'),
  name: stemmed('name call'),
  place: stemmed('place address location ort adresse'),
  contact: stemmed(
    'number address phone telephone email mail nummer numero adresse telefon telefoon',
  ),
};

const numberStems = stemmed(
  'two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen' +
    ' seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred' +
    ' thousand million dozen zwei drei vier funf sechs sieben acht neun zehn elf zwolf zwanzig' +
    ' dreissig vierzig funfzig hundert tausend deux trois quatre cinq sept huit neuf dix onze douze' +
    ' quinze vingt trente cent mille',
);

export const isNumberTerm = (term: string): boolean => /\p{N}/u.test(term) || numberStems.has(term);

/** Words that ask for something about a subject; the answer says it without naming them. */
const askingWords = stemmed(
  'difference reason kind type sort way example purpose benefit meaning definition name number' +
    ' amount part thing step possibility main favourite favorite' +
    ' unterschied grund art zweck beispiel bedeutung vorteil',
);

export const isAskingWord = (term: string): boolean => askingWords.has(term);

function stemmed(list: string): Set<string> {
  return new Set(list.split(' ').flatMap((word) => [stem(word, 'en'), stem(word, 'de')]));
}

export function isKindWord(wanted: Wanted | null, term: string): boolean {
  return wanted !== null && kindWords[wanted].has(term);
}
