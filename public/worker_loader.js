// Starts the worker's module. A file of its own because of two things that trunk's loader does not do:
// - the module's download starts at once, beside that of the script that will run it;
// - messages that come before the module runs are kept: without a listener the browser drops them.
(() => {
  "use strict";
  // "?v=<hash>" in a release build: the script and the module of one build belong together.
  const version = self.location.search;
  const module = fetch("./worker_bg.wasm" + version).then((response) => {
    if (!response.ok) throw new Error(`${response.url} could not be loaded (${response.status})`);
    return response;
  });

  const early = [];
  const keep = (event) => early.push(event);
  self.addEventListener("message", keep);

  importScripts("./worker.js" + version);
  wasm_bindgen({ module_or_path: module }).then(
    () => {
      // `main` has set its listener by now, and no message can come between it and these.
      self.removeEventListener("message", keep);
      for (const { data, ports } of early) {
        self.dispatchEvent(new MessageEvent("message", { data, ports }));
      }
    },
    // Out of the promise, so that the page's Worker object gets an `error` event.
    (error) => setTimeout(() => { throw error; }),
  );
})();
