declare global {
  var __zod_globalConfig: { jitless?: boolean } | undefined;
}

// Zod's compiled checks need `new Function`, which the Content-Security-Policy refuses. This is
// where Zod looks for its settings; importing it here would load it with the landing page.
globalThis.__zod_globalConfig = { jitless: true };

export {};
