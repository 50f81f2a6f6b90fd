import { asks, type Half } from './set.ts';

/**
 * The held-out half of the retrieval set. Its hits and misses are never inspected one by one while
 * the search or the engine is tuned: only the share is read, as the final figure. The set was
 * written before any tuning, as a person would ask who knows the subject and not the wording, and
 * was dealt alternately into the tuning half and this one.
 */
export const keptApartHalf: Half = {
  answerable: [
    asks(
      'What does the vice president do in the Senate?',
      'constitution-congress',
      'shall be President of the Senate',
    ),
    asks(
      'What majority is needed to override a veto?',
      'constitution-congress',
      'two thirds of that House shall agree',
    ),
    asks('Who has the power to declare war?', 'constitution-congress', 'To declare War'),
    asks(
      'How old do you have to be to be president?',
      'constitution-president-and-courts',
      'Age of thirty five Years',
    ),
    asks(
      'For what crimes can a president be removed from office?',
      'constitution-president-and-courts',
      'Treason, Bribery',
    ),
    asks(
      'What does the new president swear?',
      'constitution-president-and-courts',
      'preserve, protect and defend the Constitution',
    ),
    asks(
      'How can the constitution be amended?',
      'constitution-president-and-courts',
      'three fourths of the several States',
    ),
    asks(
      'When do the police need a warrant for a search?',
      'bill-of-rights',
      'unreasonable searches and seizures',
    ),
    asks('Am I allowed to own a gun?', 'bill-of-rights', 'keep and bear Arms'),
    asks('When did slavery end?', 'later-amendments', 'Neither slavery nor involuntary servitude'),
    asks(
      'On which day does the term of the president end?',
      'later-amendments',
      '20th day of January',
    ),
    asks('When did women get the vote?', 'later-amendments', 'on account of sex'),
    asks(
      'Why did the colonies complain about judges?',
      'declaration-of-independence',
      'made Judges dependent on his Will alone',
    ),
    asks(
      'How many years ago was the nation founded, as Lincoln said at Gettysburg?',
      'gettysburg-and-second-inaugural',
      'Four score and seven years ago',
    ),
    asks(
      'Towards whom did Lincoln want no hatred after the war?',
      'gettysburg-and-second-inaugural',
      'With malice toward none',
    ),
    asks(
      'What did Roosevelt ask Congress to declare?',
      'roosevelt-day-of-infamy',
      'a state of war has existed',
    ),
    asks(
      'What is the difference between an isosceles and a scalene triangle?',
      'euclid-elements-book-one',
      'scalene triangle',
    ),
    asks('Why did the hare lose the race?', 'aesop-fables', 'lay down to have a nap'),
    asks(
      'What did the mice want to hang around the cat’s neck?',
      'aesop-fables',
      'a small bell be procured',
    ),
    asks('Why did the farmer kill the goose?', 'aesop-fables', 'all the gold the Goose could give'),
    asks(
      'May a free man be put in prison without a judgment?',
      'magna-carta',
      'lawful judgment of his equals',
    ),
    asks('How many barons watch over the charter?', 'magna-carta', 'twenty-five of their number'),
    asks('How much weight has Watson gained?', 'scandal-in-bohemia', 'seven and a half pounds'),
    asks('What is the name of Alice’s cat?', 'alice-down-the-rabbit-hole', 'Dinah was the cat'),
    asks(
      'Why does Ishmael not travel as a passenger?',
      'moby-dick-loomings',
      'passengers get sea-sick',
    ),
    asks(
      'What did Scrooge do with the sign after Marley died?',
      'christmas-carol',
      'never painted out Old Marley',
    ),
    asks(
      'Which virtue did Franklin add to his list last?',
      'franklin-thirteen-virtues',
      'I added Humility to my list',
    ),
    asks(
      'What happens to the horse that pulls a stone?',
      'newton-laws-of-motion',
      'equally drawn back towards the stone',
    ),
    asks('How far is Mars from the sun?', 'war-of-the-worlds', '140,000,000 miles'),
    asks(
      'Darf jemand zum Wehrdienst gezwungen werden?',
      'grundgesetz-grundrechte',
      'zum Kriegsdienst mit der Waffe',
    ),
  ],
  unanswerable: [
    'How many members does the House of Representatives have?',
    'Who was the first president of the United States?',
    'What is the punishment for treason?',
    'Which amendment allows same-sex marriage?',
    'Who shot Abraham Lincoln?',
    'When did Germany declare war on America?',
    'What is the value of pi?',
    'What happened to the dog that saw its reflection in the water?',
    'How old was King John when he died?',
    'Who stole the photograph of Irene Adler?',
    'What did the caterpillar smoke?',
    'How does Elizabeth answer the proposal of Mr. Darcy?',
    'What is the name of the captain who hunts the white whale?',
    'Who discovered the moons of Mars?',
    'Welche Farben hat die deutsche Flagge?',
  ],
};
