import { irregularFormsOf, stem } from './stem.ts';

/**
 * Everyday words that ask for one another, a group on each line; a word may stand in several.
 * They find a passage, but weigh less than the word itself.
 */
const groups = `
  cost price fee charge pay payment euro dollar expense expenditure
  ship deliver delivery send dispatch post shipment
  buy purchase order acquire
  phone telephone call
  mail email
  refund money reimburse repay
  repair fix mend
  cancel terminate annul revoke repeal abolish
  begin start commence
  end finish conclude expire cease
  rent hire rental lease let
  job vacancy career employment occupation profession
  voucher coupon
  student apprentice pupil
  age aged old older
  salary wage compensation pay earnings emolument remuneration income earn
  wealth fortune rich money riches
  gift present donation
  alcohol liquor beer wine spirits drink
  forbid ban prohibit outlaw bar disallow
  allow permit authorise authorize entitle licence license
  promise pledge vow guarantee swear oath
  gun weapon firearm arms rifle
  house home residence dwelling accommodate lodge apartment flat
  stairs steps staircase
  vote ballot suffrage elect election poll
  prison jail imprison imprisonment detain gaol
  crime offence offense felony misdemeanor
  car vehicle automobile
  doctor physician
  child kid infant baby
  police officer constable sheriff
  judge justice magistrate
  court tribunal
  lawyer attorney counsel solicitor barrister
  trial prosecution try tried
  penalty punishment fine sanction punish
  war battle hostilities warfare fight combat conflict
  army troops soldiers military forces
  navy fleet naval
  enemy opponent foe adversary
  win victory triumph conquer defeat
  peace truce
  king monarch sovereign crown emperor
  country nation state realm kingdom
  president chief head
  law statute act legislation bill
  rule regulation
  right entitlement liberty freedom
  free liberty freedom
  equal equality same
  slave slavery bondage servitude enslave bondsman
  religion faith belief church creed
  god lord almighty creator
  wife spouse husband marry marriage wedding wedlock married
  woman women female lady
  man men male
  sex gender
  death die dead dying decease
  birth born
  kill murder slay
  ill sick disease illness
  eat food meal feed hungry hunger
  thirst thirsty drink
  sleep nap asleep rest
  speak say talk tell speech
  ask request demand inquire petition
  answer reply respond response
  find discover detect
  search look seek inspect
  see observe notice watch
  know knowledge
  think believe opinion
  teach education school instruct
  learn study
  choose select elect appoint pick
  name title called
  big large great huge
  small little tiny
  quick fast rapid swift speed
  slow slowly slowest
  many number several
  part share portion fraction
  whole entire total
  increase grow raise growth
  decrease reduce diminish lessen lower
  change alter modify amend amendment alteration
  remove delete removal dismiss
  add insert attach append
  make create produce manufacture
  break damage broken harm injure injury
  protect safeguard defend protection defence defense
  prevent avoid stop
  help assist support aid assistance
  use employ apply
  need require necessary must
  want wish desire
  get receive obtain
  keep hold retain
  give grant provide
  take seize remove
  lose loss lost
  steal theft rob
  lie liar false deceive deceit deception untruth
  true truth genuine
  anger angry furious
  fear afraid
  happy happiness glad pleased
  sad unhappy
  proud pride
  greed greedy covetous
  near close nearby
  far distant distance
  travel journey trip voyage
  sea ocean marine
  boat vessel ship
  earth world globe
  planet world
  animal beast creature
  bird fowl
  farmer countryman peasant husbandman
  town city village borough
  road street way path
  room chamber office
  door entrance gate
  shop store outlet
  company firm business enterprise
  customer client buyer
  worker employee staff labourer
  boss manager employer
  owner proprietor
  member participant
  tax duty levy impost taxation
  debt owe loan credit
  contract agreement treaty
  date day
  deadline period limit
  year annual yearly annually
  month monthly
  week weekly
  valid effective effect ratify force
  complaint complain grievance
  return send back
  cover include comprise contain
  explain reason why cause
  tool instrument implement device
  error fault mistake bug
  computer laptop machine
  password passphrase credential
  login signin account
  holiday vacation leave
  meeting conference assembly assemble
  bottle flask
  bag sack
  clothes clothing garment
  illegal unlawful
  legal lawful
  government authority state
  independence independent
  attack assault invade invasion offensive
  spy spies agent
  weight weigh heavy pounds
  high height tall
  long length
  define definition meaning
  kind type sort class classes category
  origin source beginning
  friend companion
  succeed success
  fail failure
  veto reject objection refuse refusal
  public open
  private personal
  citizen national
  foreign foreigner alien abroad
  accuse charge indict
  evidence proof witness testimony
  guilty convicted convict
  property possession estate goods belongings
  land territory soil
  heir inherit inheritance
  widow widowed
  testify witness testimony statement
  stay remain reside live dwell
  belong own property reserve
  approve consent agree agreement ratify accept appropriation appropriate
  overthrow abolish topple
  freeze cold chill coal fire
  cold freeze temperature winter
  hot warm heat summer temperature
  torture cruel cruelty
  cruel brutal barbarous
  burn burnt fire
  destroy ruin wreck devastate demolish
  refute disprove contradict
  hard difficult trouble difficulty hardest
  easy simple
  tax revenue contribution levy duties
  demand claim insist
  bird crow raven eagle goose hen duck
  insect ant bee grasshopper fly
  pet dog cat
  dog hound
  mouse mice rat
  horse pony mare
  fish whale salmon
  fruit grape apple cherry
  bread corn grain wheat
  tree wood forest
  flower plant garden
  stone rock pebble
  metal gold silver iron copper
  river stream brook water
  hill mountain
  island isle
  north south east west
  morning dawn
  evening night dusk
  today yesterday tomorrow
  summer winter spring autumn
  mother father parent
  brother sister sibling
  son daughter child
  uncle aunt nephew niece
  family relative household
  lover love affection beloved
  marry wed bride groom
  bachelor single unmarried
  servant maid clerk attendant
  teacher professor tutor
  writer author poet
  sailor seaman mariner
  soldier troop warrior
  general commander captain leader
  command lead order
  priest clergyman pastor minister
  merchant trader dealer
  trade commerce business
  thief robber
  poor poverty destitute
  help rescue save
  escape flee
  hide conceal secret
  hit strike beat
  run race
  jump leap
  climb ascend
  fall drop fell sink
  throw cast
  pull draw drag
  push press
  cut gnaw chop
  open unlock
  close shut
  build construct erect
  wear dress
  wash clean cleanliness
  read book
  write inscribe print letter
  paint draw picture
  sing song
  laugh chuckle
  cry weep shout
  look glance
  hear listen
  smell odor
  taste flavour flavor
  touch feel
  remember recall
  forget
  decide resolve determine
  plan scheme project intend
  try attempt
  measure standard dimension width
  wide width broad
  tall height inches feet
  deep depth
  speed velocity
  begin origin beginning
  aim goal purpose object
  result outcome consequence
  danger peril hazard risk
  safe safety secure security
  strong strength powerful
  weak feeble
  wise wisdom clever
  stupid silly foolish ignorant
  brave courage
  beautiful lovely handsome
  ugly hideous
  rude insolent
  polite courteous
  new modern recent
  ancient old
  same identical
  different difference distinct
  important vital essential
  rare unusual seldom
  common usual frequent
  move motion movement
  force power strength
  turn rotate revolve
  body object
  sum total amount
  minimum least
  maximum most
  half hemisphere semicircle
  side edge
  center centre middle
  demonstrate prove
  demonstration assembly protest
  gather assemble meet
  inhabitant resident population people
  founder found
  leader ruler chief
  rule govern reign
  colony settlement
  freedom liberty
  speech press expression
  arrest seize detain apprehend
  search seizure
  permission consent authorization
  vote suffrage franchise
  candidate nominee
  resign resignation
  vacancy vacant
  successor succeed
  hear trial
  jury juror
  sue suit lawsuit
  bail bond
  lawyer counsel assistance
  cloth clothes garment fabric
  drunk temperance
  humble humility modest
  honest sincere sincerity
  lazy idle
  busy industry
`;

const related = new Map<string, Set<string>>();
for (const line of groups.trim().split('\n')) {
  const words = line.trim().split(' ');
  for (const word of words) {
    const own = stem(word, 'en');
    related.set(own, new Set([...(related.get(own) ?? []), ...words]));
  }
}
const relatedStems = new Map(
  [...related].map(([own, words]) => [own, new Set([...words].map((word) => stem(word, 'en')))]),
);

/** Whether two English stems are everyday words for the same. */
export const areRelated = (one: string, other: string): boolean =>
  relatedStems.get(one)?.has(other) ?? false;

/** Other English words that stand for a word: its irregular forms, and everyday words for it. */
export function formsOf(word: string): string[] {
  const own = stem(word, 'en');
  const all = new Set([...irregularFormsOf(own), ...(related.get(own) ?? [])]);
  all.delete(word);
  return [...all];
}
