// Runs before the first paint and needs no other file: a chosen theme never flashes in the other one,
// and readers learn when a page can't be loaded.
// Zod's compiled checks need `new Function`, which the Content-Security-Policy refuses.
globalThis.__zod_globalConfig = { jitless: true };

(() => {
  const stored = (name) => {
    try {
      return localStorage.getItem(name);
    } catch {
      // Without storage the system's theme and the browser's languages apply.
      return null;
    }
  };
  const theme = stored('tallyhand-theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;

  // The files of words may be what is missing.
  const WORDS = {
    en: ['The page could not be loaded.', 'Try again'],
    es: ['No se ha podido cargar la página.', 'Intentar de nuevo'],
    fr: ['La page n’a pas pu être chargée.', 'Réessayer'],
    de: ['Die Seite konnte nicht geladen werden.', 'Erneut versuchen'],
    it: ['Non è stato possibile caricare la pagina.', 'Riprova'],
    pt: ['Não foi possível carregar a página.', 'Tentar novamente'],
    ru: ['Не удалось загрузить страницу.', 'Повторить'],
    zh: ['页面无法加载。', '重试'],
    ja: ['ページを読み込めませんでした。', 'もう一度試す'],
    ko: ['페이지를 불러오지 못했습니다.', '다시 시도'],
  };
  const tell = () => {
    const mark = document.querySelector('.arriving');
    if (!mark) return;
    const wanted = [stored('tallyhand-language') ?? '', ...navigator.languages]
      .map((tag) => tag.split('-')[0].toLowerCase())
      .find((language) => language in WORDS);
    const [sentence, again] = WORDS[wanted ?? 'en'];
    document.documentElement.lang = wanted ?? 'en';
    const text = document.createElement('span');
    text.role = 'alert';
    text.textContent = sentence;
    const button = document.createElement('button');
    button.textContent = again;
    button.addEventListener('click', () => location.reload());
    mark.replaceChildren(mark.firstElementChild, text, button);
    if (!isWaiting) void reloadAfterOutage();
    isWaiting = true;
  };
  let isWaiting = false;
  // Where the server answers at once the fault is another, which would only come again.
  const reloadAfterOutage = async () => {
    for (let isOut = false; ; isOut = true) {
      const status = fetch('/api/status', { cache: 'no-store' });
      if (await status.then(({ ok }) => ok).catch(() => false)) {
        if (isOut) location.reload();
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, 2_000 + 2_000 * Math.random()));
    }
  };
  const whenRead = () => {
    if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', tell);
    else tell();
  };
  // A script that fails to load fires its event on itself only.
  addEventListener('error', ({ target }) => target instanceof HTMLLinkElement || whenRead(), true);
  addEventListener('unhandledrejection', whenRead);
})();
