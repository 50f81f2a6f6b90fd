import { asks, type Half } from './set.ts';

/**
 * The half of the retrieval set that may be looked at: its misses show what to change. The set was
 * written before any tuning, as a person would ask who knows the subject and not the wording, and
 * was dealt alternately into this half and the one kept apart.
 */
export const tuningHalf: Half = {
  answerable: [
    asks('How old must you be to become a senator?', 'constitution-congress', 'thirty Years'),
    asks('Who chooses the speaker of the House?', 'constitution-congress', 'chuse their Speaker'),
    asks(
      'What happens if the president neither signs nor vetoes a bill?',
      'constitution-congress',
      'within ten Days (Sundays excepted)',
    ),
    asks(
      'May a federal officer accept a gift from a foreign king?',
      'constitution-congress',
      'from any King, Prince, or foreign State',
    ),
    asks(
      'Who commands the armed forces of the United States?',
      'constitution-president-and-courts',
      'Commander in Chief of the Army and Navy',
    ),
    asks(
      'How many witnesses are needed to convict someone of treason?',
      'constitution-president-and-courts',
      'Testimony of two Witnesses',
    ),
    asks(
      'How many states had to ratify the constitution before it took effect?',
      'constitution-president-and-courts',
      'Conventions of nine States',
    ),
    asks(
      'Can the government force me to house soldiers?',
      'bill-of-rights',
      'quartered in any house',
    ),
    asks(
      'Can I be tried twice for the same crime?',
      'bill-of-rights',
      'twice put in jeopardy of life or limb',
    ),
    asks(
      'When was alcohol banned in the United States?',
      'later-amendments',
      'intoxicating liquors',
    ),
    asks('How often can somebody be elected president?', 'later-amendments', 'more than twice'),
    asks('From what age on can citizens vote?', 'later-amendments', 'eighteen years of age'),
    asks(
      'Which rights did the declaration say cannot be taken away?',
      'declaration-of-independence',
      'Life, Liberty and the pursuit of Happiness',
    ),
    asks(
      'What did the signers promise one another?',
      'declaration-of-independence',
      'our Lives, our Fortunes and our sacred Honor',
    ),
    asks(
      'What share of the population was enslaved, according to Lincoln?',
      'gettysburg-and-second-inaugural',
      'One-eighth of the whole population',
    ),
    asks(
      'Which islands did Japan attack besides Hawaii?',
      'roosevelt-day-of-infamy',
      'attacked Wake Island',
    ),
    asks(
      'How does Euclid define a circle?',
      'euclid-elements-book-one',
      'A circle is a plane figure',
    ),
    asks(
      'When do two straight lines never meet?',
      'euclid-elements-book-one',
      'Parallel straight lines are straight lines',
    ),
    asks(
      'How did the thirsty bird manage to drink?',
      'aesop-fables',
      'dropped it into the Pitcher',
    ),
    asks(
      'Why did nobody help the boy when the wolf really came?',
      'aesop-fables',
      'fooled twice before',
    ),
    asks('Who cut the lion free from the ropes?', 'aesop-fables', 'gnawed away the ropes'),
    asks(
      'How long may a widow stay in the house of her dead husband?',
      'magna-carta',
      'forty days after his death',
    ),
    asks('Where was Magna Carta signed?', 'magna-carta', 'Runnymede'),
    asks('How many stairs lead up to the room of Holmes?', 'scandal-in-bohemia', 'seventeen steps'),
    asks(
      'What was written on the label of the bottle that Alice found?',
      'alice-down-the-rabbit-hole',
      'DRINK ME',
    ),
    asks(
      'How much does Mr. Bingley earn a year?',
      'pride-and-prejudice',
      'four or five thousand a year',
    ),
    asks(
      'How slowly do elephants reproduce?',
      'origin-of-species',
      'slowest breeder of all known animals',
    ),
    asks('How many kinds of spies are there?', 'art-of-war', 'five classes'),
    asks(
      'À quel moment peut-on être privé de sa propriété ?',
      'declaration-des-droits',
      'juste et préalable indemnité',
    ),
    asks(
      'Wer darf die Durchsuchung einer Wohnung anordnen?',
      'grundgesetz-grundrechte',
      'dürfen nur durch den Richter',
    ),
  ],
  unanswerable: [
    'How many justices sit on the Supreme Court?',
    'What is the salary of a member of Congress?',
    'Who wrote the Bill of Rights?',
    'How many soldiers died at Gettysburg?',
    'How many ships were sunk at Pearl Harbor?',
    'How does Euclid prove the theorem of Pythagoras?',
    'What did the wolf say to the lamb at the stream?',
    'What was the name of the wife of King John?',
    'Where did Moriarty fight with Holmes?',
    'What did the Cheshire Cat tell Alice?',
    'How does the whale sink the ship?',
    'What did Darwin find on the Galapagos islands?',
    'Who is the father of Tiny Tim?',
    'Quand la Bastille est-elle tombée ?',
    'Wie lange dauert die Amtszeit des Bundespräsidenten?',
  ],
};
