import { asks, type Half } from './set.ts';
import { supportSet } from './support-set.ts';

/** Questions over the support texts in another language than the text that answers them. */
export const otherLanguages: Half = {
  answerable: [
    asks('一度に何人まで招待できますか？', 'accounts-and-teams', 'up to fifty addresses'),
    asks('Pourquoi ma connexion est-elle bloquée ?', 'accounts-and-teams', 'locked for 15 minutes'),
    asks('我的手机和恢复代码都丢了怎么办？', 'accounts-and-teams', 'reset the second factor'),
    asks('Wie viel kostet der Business-Tarif?', 'plans-and-invoices', 'Business 19 euros'),
    asks(
      '¿Puedo recuperar mi dinero si termino el plan anual?',
      'plans-and-invoices',
      'within 30 days of the first payment',
    ),
    asks('Что будет, если оплата картой не пройдёт?', 'plans-and-invoices', 'becomes read-only'),
    asks(
      'Onde encontro as minhas faturas?',
      'plans-and-invoices',
      'listed under Settings, Billing',
    ),
    asks(
      'バックアップはどのくらいの頻度で取られますか？',
      'data-and-security',
      'Copies are made every hour',
    ),
    asks('Dans quel pays se trouvent vos serveurs ?', 'data-and-security', 'Frankfurt and Dublin'),
    asks(
      '¿Cuántas solicitudes por minuto puedo hacer?',
      'data-and-security',
      '120 requests a minute',
    ),
    asks(
      'Posso recuperare ciò che ho eliminato per sbaglio?',
      'data-and-security',
      'goes to the bin',
    ),
    asks('駐車場はありますか？', 'visiting-the-clinic', 'car park behind the building'),
    asks(
      'Darf ich vor der Blutabnahme frühstücken?',
      'visiting-the-clinic',
      'do not eat for eight hours',
    ),
    asks('검사 결과는 언제 나오나요?', 'visiting-the-clinic', 'ready after two days'),
    asks(
      'Wat kost het als ik niet op mijn afspraak kom?',
      'visiting-the-clinic',
      'we charge 25 euros',
    ),
    asks('How do I end my electricity contract?', 'stromlieferung', 'Mindestlaufzeit'),
    asks('Can I bring my dog to the hotel?', 'sejour-a-l-hotel', 'moins de dix kilos'),
    asks('Bis wann kann ich das Zimmer stornieren?', 'sejour-a-l-hotel', 'quarante-huit heures'),
    asks('Can I pause my deliveries?', 'teiki-bin', '休止できます'),
    asks('How long is the warranty of my phone?', 'shouji-weixiu', '保修一年'),
    asks('How many books can I borrow?', 'doseogwan', '다섯 권'),
    asks('Can I send a pet by courier?', 'sluzhba-dostavki', 'живых животных'),
    asks('On which days is yoga?', 'gimnasio', 'martes y jueves'),
    asks('How long may I send something back?', 'webwinkel', 'dertig dagen bedenktijd'),
  ],
  unanswerable: supportSet.unanswerable,
};

/** Questions in the language of the text, without the words that it uses for the subject. */
export const otherWords: Half = {
  answerable: [
    asks('My colleague quits. What now?', 'accounts-and-teams', 'deactivate the account'),
    asks('What do universities get?', 'plans-and-invoices', 'charities pay half'),
    asks('How do I undo a removal?', 'data-and-security', 'goes to the bin'),
    asks('I discovered a hole in your software', 'data-and-security', 'security@example.com'),
    asks('Is there an elevator for a wheelchair?', 'visiting-the-clinic', 'has a ramp'),
    asks('May I bring tulips for my wife?', 'visiting-the-clinic', 'Flowers in pots'),
    asks('Bei uns brennt kein Licht mehr', 'stromlieferung', 'Störungsstelle'),
    asks('Ich wechsle die Wohnung', 'stromlieferung', 'spätestens vier Wochen vorher'),
    asks('Où brancher ma Tesla ?', 'sejour-a-l-hotel', 'bornes'),
    asks('Perdí mi mochila', 'gimnasio', 'objetos olvidados'),
    asks('Mijn stofzuiger is na twee jaar stuk', 'webwinkel', 'drie jaar garantie'),
    asks('Мне привезли сломанный чайник', 'sluzhba-dostavki', 'составьте вместе с ним акт'),
    asks('割れたお皿が届きました', 'teiki-bin', '傷や欠け'),
    asks('我的手机泡水了', 'shouji-weixiu', '进水和摔坏'),
    asks('도시락은 어디에서 먹나요?', 'doseogwan', '휴게실'),
  ],
  unanswerable: supportSet.unanswerable,
};
