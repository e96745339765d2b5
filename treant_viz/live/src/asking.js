// What a picture does not know yet: the kernel is asked, if there is one.

/** Learns the answer to a question; tells whether there was one. `missing`: what a page without a kernel says. */
export async function asked(view, { ask, question, missing, learn }) {
  try {
    if (!ask) throw new Error(missing);
    learn(await ask(question));
    return true;
  } catch (error) {
    view.complain(error.message);
    return false;
  }
}
