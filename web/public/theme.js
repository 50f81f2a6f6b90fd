// Runs before the first paint, so that a chosen theme never flashes in the other one.
(() => {
  try {
    const theme = localStorage.getItem('tallyhand-theme');
    if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
  } catch {
    // Without storage the system's theme applies.
  }
})();
