// What a caching proxy does: its state is asked for once a second, and what happened between two
// answers is drawn. Nothing can be changed from here.
"use strict";
(() => {
  const { $, digits, count, bytes, announce, tell, row, nothing, Lines, Plot } = pages;
  const KEPT = 300; // states: five minutes
  const BACK = 10; // of the last so many the other caches' waits are means
  const PERIOD = 1000;
  const NAMES = {
    hit: "hits",
    delayed_hit: "delayed hits",
    miss: "misses",
    stale: "served stale",
    renewed: "renewals",
    pass: "not cacheable",
    error: "errors",
  };
  const CACHED = ["hit", "delayed_hit", "miss", "stale", "renewed"];

  let states = [];
  let paused = false;

  const plots = {
    requests: new Plot("requests", digits),
    waits: new Plot("waits", digits),
    whatIf: new Plot("what-if", digits),
  };

  const outcome = (state, name) => state.outcomes.find((one) => one.name === name) ?? { count: 0, seconds: 0 };

  // What was counted between two states, of an outcome or of several.
  function between(before, now, names) {
    const sum = (state, key) => names.reduce((sum, name) => sum + outcome(state, name)[key], 0);
    return {
      count: sum(now, "count") - sum(before, "count"),
      seconds: sum(now, "seconds") - sum(before, "seconds"),
    };
  }

  // The span, in seconds, that a part of the requests between two states took at most.
  function quantile(before, now, part) {
    const then = new Map(before.spans);
    const counts = now.spans.map(([end, count]) => [end, count - (then.get(end) ?? 0)]);
    const all = counts.reduce((sum, [, count]) => sum + count, 0);
    let below = 0;
    for (const [end, count] of counts) {
      below += count;
      if (below > 0 && below >= part * all) return end;
    }
    return null;
  }

  const cacheName = ({ policy, bytes: size }) => `${policy}, ${bytes(size)}`;
  const mean = ({ waited, requests }) => (requests > 0 ? (waited / requests) * 1e3 : null);

  function draw() {
    const times = states.slice(1).map((state) => state.seconds);
    const [requests, waits, whatIf] = [new Lines(), new Lines(), new Lines()];
    states.slice(1).forEach((now, at) => {
      const before = states[at];
      const span = now.seconds - before.seconds;
      for (const [name, label] of Object.entries(NAMES)) {
        if (outcome(now, name).count === 0) continue;
        requests.put(label, at, between(before, now, [name]).count / span);
      }
      const all = between(before, now, CACHED);
      if (all.count > 0) {
        waits.put("mean", at, (all.seconds / all.count) * 1e3);
        waits.put("half of them", at, quantile(before, now, 0.5) * 1e3);
        waits.put("99 of 100", at, quantile(before, now, 0.99) * 1e3);
      }
      const then = states[Math.max(0, at + 1 - BACK)];
      now.what_if.forEach((cache, number) => {
        const { requests: asked, waited } = then.what_if[number];
        const part = mean({ waited: cache.waited - waited, requests: cache.requests - asked });
        if (part != null) whatIf.put(cacheName(cache), at, part);
      });
    });
    plots.requests.draw(times, requests.list());
    plots.waits.draw(times, waits.list());
    plots.whatIf.draw(times, whatIf.list());
  }

  const share = (part, all) => (all > 0 ? `${digits((100 * part) / all)} %` : "–");

  function now(state) {
    const all = CACHED.reduce((sum, name) => sum + outcome(state, name).count, 0);
    const of = (names) => share(names.reduce((sum, name) => sum + outcome(state, name).count, 0), all);
    const pairs = [
      ["policy", `${state.policy}, ${bytes(state.capacity)}`],
      ["runs for", `${count(state.seconds)} s`],
      ["hits", of(["hit", "stale"])],
      ["delayed hits", of(["delayed_hit"])],
      ["misses", of(["miss", "renewed"])],
      ["cached", `${count(state.cache.objects)} answers, ${bytes(state.cache.bytes)}`],
      ["fetches under way", count(state.cache.flights)],
      ["who wait for them", count(state.cache.waiting)],
      ["connections", count(state.connections)],
    ];
    tell(pairs);
    $("sample").textContent = share(state.sample, 1);
  }

  function tables(state) {
    const caches = state.what_if.map((cache) => {
      const { requests, hits, delayed_hits: delayed } = cache;
      const parts = [hits, delayed, requests - hits - delayed].map((part) => share(part, requests));
      return row(cache.policy, [bytes(cache.bytes), ...parts, digits(mean(cache))]);
    });
    $("caches").replaceChildren(...caches);
    const waited = ["delayed_hit", "miss", "renewed"];
    const all = waited.reduce((sum, name) => sum + outcome(state, name).seconds, 0);
    const objects = state.objects.map(({ url, waited }) =>
      row(url, [waited.toFixed(3), all > 0 ? digits((100 * waited) / all) : "–"]),
    );
    $("objects").replaceChildren(...(objects.length ? objects : [nothing("nobody has waited", 3)]));
  }

  function see(state) {
    // A proxy that was started again counts from the beginning.
    if (states.length && state.seconds < states.at(-1).seconds) states = [];
    states.push(state);
    if (states.length > KEPT) states.shift();
    if (paused || document.hidden) return;
    now(state);
    tables(state);
    draw();
  }

  async function look() {
    for (;;) {
      try {
        const response = await fetch("/state");
        if (!response.ok) throw new Error(await response.text());
        see(await response.json());
        announce(paused ? "paused" : "live", paused ? "" : "live");
      } catch (error) {
        announce(`it has ended, or is not reached: ${error.message}`, "ended");
      }
      await new Promise((resolve) => setTimeout(resolve, PERIOD));
    }
  }

  $("pause").addEventListener("click", () => {
    paused = !paused;
    $("pause").setAttribute("aria-pressed", paused);
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    for (const plot of Object.values(plots)) plot.shape = "";
    if (states.length) draw();
  });
  look();
})();
