(() => {
  const NARROWING = ["candidate", "stratum", "verdict"];
  const set = (reading) => {
    const bar = reading.querySelector(".ek-filter");
    const jump = reading.querySelector(".ek-jump");
    const said = jump.querySelector(".ek-count");
    const field = (name) => bar.querySelector(`[name="${name}"]`);
    const cases = [...reading.querySelectorAll(".ek-case")].map((node) => ({
      node,
      about: [node.querySelector("header"), node.querySelector(".ek-ticket")].map((part) => part.textContent).join("\n"),
      answers: [...node.querySelectorAll(".ek-transcript")],
    }));
    const total = cases.reduce((sum, one) => sum + one.answers.length, 0);
    let at = null;

    const verdict = (wanted, answer, node) =>
      !wanted ||
      (wanted === "harm" && answer.dataset.harm === "yes") ||
      (wanted === "disagree" && node.dataset.disagree === "yes") ||
      wanted === answer.dataset.verdict;

    const apply = () => {
      const [candidate, stratum, wanted] = NARROWING.map((name) => field(name).value);
      const words = field("text").value.toLowerCase().split(/\s+/).filter(Boolean);
      let shown = 0;
      for (const { node, about, answers } of cases) {
        let any = false;
        for (const answer of answers) {
          const text = words.length ? `${about}\n${answer.textContent}`.toLowerCase() : "";
          const fits =
            (!candidate || answer.dataset.candidate === candidate) &&
            (!stratum || node.dataset.stratum === stratum) &&
            verdict(wanted, answer, node) &&
            words.every((word) => text.includes(word));
          answer.hidden = !fits;
          any = any || fits;
          shown += fits;
        }
        node.hidden = !any;
      }
      said.textContent = `${shown} of ${total} transcripts on this page`;
      reading.querySelector(".ek-nothing").hidden = shown > 0;
    };

    const clear = () => {
      [...NARROWING, "text"].forEach((name) => { field(name).value = ""; });
      apply();
    };

    // Where one reads is where one was led last, while that is still in sight; else it is where one scrolled to.
    const go = (step) => {
      const open = cases.map((one) => one.node).filter((node) => !node.hidden && node.dataset.disagree === "yes");
      if (!open.length) { said.textContent = "No disagreement among what is shown"; return; }
      // The foot of the bar that sticks: a case that begins there, give or take a margin, is the one being read.
      const line = jump.offsetHeight, margin = 24;
      const box = at && !at.hidden && at.getBoundingClientRect();
      const held = box && box.bottom > line + margin && box.top < window.innerHeight ? open.indexOf(at) : -1;
      const above = open.filter((node) => node.getBoundingClientRect().top < line + margin * step).length;
      let next = held >= 0 ? held + step : step > 0 ? above : above - 1;
      const ended = next < 0 || next >= open.length;
      next = Math.min(Math.max(next, 0), open.length - 1);
      at = open[next];
      at.focus({ preventScroll: true });
      at.scrollIntoView({ block: "start" });
      const name = at.querySelector("h3").textContent;
      const end = ended ? (step > 0 ? "; it is the last" : "; it is the first") : "";
      said.textContent = `Disagreement ${next + 1} of ${open.length}: ${name}${end}`;
    };

    // A link to what a filter hides shows it all the same.
    const follow = () => {
      let id;
      try { id = decodeURIComponent(location.hash.slice(1)); } catch { return; }
      const target = id && cases.find((one) => one.node.id === id);
      if (!target) return;
      if (target.node.hidden) { clear(); target.node.scrollIntoView({ block: "start" }); }
      at = target.node;
    };

    bar.addEventListener("input", apply);
    bar.querySelector('[data-do="clear"]').addEventListener("click", clear);
    jump.querySelector('[data-do="previous"]').addEventListener("click", () => go(-1));
    jump.querySelector('[data-do="next"]').addEventListener("click", () => go(1));
    document.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      if (event.target.closest("input, select, textarea, [contenteditable]")) return;
      if (event.key === "n") go(1);
      if (event.key === "p") go(-1);
    });
    window.addEventListener("hashchange", follow);
    bar.hidden = jump.hidden = false;
    // A browser may restore what was chosen before the page was loaded again.
    apply();
    follow();
  };
  document.querySelectorAll(".ek-reading").forEach((reading) => reading.querySelector(".ek-filter") && set(reading));
})();
