import { similarity } from '../../built-in/similar.ts';
import type { Language } from '../../built-in/stop-words.ts';
import { subjectsOf } from '../../built-in/terms.ts';
import type { Goal } from './goal.ts';

/** Words by which sites in several languages name the same thing: a group on each line. */
const groups = `
  contact kontakt impressum imprint contacts contacto contatti telephone phone email address message nachricht
  price pricing plan tariff preis tarif prix precio prezzo abonnement subscription
  shipping shipment delivery versand lieferung livraison expedition envio spedizione bezorging
  return refund ruckgabe retoure retour remboursement devolucion reso
  news blog press aktuelles neuigkeiten nachrichten actualite actualites noticias notizie headline article
  job career stelle karriere emploi recrutement empleo lavoro vacancy
  help faq support hilfe aide ayuda aiuto question
  contact kontakt contacto contatti visit besuch hour opening offnungszeiten horaires horario orari
  warranty guarantee garantie gewahrleistung garantia garanzia
  shop store product catalog catalogue katalog produkt boutique produit tienda negozio
  about team company unternehmen entreprise empresa azienda uber
`;
const groupsOf = new Map<string, number[]>();
for (const [at, words] of groups.trim().split('\n').entries()) {
  for (const word of words.trim().split(/\s+/)) {
    groupsOf.set(word, [...(groupsOf.get(word) ?? []), at]);
  }
}
const groupWeight = 0.6;

type Words = { word: string; term: string }[];

/** How far the words of a text stand for each subject of a goal, and how many of them do. */
export type Likeness = {
  /** Share of the subjects that are met: 0 to 1. */
  share: number;
  /** Sum over the subjects. */
  sum: number;
  /** Share of the text's own words that have to do with the goal. */
  precision: number;
};

export function likeness(subjects: Goal['subjects'], text: string, language: Language): Likeness {
  const words = subjectsOf(text, language);
  const weights = subjects.map((subject) =>
    words.reduce((most, word) => Math.max(most, likenessOf(subject, word, language)), 0),
  );
  const sum = weights.reduce((total, weight) => total + weight, 0);
  const fitting = words.filter((word) =>
    subjects.some((subject) => likenessOf(subject, word, language) > 0),
  );
  return {
    sum,
    share: subjects.length === 0 ? 0 : sum / subjects.length,
    precision: words.length === 0 ? 0 : fitting.length / words.length,
  };
}

function likenessOf(asked: Words[number], found: Words[number], language: Language): number {
  const direct = similarity(asked.term, found.term, language);
  if (direct > 0) return direct;
  const own = groupsIn(asked);
  return groupsIn(found).some((group) => own.includes(group)) ? groupWeight : 0;
}

const groupsIn = ({ word, term }: Words[number]): readonly number[] =>
  groupsOf.get(word) ?? groupsOf.get(term) ?? groupsOf.get(word.replace(/(?:s|e|n|en)$/, '')) ?? [];
