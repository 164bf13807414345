(() => {
  const draw = (figure) => {
    if (figure.dataset.state) return;
    figure.dataset.state = "drawing";
    const spec = JSON.parse(figure.querySelector('script[type="application/json"]').textContent);
    window
      .vegaEmbed(figure.querySelector(".ek-live"), spec, { actions: false, renderer: "svg" })
      .then(() => { figure.dataset.state = "drawn"; })
      .catch((error) => { figure.dataset.state = "failed"; console.error(error); });
  };
  window.evalkitDraw = (root) => root.querySelectorAll(".ek-figure").forEach(draw);
  window.evalkitDraw(document);
})();
