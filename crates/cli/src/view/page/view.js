// The view of a running link or lab: pictures come as server-sent events, and the policy is changed
// by a POST. The token stands behind the # of the address, which browsers send to nobody.
"use strict";
(() => {
  const { $, colour, element, digits, count, bytes, announce, tell, row, nothing, Lines, Plot } = pages;
  const KEPT = 300; // pictures: a minute
  const MOST_DEVICES = 32; // of which pictures tell
  const token = location.hash.slice(1);
  const ask = (path, more = {}) =>
    fetch(path, { ...more, headers: { Authorization: `Bearer ${token}`, ...more.headers } });

  let about = null; // what is known from the beginning
  let shown = 0; // the device that is shown
  let pictures = []; // those of the last minute
  let paused = false;
  let described = null; // the policy in the form
  let known = 0; // how many changes were seen

  // ---- plots ----

  function portName(port) {
    const to = about.devices[shown]?.ports?.[port];
    return to ? `to ${to}` : `port ${port + 1}`;
  }

  function queueName({ port, class: number }, hasClasses) {
    return hasClasses ? `${portName(port)}, class ${number}` : portName(port);
  }

  // Where the policy was changed.
  function drawChanges(plot) {
    const { left, top, width, height } = plot.bbox;
    const context = plot.ctx;
    context.save();
    context.strokeStyle = colour("--ink");
    context.setLineDash([2, 3]);
    for (const { at } of pictures.at(-1)?.changes ?? []) {
      const x = plot.valToPos(at, "x", true);
      if (x < left || x > left + width) continue;
      context.beginPath();
      context.moveTo(x, top);
      context.lineTo(x, top + height);
      context.stroke();
    }
    context.restore();
  }

  const plots = {
    queues: new Plot("queues", bytes, drawChanges),
    rates: new Plot("rates", digits, drawChanges),
    waits: new Plot("waits", digits, drawChanges),
    late: new Plot("late", digits, drawChanges),
  };

  function draw() {
    const times = pictures.map((picture) => picture.t);
    const [queues, rates, waits, late] = [new Lines(), new Lines(), new Lines(), new Lines()];
    const quantile = $("quantile").value;
    const all = pictures.flatMap((picture) => picture.devices[shown]?.queues ?? []);
    const hasClasses = new Set(all.map((queue) => queue.class)).size > 1;
    pictures.forEach((picture, at) => {
      const device = picture.devices[shown];
      if (!device) return;
      for (const gauge of device.gauges) {
        const where =
          gauge.port != null
            ? queueName(gauge, gauge.class != null)
            : gauge.pool != null && device.gauges.some((other) => other.pool > 0)
              ? `memory ${gauge.pool + 1}`
              : gauge.threshold || device.gauges.some((other) => other.pool == null && other.port == null)
                ? gauge.name
                : "whole memory";
        const name = gauge.port == null ? where : gauge.threshold ? `${gauge.name}, ${where}` : where;
        queues.put(name, at, gauge.bytes, gauge.threshold, gauge.port == null && gauge.threshold ? "" : where);
      }
      for (const queue of device.queues) {
        const name = queueName(queue, hasClasses);
        rates.put(name, at, queue.bps / 1e6);
        waits.put(name, at, queue[quantile] / 1e3);
      }
      if (picture.late.frames > 0) {
        late.put("50 of 100", at, picture.late.p50_us);
        late.put("99 of 100", at, picture.late.p99_us);
        late.put("all", at, picture.late.max_us);
      }
    });
    // Where nothing was sent, nothing was sent a second.
    for (const line of rates.all.values()) {
      for (let at = 0; at < times.length; at += 1) line.values[at] ??= 0;
    }
    plots.queues.draw(times, queues.list());
    plots.rates.draw(times, rates.list());
    plots.waits.draw(times, waits.list());
    plots.late.draw(times, late.list());
  }

  // ---- tables ----

  function now(picture) {
    const lost = picture.devices.flatMap((device) => device.lost).concat(picture.lost_elsewhere);
    const frames = lost.reduce((sum, { frames }) => sum + frames, 0);
    const pairs = [
      ["time", `${picture.t.toFixed(1)} s`],
      ["passes", `${digits(picture.left_bps / 1e6)} Mb/s`],
      ["inside", `${count(picture.held)} frames`],
      ["lost so far", `${count(frames)} frames`],
      ["our timing", picture.real_time ? "real-time priority" : "no real-time priority"],
    ];
    tell(pairs);
  }

  function tables(picture) {
    const flows = picture.flows.map((flow) =>
      row(flow.flow, [
        digits(flow.bps / 1e6),
        count(flow.lost),
        digits(flow.mean_us / 1e3),
        digits(flow.max_us / 1e3),
      ]),
    );
    $("flows").replaceChildren(...(flows.length ? flows : [nothing("nothing passes", 5)]));
    const before = pictures.at(-6) ?? pictures[0];
    const places = (of) => [
      ...of.devices.map(({ name, lost }) => [name, lost]),
      [about.elsewhere, of.lost_elsewhere],
    ];
    const then = new Map(places(before).map(([name, lost]) => [name, lost]));
    const lost = places(picture).flatMap(([name, causes]) =>
      causes.map(({ cause, frames }) => {
        const earlier = then.get(name)?.find((other) => other.cause === cause)?.frames ?? 0;
        const span = picture.t - before.t;
        return row(name, [cause, count(frames), span > 0 ? digits((frames - earlier) / span) : "–"]);
      }),
    );
    $("lost").replaceChildren(...(lost.length ? lost : [nothing("no frame was lost", 4)]));
  }

  function changes(picture) {
    if (picture.changes.length === known) return;
    known = picture.changes.length;
    const said = ({ at, devices, set }) => {
      const names = devices.map((number) => about.devices[number]?.name ?? number).join(", ");
      return element("li", `${at.toFixed(2)} s, ${names}: ${set.map((pair) => pair.join("=")).join(" ")}`);
    };
    $("changes").replaceChildren(...picture.changes.map(said));
  }

  function see(picture) {
    pictures.push(picture);
    if (pictures.length > KEPT) pictures.shift();
    if (paused || document.hidden) return;
    now(picture);
    tables(picture);
    changes(picture);
    draw();
  }

  // ---- events ----

  async function listen() {
    for (;;) {
      try {
        const response = await ask("/events");
        if (response.status === 401) return announce("the token is wrong: open the printed address", "ended");
        if (!response.ok) throw new Error((await response.json()).error);
        const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
        let rest = "";
        for (;;) {
          const { value, done } = await reader.read();
          if (done) break;
          announce(paused ? "paused" : "live", paused ? "" : "live");
          const events = (rest + value).split("\n\n");
          rest = events.pop();
          for (const event of events) see(JSON.parse(event.slice("data: ".length)));
        }
        announce("it has ended, or is not reached", "ended");
      } catch (error) {
        announce(`not reached: ${error.message}`, "ended");
      }
      await new Promise((resolve) => setTimeout(resolve, 1000));
    }
  }

  // ---- the policy ----

  function say(text, kind = "") {
    $("said").textContent = text;
    $("said").className = kind;
  }

  async function describe(name) {
    const query = name ? `&switch=${encodeURIComponent(name)}` : "";
    const response = await ask(`/policy?device=${shown}${query}`);
    const answer = await response.json();
    if (!response.ok) return say(answer.error, "bad");
    described = answer;
    $("switch").value = answer.switch;
    $("about").textContent = about.policies.find((one) => one.name === answer.switch)?.about ?? "";
    $("of").textContent = `of ${about.devices[shown].name}`;
    const fields = answer.parameters.map(({ key, value, about: meaning }) => {
      const label = element("label");
      const input = element("input", "", { name: key, value, autocomplete: "off", spellcheck: "false" });
      input.addEventListener("input", () => input.classList.toggle("edited", input.value !== value));
      const help = element("small", meaning, { id: `about-${key}` });
      input.setAttribute("aria-describedby", help.id);
      label.append(element("span", key), input, help);
      return label;
    });
    $("parameters").replaceChildren(...fields);
  }

  async function apply(event) {
    event.preventDefault();
    const set = [];
    if (described.is_other) set.push(["switch", described.switch]);
    for (const { key, value } of described.parameters) {
      const input = $("policy").elements.namedItem(key);
      if (input.value !== value) set.push([key, input.value]);
    }
    if (set.length === 0) return say("nothing was edited");
    const devices = $("all").checked ? about.changeable : [shown];
    const body = JSON.stringify({ devices, set });
    const response = await ask("/policy", { method: "POST", body, headers: { "Content-Type": "application/json" } });
    const answer = await response.json();
    if (!response.ok) return say(answer.error, "bad");
    await describe();
    say(`decides from ${answer.at.toFixed(2)} s on`, "good");
  }

  function show(number) {
    shown = number;
    say("");
    const changeable = about.changeable.includes(number);
    $("policy").hidden = !changeable;
    if (changeable) describe();
    if (pictures.length) draw();
  }

  async function begin() {
    if (!token) return announce("open the address that the program printed, with its token", "ended");
    const response = await ask("/about");
    const answer = await response.json();
    if (!response.ok) return announce(answer.error, "ended");
    about = answer;
    document.title = `${about.name} – Forebay`;
    $("title").textContent = about.name;
    $("all-name").textContent = about.all;
    const options = about.devices.slice(0, MOST_DEVICES).map(({ name }, number) => element("option", name, { value: number }));
    $("device").replaceChildren(...options);
    $("switch").replaceChildren(...about.policies.map(({ name }) => element("option", name, { value: name })));
    $("device").addEventListener("change", () => show(Number($("device").value)));
    $("switch").addEventListener("change", () => describe($("switch").value));
    $("reset").addEventListener("click", () => describe().then(() => say("")));
    $("policy").addEventListener("submit", apply);
    $("quantile").addEventListener("change", draw);
    $("pause").addEventListener("click", () => {
      paused = !paused;
      $("pause").setAttribute("aria-pressed", paused);
    });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
      for (const plot of Object.values(plots)) plot.shape = "";
      if (pictures.length) draw();
    });
    show(0);
    await listen();
  }

  begin().catch((error) => announce(`not reached: ${error.message}`, "ended"));
})();
