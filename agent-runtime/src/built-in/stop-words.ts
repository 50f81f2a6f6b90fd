export type Language = 'en' | 'de' | 'fr' | 'es' | 'it' | 'pt' | 'nl' | 'ru';

const words = (list: string): Set<string> => new Set(list.split(/\s+/).filter(Boolean));

/**
 * Words that carry no subject, lower case and without accents, with the usual words of asking and
 * requesting.
 */
export const stopWords: Record<Language, Set<string>> = {
  en: words(`
    a about above after again all also always am an and any anybody anyone anything are aren as at
    back be because been before being below between both but by came can cannot come could couldn
    d did didn do does doesn doing don done down during each either else ever every for from
    further get gets getting give go goes going got had has hasn have haven having he her here
    hers hi hello him his how i if in into is isn it its itself just know let like ll m make many
    may me might more most much must my need neither no nor not now of off ok on once only or
    other our ours out over own per please possible quite re really s same say see shall she
    should shouldn so some somebody someone something still such t take tell than thank thanks
    that the their theirs them then there these they thing things this those through to too under
    until up upon us use ve very want was wasn way we were weren what when where whether which
    while who whom whose why will with within without won would wouldn yes yet you your yours
    answer ask asked describe explain find help list mean question show summarise summarize write
    happen happens happened happening considered allowed long soon far often high quickly fast
    actually exactly
    another away become becomes became becoming besides according need needed needs neither manage
    managed whether against since myself yourself himself herself themselves times took taken
    taking gave given said told came went gone
  `),
  de: words(`
    aber alle allem allen aller alles als also am an ander andere anderen auch auf aus bei beim
    bin bis bist bitte da dabei dafur damit dann darf darum das dass davon dein deine dem den denn
    der deren des dessen dich die dies diese diesem diesen dieser dieses dir doch dort du durch
    durfen ein eine einem einen einer eines er es etwas euch euer eure fur gegen gibt hab habe
    haben hallo hat hatte hatten hier ich ihm ihn ihnen ihr ihre ihrem ihren im in ins ist ja jede
    jedem jeden jeder jedes jetzt kann kannst kein keine konnen konnte lange machen man mehr mein
    meine meinem meinen meiner mich mir mit mochte muss mussen nach nicht nichts noch nun nur ob
    oder ohne sagen schon sehr sein seine sich sie sind so soll sollte sonst uber um und uns unser
    unsere unter viel viele vom von vor wann war waren warum was weil welche welchem welchen
    welcher welches wem wen wenn wer werde werden wie wieder wieviel will wir wird wo wohin wozu
    wurde wurden zu zum zur zwischen erklaren erklare hoch hilfe frage danke
  `),
  fr: words(`
    a ai ainsi alors apres au aucun aussi autre autres aux avant avec avez avoir avons bonjour c
    ca car ce ceci cela celle celui ces cet cette chaque chez comme comment combien d dans de des
    depuis dois doit donc du elle elles en encore est et etaient etait etes etre eu faire fait
    faut ici il ils j je l la le les leur leurs lui m ma mais me merci meme mes moi mon n ne ni
    nos notre nous on ont ou par parce pas pendant peu peut peuvent peux plus pour pourquoi pouvez
    puis puisje qu quand que quel quelle quelles quels qui quoi s sa sans se ses si sont son sous
    sur t ta te tes toi ton tous tout toute toutes tres tu un une veux voici voila vos votre vous
    y expliquer temps longtemps aide question svp sil plait
  `),
  es: words(`
    a al algo alguna alguno ante antes aqui asi aun aunque bajo bien cada como con contra cual
    cuales cuando cuanta cuantas cuanto cuantos de debe debo del desde donde dos durante e el ella
    ellas ellos en entre era es esa ese eso esta estaba estan estar este esto estos favor fue ha
    hace hacer hacia han hasta hay he hola la las le les lo los mas me mi mis mucho muy nada ni no
    nos nosotros nuestra nuestro o os otra otro para pero poco por porque pregunta puede pueden
    puedo pues que quien quienes quiero se sea ser si sin sobre solo son soy su sus tal tambien
    tan tanto te tengo tiempo tiene tienen todo todos tu tus un una uno unos usted y ya yo gracias
    ayuda explicar
  `),
  it: words(`
    a ad agli ai al alla alle allo anche ancora avere bene c che chi ci ciao cio come con contro
    cosa cui d da dagli dai dal dalla dalle dei del della delle dello deve devo di dopo dove due e
    ed era erano essere fa fare fra gli ha hai hanno ho i il in io l la le lei li lo loro lui ma
    me mentre mi mia mie miei mio molto ne negli nei nel nella nelle no noi non nostra nostro o
    ogni ora per perche piu poi posso potete prima puo qual quale quali quando quanta quante
    quanti quanto quella quelle quelli quello questa queste questi questo qui se sei si sia siamo
    siete solo sono sopra sotto su sua sue sugli sul sulla suo suoi tempo tra tu tua tuo tutti
    tutto un una uno vi voi vostra vostro voglio grazie favore aiuto domanda spiegare
  `),
  pt: words(`
    a ao aos aquela aquele aqui as ate bem cada com como contra da das de dela dele deles depois
    desde deve devo do dos e ela elas ele eles em entre era essa esse esta estao estar estas este
    estes estou eu faz fazer favor foi ha isso isto ja la lhe mais mas me mesmo meu meus minha
    muito na nao nas nem no nos nossa nosso num numa o obrigado ola onde os ou outra outro para
    pela pelo pelos per pode podem posso por porque pouco qual quais quando quanta quantas quanto
    quantos que quem quero se seja sem ser seu seus si so sobre sua suas tal tambem te tem tempo
    tenho ter teu toda todas todo todos tu tua um uma umas uns voce voces ajuda pergunta explicar
  `),
  nl: words(`
    aan al alle alleen als ander andere anders ben bij bent daar dan dat de der deze die dit doch
    doen door dus een eens en er ge geen geweest graag haar had hallo hebben heb hebt heeft hem het
    hier hij hoe hoeveel hoelang hun iemand iets ik in is ja je jij jou jouw jullie kan kon kunnen
    kunt lang maar me meer men met mij mijn moet moeten mag mogen na naar nee niet niets nog nu of
    om omdat ons onze ook op over reeds te tegen toch toen tot u uit uw van vaak veel voor vraag
    waar waarom wanneer want waren was wat we welk welke werd wezen wie wij wil willen word worden
    wordt zal ze zei zelf zich zij zijn zo zonder zou uitleggen hulp bedankt alstublieft
  `),
  ru: words(`
    а без более бы был была были было быть в вам вас ваш ваша ваши весь во вот все всего всех вы
    где да даже для до долго его ее если есть еще же за здесь и из или им их к как какая какие
    какой каков когда кто куда ли либо лучше меня мне много могу может можем можно мой мою моя мы
    на над надо нам нас наш не него нее нельзя нет ни них но ну нужно о об один он она они оно от
    очень по под пожалуиста после потому почему при про раз с сам свои себя скажите сколько со
    спасибо так также такои там те тем то тогда того тоже тои только том ты у уже хочу чего чеи
    чем что чтобы чья эта эти это этого этои этом этот я время объясните помощь вопрос
    здравствуите
  `),
};

/** The language whose small words stand most often among the words given; null when none does. */
export function languageOf(foldedWords: string[]): Language | null {
  let best: Language | null = null;
  let most = 0;
  for (const [language, list] of Object.entries(stopWords) as [Language, Set<string>][]) {
    const count = foldedWords.filter((word) => list.has(word)).length;
    if (count > most) {
      best = language;
      most = count;
    }
  }
  return best;
}
