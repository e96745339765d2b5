// A question's buttons: a click tells what is right or wrong about a choice; other choices stay open.

for (const question of document.querySelectorAll(".question")) {
  const buttons = [...question.querySelectorAll("button")];
  const feedback = question.querySelector(".feedback");
  for (const button of buttons) {
    button.setAttribute("aria-pressed", "false");
    button.addEventListener("click", () => {
      for (const one of buttons) one.setAttribute("aria-pressed", String(one === button));
      const right = button.dataset.right === "true";
      button.classList.add(right ? "right" : "wrong");
      const verdict = document.createElement("strong");
      verdict.textContent = right ? "Yes. " : "Not quite. ";
      feedback.replaceChildren(verdict, button.nextElementSibling.content.cloneNode(true));
      feedback.classList.toggle("right", right);
    });
  }
}
